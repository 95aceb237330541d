"""WARC and WACZ out and in: what is lost is said, what is hostile is refused in one line. Ids: docs/replay.md."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tests.recorder.rig import FROZEN, SITE, ask, exchange, freeze
from webds.errors import InputFault
from webds_recorder.archive import ArchiveReader
from webds_recorder.exchange import Headers
from webds_recorder.replay import Replay
from webds_recorder.verify import diff, verify
from webds_recorder.warc_export import export_wacz, export_warc
from webds_recorder.warc_import import import_file
from webds_recorder.writer import ArchiveWriter, Terms

FORM: Headers = (("content-type", "application/x-www-form-urlencoded"),)
TERMS = Terms(site="site", frozen=FROZEN)


def take(file: Path, folder: Path) -> tuple[Path, list[str]]:
    with ArchiveWriter(folder, TERMS) as writer:
        report = import_file(file, writer)
        writer.finish({})
    return folder, report.notes


def record(
    writer: WARCWriter, url: str, status: str, body: bytes, kind: str = "response", *headers: tuple[str, str]
) -> None:
    head = StatusAndHeaders(status, [("Content-Type", "text/plain"), *headers], protocol="HTTP/1.1")
    writer.write_record(writer.create_warc_record(url, kind, io.BytesIO(body), length=len(body), http_headers=head))


def warc(path: Path, *rows: tuple[str, str, bytes]) -> Path:
    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        for url, status, body in rows:
            record(writer, url, status, body)
    return path


@pytest.mark.parametrize("kind", ["warc", "warc.gz", "wacz"])
def test_a_round_trip_gives_the_same_archive(tmp_path: Path, kind: str) -> None:
    headers: Headers = (
        ("Content-Type", "text/html"),
        ("Content-Encoding", "gzip"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
    )
    old = freeze(
        tmp_path / "a",
        exchange("/", gzip.compress(b"<p>zipped", mtime=0), headers=headers),
        exchange("/feed", b"1"),
        exchange("/feed", b"2"),
        exchange("/post?x=1", b"posted", method="POST", asked=FORM, sent=b"a=1&b=2"),
        exchange("/gone", b"no", status=410),
    )
    file = tmp_path / f"x.{kind}"
    with ArchiveReader(old) as archive:
        if kind == "wacz":
            assert export_wacz(archive, file).notes == []
        else:
            with file.open("wb") as out:
                assert export_warc(archive, out, zipped=kind.endswith("gz")).records == 5
    new, notes = take(file, tmp_path / "b")
    assert (list(diff(old, new)), notes) == ([], [])
    assert verify(new) == verify(old)
    replay = Replay(ArchiveReader(new))
    assert [ask(replay, "/feed").body for _ in range(3)] == [b"1", b"2", b"2"]
    assert ask(replay, "/post?x=1", "POST", FORM, b"b=2&a=1").body == b"posted"


def test_b48_304_revisits_and_parts_are_named_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        record(writer, SITE + "/a", "200 OK", b"whole")
        record(writer, SITE + "/b", "304 Not Modified", b"")
        record(writer, SITE + "/c", "206 Partial Content", b"part")
        head = StatusAndHeaders("200 OK", [], protocol="HTTP/1.1")
        writer.write_record(
            writer.create_revisit_record(SITE + "/d", "sha1:X", SITE + "/a", "2022-01-01T00:00:00Z", http_headers=head)
        )
    folder, notes = take(path, tmp_path / "b")
    assert [row.path for row in ArchiveReader(folder).rows()] == ["/a"]
    assert [note.split(": ")[0] for note in notes] == [SITE + "/b", SITE + "/c", SITE + "/d"]


@pytest.mark.parametrize(
    ("line", "kept"), [("200 OK", True), ("200", True), ("999 Odd", False), ("OK", False), ("299 Odd Reason", True)]
)
def test_b53_odd_status_lines_are_read_or_named(tmp_path: Path, line: str, kept: bool) -> None:
    path = warc(tmp_path / "x.warc.gz", (SITE + "/whole", "200 OK", b"w"), (SITE + "/odd", line, b"odd"))
    folder, notes = take(path, tmp_path / "b")
    assert ("/odd" in {row.path for row in ArchiveReader(folder).rows()}) is kept
    assert bool(notes) is not kept


def test_chunked_records_are_unchunked(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        record(
            writer,
            SITE + "/c",
            "200 OK",
            b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
            "response",
            ("Transfer-Encoding", "chunked"),
        )
        record(writer, SITE + "/n", "200 OK", b"not framed", "response", ("Transfer-Encoding", "chunked"))
    replay = Replay(ArchiveReader(take(path, tmp_path / "b")[0]))
    assert (ask(replay, "/c").body, ask(replay, "/n").body) == (b"abcde", b"not framed")


def bundle(path: Path, *members: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members:
            out.writestr(name, data)
    return path


@pytest.mark.parametrize("name", ["../../evil", "/etc/evil", "archive/../../evil", "C:\\evil", "archive\\..\\..\\evil"])
def test_a_member_that_points_outside_is_refused(tmp_path: Path, name: str) -> None:
    file = bundle(tmp_path / "x.wacz", ("archive/data.warc", b""), (name, b"evil"))
    with pytest.raises(InputFault, match=r"points outside of the file$") as error:
        take(file, tmp_path / "b")
    assert "\n" not in str(error.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b.part", "x.wacz"]


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    file = bundle(tmp_path / "x.wacz", ("archive/data.warc", b"\0" * 30_000_000))
    with pytest.raises(InputFault, match=r"unpacks to 30000000 bytes from \d+: a zip bomb$"):
        take(file, tmp_path / "b")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no response that can be replayed|damaged"),
        (b"hello, no warc", "damaged|no response"),
        (b"PK\x03\x04 not a zip", "damaged|no response"),
    ],
)
def test_files_that_are_no_archive(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "x.warc").write_bytes(data)
    with pytest.raises(InputFault, match=said) as error:
        take(tmp_path / "x.warc", tmp_path / "b")
    assert "\n" not in str(error.value)


def test_a_warc_that_is_cut_off(tmp_path: Path) -> None:
    path = warc(tmp_path / "x.warc.gz", (SITE + "/a", "200 OK", bytes(range(256)) * 400))
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(InputFault, match=r"damaged|no response") as error:
        take(path, tmp_path / "b")
    assert "\n" not in str(error.value)


def test_no_wacz_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputFault, match="it is no WACZ"):
        take(bundle(tmp_path / "x.wacz", ("readme.txt", b"hi")), tmp_path / "b")
    with pytest.raises(InputFault, match="cannot be read"):
        take(tmp_path / "none.warc", tmp_path / "b")


def tape(path: Path, *rows: tuple[str, str, str, str]) -> Path:
    """A WARC of (kind, path, line, id and whom it names as `id>named`) records; a request's line is its method."""
    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        for kind, where, line, names in rows:
            own, _, named = names.partition(">")
            warc = {"WARC-Record-ID": f"<urn:{own}>"} if own else {}
            warc |= {"WARC-Concurrent-To": f"<urn:{named}>"} if named else {}
            asked = kind == "request"
            head = StatusAndHeaders(
                f"{line} {where} HTTP/1.1" if asked else line, [], protocol="HTTP/1.1", is_http_request=asked
            )
            body = b"" if asked or kind == "revisit" else f"answer {own}".encode()
            warc_record = writer.create_warc_record(
                SITE + where, kind, io.BytesIO(body), length=len(body), http_headers=head, warc_headers_dict=warc
            )
            writer.write_record(warc_record)
    return path


PAIRED: list[tuple[str, list[tuple[str, str, str, str]]]] = [
    ("requests follow", [("revisit", "/api", "200 OK", "v"), ("request", "/api", "GET", "1"),
                         ("response", "/api", "200 OK", "p"), ("request", "/api", "POST", "2")]),
    ("requests lead", [("request", "/api", "GET", "1"), ("response", "/api", "304 Not Modified", "v"),
                       ("request", "/api", "POST", "2"), ("response", "/api", "200 OK", "p")]),
    ("a part", [("response", "/api", "206 Partial", "v"), ("request", "/api", "GET", "1"),
                ("response", "/api", "200 OK", "p"), ("request", "/api", "POST", "2")]),
    ("named, mixed up", [("request", "/api", "GET", "1>v"), ("request", "/api", "POST", "2>p"),
                         ("response", "/api", "200 OK", "p"), ("revisit", "/api", "200 OK", "v")]),
    ("named by the answers", [("response", "/api", "200 OK", "p>2"), ("revisit", "/api", "200 OK", "v>1"),
                              ("request", "/api", "GET", "1"), ("request", "/api", "POST", "2")]),
    ("named, its answer gone", [("request", "/api", "GET", "1>v"), ("response", "/api", "200 OK", "p"),
                                ("request", "/api", "POST", "2>p")]),
    ("named after another kind", [("metadata", "/api", "200 OK", "m"), ("request", "/api", "POST", "2>m"),
                                  ("response", "/api", "200 OK", "p")]),
    ("named before another kind", [("request", "/api", "POST", "2>m"), ("response", "/api", "200 OK", "p"),
                                   ("metadata", "/api", "200 OK", "m")]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "rows"), PAIRED, ids=[name for name, _ in PAIRED])
def test_an_answer_never_goes_to_another_request(
    tmp_path: Path, name: str, rows: list[tuple[str, str, str, str]]
) -> None:
    """A POST's answer that is stored for GET looks right and is wrong."""
    folder, _ = take(tape(tmp_path / "x.warc.gz", *rows), tmp_path / "b")
    with ArchiveReader(folder) as archive:
        assert [(row.method, archive.body(row)) for row in archive.rows()] == [("POST", b"answer p")]


def test_answers_without_a_request_keep_their_order(tmp_path: Path) -> None:
    rows = [("response", "/feed", "200 OK", "a"), ("response", "/feed", "200 OK", "b"), ("request", "/feed", "GET", "")]
    folder, _ = take(tape(tmp_path / "x.warc.gz", *rows, ("response", "/feed", "200 OK", "c")), tmp_path / "b")
    replay = Replay(ArchiveReader(folder))
    assert [ask(replay, "/feed").body for _ in range(4)] == [b"answer a", b"answer b", b"answer c", b"answer c"]


@pytest.mark.parametrize("kind", ["response", "request", "resource", "a header"])
@pytest.mark.parametrize("packed", ["warc.gz", "wacz"])
def test_a_gzip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, kind: str, packed: str) -> None:
    """Wherever its bytes stand: in a body that is stored, in a record that is skipped, in a header."""
    raw = io.BytesIO()
    writer = WARCWriter(raw, gzip=True)
    record(writer, SITE + "/a", "200 OK", b"whole")
    big = b"\0" * 40_000_000
    if kind == "a header":
        record(writer, SITE + "/b", "200 OK", b"x", "response", ("X-Long", "a" * len(big)))
    else:
        record(writer, SITE + "/b", "200 OK", big, kind)
    file = tmp_path / f"x.{packed}"
    file.write_bytes(raw.getvalue())
    if packed == "wacz":
        bundle(file, ("archive/a.warc.gz", raw.getvalue()))
    assert file.stat().st_size < 100_000
    with pytest.raises(InputFault, match=r"unpacks to over \d+ bytes: a bomb$") as error:
        take(file, tmp_path / "b")
    assert "\n" not in str(error.value)
    assert [path for path in (tmp_path / "b.part").rglob("*") if path.is_file() and path.stat().st_size > 100_000] == []


def test_what_packs_well_and_is_small_is_no_bomb(tmp_path: Path) -> None:
    path = warc(tmp_path / "x.warc.gz", *((f"{SITE}/{n}", "200 OK", b"0" * 100_000) for n in range(9)))
    with ArchiveReader(take(path, tmp_path / "b")[0]) as archive:
        assert [row.size for row in archive.rows()] == [100_000] * 9
