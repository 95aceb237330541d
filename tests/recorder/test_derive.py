"""Derived answers and what a replay does to headers. Ids: docs/replay.md."""

import gzip
import zlib
from pathlib import Path

import brotli
import pytest

from tests.recorder.rig import FROZEN, ask, engine, exchange, value
from webds_recorder import derive
from webds_recorder.derive import accepted, decoded, session_cookie
from webds_recorder.exchange import Headers

TEXT = "Zürich, naïve, 3,140 km²\n".encode() * 40
ENCODED = {
    "gzip": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT),
    "zstd": derive.zstd.compress(TEXT),
}


def test_b09_head_keeps_the_length(tmp_path: Path) -> None:
    replay = engine(tmp_path / "a", exchange("/d.csv", b"x" * 5000))
    answer = ask(replay, "/d.csv", "HEAD")
    assert (answer.status, answer.body, value(answer, "content-length")) == (200, b"", "5000")
    assert ask(replay, "/none", "HEAD").body == b""


def test_b09_a_captured_head_keeps_its_own_length(tmp_path: Path) -> None:
    headers: Headers = (("Content-Type", "text/csv"), ("Content-Length", "5000"))
    answer = ask(engine(tmp_path / "a", exchange("/d.csv", method="HEAD", headers=headers)), "/d.csv", "HEAD")
    assert [v for k, v in answer.headers if k.lower() == "content-length"] == ["5000"]


def test_b10_there_is_one_framing_header(tmp_path: Path) -> None:
    headers: Headers = (("Transfer-Encoding", "chunked"), ("Content-Length", "9"), ("Content-Type", "text/plain"))
    replay = engine(tmp_path / "a", exchange("/c", b"chunks", headers=headers))
    for method in ("GET", "HEAD"):
        names = [k.lower() for k, _ in ask(replay, "/c", method).headers]
        assert names.count("content-length") == 1
        assert "transfer-encoding" not in names


@pytest.mark.parametrize(
    ("asked", "status", "body", "said"),
    [
        ("bytes=500-599", 206, slice(500, 600), "bytes 500-599/1000"),
        ("bytes=900-", 206, slice(900, 1000), "bytes 900-999/1000"),
        ("bytes=-10", 206, slice(990, 1000), "bytes 990-999/1000"),
        ("bytes=-5000", 206, slice(0, 1000), "bytes 0-999/1000"),
        ("bytes=990-2000", 206, slice(990, 1000), "bytes 990-999/1000"),
        ("bytes=1000-", 416, slice(0, 0), "bytes */1000"),
        ("bytes=9-3", 416, slice(0, 0), "bytes */1000"),
        ("bytes=-0", 416, slice(0, 0), "bytes */1000"),
        ("bytes=0-9,20-29", 200, slice(0, 1000), ""),
        ("bytes=-", 200, slice(0, 1000), ""),
        ("lines=1-2", 200, slice(0, 1000), ""),
    ],
)
def test_b30_ranges_come_from_the_whole(tmp_path: Path, asked: str, status: int, body: slice, said: str) -> None:
    data = bytes(n % 251 for n in range(1000))
    replay = engine(tmp_path / "a", exchange("/v.mp4", data))
    answer = ask(replay, "/v.mp4", headers=(("range", asked),))
    assert (answer.status, answer.body, value(answer, "content-range")) == (status, data[body], said)
    assert value(answer, "content-length") == str(len(data[body]))


def test_b30_a_range_of_an_older_copy_gets_the_whole(tmp_path: Path) -> None:
    replay = engine(tmp_path / "a", exchange("/v", b"x" * 9, headers=(("ETag", '"1"'),)))
    for mark, status in (('"1"', 206), ('"0"', 200)):
        assert ask(replay, "/v", headers=(("range", "bytes=0-1"), ("if-range", mark))).status == status


@pytest.mark.parametrize("coding", ENCODED)
def test_b32_b34_bodies_are_decoded_for_clients_that_do_not_take_them(tmp_path: Path, coding: str) -> None:
    headers: Headers = (("Content-Type", "text/plain; charset=utf-8"), ("Content-Encoding", coding))
    replay = engine(tmp_path / "a", exchange("/t", ENCODED[coding], headers=headers))
    takes = ask(replay, "/t", headers=(("accept-encoding", f"identity, {coding}"),))
    assert (takes.body, value(takes, "content-encoding")) == (ENCODED[coding], coding)
    for asked in ((), (("accept-encoding", "identity"),), (("accept-encoding", f"{coding};q=0, *"),)):
        plain = ask(replay, "/t", headers=asked)
        assert (plain.body, value(plain, "content-encoding")) == (TEXT, "")
        assert value(plain, "content-length") == str(len(TEXT))


@pytest.mark.parametrize("coding", ENCODED)
def test_b32_bytes_that_do_not_fit_their_coding_stay(coding: str) -> None:
    headers: Headers = (("Content-Encoding", coding),)
    for body in (ENCODED[coding][:-9], b"\x00not " + ENCODED[coding]):
        assert decoded(headers, body) == (headers, body)


@pytest.mark.parametrize("coding", ENCODED)
def test_a_body_that_unpacks_to_too_much_stays(coding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derive, "UNPACKED_CAP", 100)
    headers: Headers = (("Content-Encoding", coding),)
    assert decoded(headers, ENCODED[coding]) == (headers, ENCODED[coding])


def test_codings_apply_in_reverse_order() -> None:
    headers: Headers = (("Content-Encoding", "gzip, br"), ("X", "y"))
    assert decoded(headers, brotli.compress(gzip.compress(TEXT))) == ((("X", "y"),), TEXT)


@pytest.mark.parametrize(
    ("accept", "coding", "yes"),
    [
        ("gzip, br", "br", True),
        ("gzip;q=0", "gzip", False),
        ("*", "br", True),
        ("*;q=0.0", "br", False),
        ("", "gzip", False),
        ("GZIP;q=0.5", "gzip", True),
    ],
)
def test_accept_encoding(accept: str, coding: str, yes: bool) -> None:
    assert accepted(accept, coding) is yes


@pytest.mark.parametrize(
    ("captured", "replayed"),
    [
        ("a=1; Path=/; Max-Age=600; Secure", "a=1; Path=/; Secure"),
        ("a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT; HttpOnly", "a=1; HttpOnly"),
        ("a=1; expires=Fri, 24-Jun-2022 12:30:00 GMT", "a=1"),
        ("a=; Max-Age=0; Path=/", "a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
        ("a=; Expires=Thu, 01-Jan-1970 00:00:01 GMT", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
        ("a=; Max-Age=-1; Expires=Wed, 09 Jun 2032 10:18:14 GMT", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
        ("a=x=y; Expires=nonsense; SameSite=Lax", "a=x=y; SameSite=Lax"),
    ],
)
def test_b46_cookies_last_for_the_session_and_deletions_stay(captured: str, replayed: str) -> None:
    assert session_cookie(captured, FROZEN) == replayed


def test_b42_date_and_cookies_do_not_move_with_the_real_clock(tmp_path: Path) -> None:
    """Nothing in an answer comes from the host's clock, so two replays a day apart are the same bytes."""
    headers: Headers = (
        ("Date", "Fri, 01 Jan 2021 00:00:00 GMT"),
        ("Expires", "Fri, 01 Jan 2021 01:00:00 GMT"),
        ("Cache-Control", "max-age=60"),
        ("Set-Cookie", "a=1; Max-Age=60"),
        ("Last-Modified", "Fri, 01 Jan 2021 00:00:00 GMT"),
    )
    replay = engine(tmp_path / "a", exchange("/p", b"x", headers=headers))
    answer = ask(replay, "/p")
    assert value(answer, "date") == "Fri, 24 Jun 2022 12:00:00 GMT"
    assert (value(answer, "expires"), value(answer, "cache-control")) == ("", "no-store")
    assert value(answer, "last-modified") == "Fri, 01 Jan 2021 00:00:00 GMT"
    assert answer == ask(replay, "/p", episode="two")


def test_b54_headers_keep_their_names_order_and_duplicates(tmp_path: Path) -> None:
    headers: Headers = (
        ("Set-Cookie", "a=1"),
        ("Link", "</a.css>; rel=preload"),
        ("Content-Security-Policy", "default-src 'self'"),
        ("Set-Cookie", "b=2"),
        ("Link", "</b.css>; rel=preload"),
        ("X-Odd-Name", "caf\u00e9"),
    )
    answer = ask(engine(tmp_path / "a", exchange("/p", b"x", headers=headers)), "/p")
    assert answer.headers[: len(headers)] == headers


def test_a_favicon_nobody_captured_is_no_miss(tmp_path: Path) -> None:
    replay = engine(tmp_path / "a", exchange("/", b"x"))
    assert (ask(replay, "/favicon.ico").status, ask(replay, "/favicon.ico").level) == (204, "derived")


def test_a_miss_can_be_read_from_any_origin(tmp_path: Path) -> None:
    answer = ask(engine(tmp_path / "a", exchange("/", b"x")), "/none", headers=(("origin", "https://o.test"),))
    assert value(answer, "access-control-allow-origin") == "https://o.test"
    assert value(answer, "x-webds") == "miss"
