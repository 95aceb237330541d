"""The archive on disk: what is wrong with one is said in one line, and equal content has one digest."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.recorder.rig import FROZEN, exchange, freeze
from webds.errors import InputFault
from webds_recorder.archive import ArchiveReader
from webds_recorder.exchange import Frame
from webds_recorder.match import Rule, Rules
from webds_recorder.verify import diff, info, set_rules, verify
from webds_recorder.writer import ArchiveWriter, Terms

BIG = b"0123456789" * 600


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    stream = exchange("/ev", b"data: 1\n\n", kind="sse", frames=(Frame(sent=False, text=True, payload=b"x"),))
    return freeze(tmp_path / "a", exchange("/", b"home"), exchange("/big", BIG), stream)


def blobs(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "blobs").rglob("*") if path.is_file())


def one_line(error: pytest.ExceptionInfo[InputFault]) -> str:
    text = str(error.value)
    assert "\n" not in text
    return text


def test_a_whole_archive_passes(archive: Path) -> None:
    assert verify(archive) == json.loads((archive / "manifest.json").read_text())["digest"]
    found = info(archive)
    assert (found["exchanges"], found["statuses"], found["kinds"]) == (3, {"200": 3}, {"http": 2, "sse": 1})


def test_b47_a_missing_blob_is_found_before_the_replay(archive: Path) -> None:
    blobs(archive)[0].unlink()
    with pytest.raises(InputFault, match=r"1 blob\(s\) missing, first [0-9a-f]{64}") as error:
        ArchiveReader(archive)
    one_line(error)


def test_a_flipped_byte_in_a_blob(archive: Path) -> None:
    file = blobs(archive)[0]
    data = bytearray(file.read_bytes())
    data[0] ^= 1
    file.write_bytes(data)
    ArchiveReader(archive).close()
    with pytest.raises(InputFault, match="the bytes do not match the name") as error:
        verify(archive)
    assert file.name in one_line(error)


def test_a_flipped_byte_in_a_frame_list(archive: Path) -> None:
    file = next((archive / "sse").iterdir())
    file.write_bytes(file.read_bytes().replace(b"true", b"1"))
    with pytest.raises(InputFault, match="do not match the name"):
        verify(archive)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_truncated_index(archive: Path, share: float) -> None:
    file = archive / "index.sqlite"
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(InputFault, match=r"index.sqlite: (cut short|damaged)") as error:
        ArchiveReader(archive)
    one_line(error)


def test_any_flipped_byte_in_the_index_is_found(archive: Path, tmp_path: Path) -> None:
    """Bytes that SQLite does not use may differ: then the content, and the digest, are the same."""
    whole = verify(archive)
    data = (archive / "index.sqlite").read_bytes()
    found = 0
    for place in range(100, len(data), 997):
        copy = tmp_path / "copy"
        shutil.copytree(archive, copy)
        changed = bytearray(data)
        changed[place] ^= 0x41
        (copy / "index.sqlite").write_bytes(changed)
        try:
            assert verify(copy) == whole
        except InputFault:
            found += 1
        shutil.rmtree(copy)
    assert found


def test_an_edited_row_is_found(archive: Path) -> None:
    index = sqlite3.connect(archive / "index.sqlite")
    index.execute("update exchange set status = 201 where path = '/'")
    index.commit()
    index.close()
    with pytest.raises(InputFault, match="does not match the digest"):
        verify(archive)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("format", 2, "format: 2 \\(written by a newer webds\\); this webds reads format 1"),
        ("format", "x", "format: 'x'; this webds"),
        ("rows", 9, "3 rows, manifest.json says 9"),
        ("match", {"rule": []}, "match.rule: unknown; known: json, query, rules, scripts"),
        ("match", {"rules": [{"name": "x"}]}, "field match: .*url"),
    ],
)
def test_a_manifest_that_does_not_fit(archive: Path, field: str, value: object, said: str) -> None:
    manifest = json.loads((archive / "manifest.json").read_text())
    (archive / "manifest.json").write_text(json.dumps({**manifest, field: value}))
    with pytest.raises(InputFault, match=said) as error:
        ArchiveReader(archive)
    one_line(error)


def test_no_archive_and_no_json(tmp_path: Path) -> None:
    with pytest.raises(InputFault, match=r"no archive here \(manifest.json is missing\)"):
        ArchiveReader(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(InputFault, match="not JSON"):
        ArchiveReader(tmp_path)


def test_content_is_hashed_and_provenance_is_not(tmp_path: Path) -> None:
    one = verify(freeze(tmp_path / "a", exchange("/", b"x"), exchange("/p", b"y")))
    dated = exchange("/", b"x", headers=(("Date", "Mon, 01 Jan 2024 00:00:00 GMT"), ("Content-Type", "text/plain")))
    other = freeze(tmp_path / "b", exchange("/p", b"y"), dated, exchange("/", b"x"))
    assert verify(other) == one
    assert verify(freeze(tmp_path / "c", exchange("/", b"x"), exchange("/p", b"z"))) != one
    assert verify(freeze(tmp_path / "d", exchange("/", b"x"), exchange("/p", b"y"), seed=2)) != one


def test_diff_names_what_changed(tmp_path: Path) -> None:
    old = freeze(tmp_path / "a", exchange("/", b"x"), exchange("/gone", b"y"), exchange("/same", b"s"))
    new = freeze(tmp_path / "b", exchange("/", b"z"), exchange("/new", b"y"), exchange("/same", b"s"), seed=2)
    assert list(diff(old, new)) == [
        "~ manifest seed: 1 -> 2",
        "~ GET https://site.test/ #1: blob",
        "- GET https://site.test/gone #1",
        "+ GET https://site.test/new #1",
    ]
    assert list(diff(old, old)) == []


def test_a_rule_is_tested_by_its_example(tmp_path: Path) -> None:
    folder = freeze(tmp_path / "a", exchange("/p?x=1", b"x"))
    rule = Rule(name="any", url="https://site.test/p", drop=("x",), example="https://site.test/p?x=7")
    digest = set_rules(folder, Rules(rules=(rule,)))
    assert verify(folder) == digest
    bad = Rules(rules=(Rule(name="any", url="https://site.test/p", example="https://site.test/q"),))
    with pytest.raises(InputFault, match="rule 'any' does not answer its example"):
        set_rules(folder, bad)
    assert verify(folder) == digest  # as it was
    with pytest.raises(InputFault, match="rule 'any' does not answer its example"):
        verify(freeze(tmp_path / "b", exchange("/p?x=1", b"x"), rules=bad))


def test_an_unfinished_archive_can_be_resumed(tmp_path: Path) -> None:
    terms = Terms(site="site", frozen=FROZEN)
    first = ArchiveWriter(tmp_path / "a", terms)
    first.add(exchange("/", b"home"))
    first.close()
    assert not (tmp_path / "a").exists()
    second = ArchiveWriter(tmp_path / "a", terms, resume=True)
    assert second.count() == 1
    second.add(exchange("/p", b"p"))
    second.finish({})
    assert {row.path for row in ArchiveReader(tmp_path / "a").rows()} == {"/", "/p"}
    assert not (tmp_path / "a.part").exists()


def test_an_empty_capture_makes_no_archive(tmp_path: Path) -> None:
    with pytest.raises(InputFault, match="nothing was captured"):
        freeze(tmp_path / "a")


def test_a_secret_body_leaves_only_its_digest(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path / "a", Terms(site="s", frozen=FROZEN)) as writer:
        writer.add(exchange("/login", b"in", method="POST", sent=b"password=hunter2"), keep_body=False)
        writer.finish({})
    everything = b"".join(path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert b"hunter2" not in everything
    verify(tmp_path / "a")


@pytest.mark.parametrize("lying", ["a", "a.part", "a.old"])
def test_only_archives_are_ever_replaced(tmp_path: Path, lying: str) -> None:
    """A folder of a person's own, at the place itself or at one that the writing needs, stays as it was."""
    (tmp_path / lying).mkdir()
    (tmp_path / lying / "thesis.txt").write_text("x")
    (tmp_path / lying / "manifest.json").write_text("{}")
    for ways in ({}, {"resume": True}, {"force": True}):
        with pytest.raises(InputFault, match=rf"{lying}: holds what is no archive, and is not deleted") as error:
            ArchiveWriter(tmp_path / "a", Terms(site="s", frozen=FROZEN), **ways)
        one_line(error)
    assert [path.name for path in tmp_path.rglob("*.txt")] == ["thesis.txt"]
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputFault, match="holds what is no archive"):
        ArchiveWriter(tmp_path / "file", Terms(site="s", frozen=FROZEN))
    with pytest.raises(InputFault, match="/: not a folder that"):
        ArchiveWriter(Path("/"), Terms(site="s", frozen=FROZEN))


def test_an_archive_is_replaced_by_force_or_by_its_resumed_capture(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms = Terms(site="s", frozen=FROZEN)
    for resume in (False, True):
        with pytest.raises(InputFault, match=r"a: an archive is there already; --force replaces it$"):
            ArchiveWriter(archive, terms, resume=resume)
    with ArchiveWriter(archive, terms, force=True) as writer:
        writer.add(exchange("/new", b"new"))
    (archive / "index.sqlite").unlink()  # a damaged archive is replaced as well
    with ArchiveWriter(archive, terms, resume=True) as writer:
        writer.finish({})
    assert [row.path for row in ArchiveReader(archive).rows()] == ["/new"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    freeze(Path(), exchange("/", b"x"))  # as with `--out .`, in an empty folder
    assert verify(tmp_path / "here")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "here"]


@pytest.mark.parametrize("column", ["exact", "canonical", "place"])
def test_swapped_keys_are_found(archive: Path, column: str) -> None:
    """What requests are found by is not in the digest, so it is worked out again."""
    verify(archive)
    index = sqlite3.connect(archive / "index.sqlite")
    one, two = index.execute(f"select id, {column} from exchange order by id limit 2").fetchall()
    index.executemany(f"update exchange set {column} = ? where id = ?", [(one[1], two[0]), (two[1], one[0])])
    index.commit()
    index.close()
    with pytest.raises(InputFault, match=rf"its {column} key is not its own") as error:
        verify(archive)
    one_line(error)


def test_a_row_that_cannot_be_read_is_one_line(archive: Path) -> None:
    index = sqlite3.connect(archive / "index.sqlite")
    index.execute("update exchange set headers = '[' where path = '/'")
    index.commit()
    index.close()
    with pytest.raises(InputFault, match=r"index.sqlite: damaged: ") as error:
        verify(archive)
    one_line(error)


def test_a_host_that_is_taken_out_is_found(archive: Path) -> None:
    manifest = json.loads((archive / "manifest.json").read_text())
    (archive / "manifest.json").write_text(json.dumps({**manifest, "hosts": []}))
    with pytest.raises(InputFault, match=r"hosts of manifest.json: not the hosts of the index"):
        verify(archive)


def test_a_body_that_was_not_kept_has_a_canonical_key_of_its_own(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path / "a", Terms(site="s", frozen=FROZEN)) as writer:
        writer.add(exchange("/", b"home"))
        writer.add(exchange("/login", b"in", method="POST", sent=b"password=x"), keep_body=False)
        writer.finish({})
    verify(tmp_path / "a")
    index = sqlite3.connect(tmp_path / "a" / "index.sqlite")
    index.execute("update exchange set canonical = (select canonical from exchange where path = '/')")
    index.commit()
    index.close()
    with pytest.raises(InputFault, match="/login: its canonical key is not its own"):
        verify(tmp_path / "a")


@pytest.mark.parametrize("address", ["/big", "/ev"])
def test_changed_bytes_are_never_replayed(archive: Path, address: str) -> None:
    """Where nobody has verified, the first read does: the log's sha256 is the blob's name."""
    for file in [*blobs(archive), *(archive / "sse").iterdir()]:
        file.write_bytes(file.read_bytes()[:-1] + b"!")
    with ArchiveReader(archive) as reader:
        row = next(row for row in reader.rows() if row.path == address)
        for read in (reader.body, reader.frames) if row.frames else (reader.body,):
            with pytest.raises(InputFault, match="does not match its name; run webds archive verify"):
                read(row)
