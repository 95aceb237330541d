"""Secrets are replaced or refused; two captures are compared; crawls decide without a browser."""

import gzip
import json
from pathlib import Path

import pytest

from tests.recorder.rig import FROZEN, ask, exchange, freeze
from webds.errors import InputFault
from webds_recorder.archive import ArchiveReader
from webds_recorder.crawl import Frontier, Reach, Robots, links
from webds_recorder.exchange import Frame, Headers, Request, events
from webds_recorder.propose import propose
from webds_recorder.replay import Replay
from webds_recorder.scrub import Scrubber, holds_secret, left_over, looks_secret
from webds_recorder.verify import verify
from webds_recorder.writer import ArchiveWriter, Terms

FORM: Headers = (("content-type", "application/x-www-form-urlencoded"),)
JSON: Headers = (("content-type", "application/json"),)
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (TOKEN, True),
        ("k3Jd83jfLs0Qm2xVb7Ty", True),
        ("3f786850e387550fdab836ed7e6dc881de23001b", True),
        ("en-US", False),
        ("text/html; charset=utf-8", False),
        ("/national-statistics/annual-report-2021", False),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1", False),
        ("accept-encoding, accept-language, origin", False),
    ],
)
def test_what_looks_like_a_secret(text: str, secret: bool) -> None:
    assert looks_secret(text) is secret


@pytest.mark.parametrize(
    ("headers", "body", "secret"),
    [
        (FORM, b"user=a&password=b", True),
        (FORM, b"q=password", False),
        (JSON, b'{"login": {"apiKey": "x"}}', True),
        (JSON, b'{"q": "secret"}', False),
        ((("content-type", "multipart/form-data; boundary=x"),), b'--x\r\ndisposition; name="pwd"\r\n\r\nb', True),
        ((), b"", False),
    ],
)
def test_bodies_that_hold_secrets(headers: Headers, body: bytes, secret: bool) -> None:
    assert holds_secret(Request.to("https://site.test/", "POST", headers, body)) is secret


def test_session_values_are_replaced_and_the_same_value_the_same_way() -> None:
    scrubber = Scrubber(texts=("Ann Example",))
    headers: Headers = (
        ("Set-Cookie", f"sid={TOKEN}; Path=/; HttpOnly"),
        ("Set-Cookie", "theme=dark"),
        ("X-User", "Ann Example"),
    )
    done = scrubber.clean(exchange("/", b"<p>Hello Ann Example", headers=headers))
    assert done.headers == (
        ("Set-Cookie", "sid=redacted-1; Path=/; HttpOnly"),
        ("Set-Cookie", "theme=dark"),
        ("X-User", "redacted-2"),
    )
    assert done.body == b"<p>Hello redacted-2"
    assert scrubber.clean(exchange("/b", headers=headers[:1])).headers[0][1].startswith("sid=redacted-1")
    assert all(TOKEN not in line and "Ann" not in line for line in scrubber.done)


def test_the_gate_names_headers_that_still_look_secret() -> None:
    headers: Headers = (
        ("X-Api-Token", TOKEN),
        ("ETag", '"3f786850e387550fdab836ed7e6dc881de23001b"'),
        ("Location", "/a"),
    )
    assert left_over(headers) == ["x-api-token"]
    assert left_over(headers, ("X-Api-Token",)) == []


def test_b44_two_captures_propose_what_is_volatile(tmp_path: Path) -> None:
    def one(folder: str, mark: str) -> ArchiveReader:
        sent = json.dumps({"id": 1, "meta": {"at": mark}, "rows": [{"k": mark}]}).encode()
        return ArchiveReader(
            freeze(
                tmp_path / folder,
                exchange(f"/i?id=4&cpn={mark}&_={mark}", b"i"),
                exchange("/j", b"j", method="POST", asked=JSON, sent=sent),
                exchange("/same?x=1", b"s"),
                exchange("/now", mark.encode()),
            )
        )

    found = propose(one("a", "1"), one("b", "22"))
    assert (found.query, found.json) == (("cpn",), ("meta.at", "rows.*.k"))
    assert found.answers == ("GET https://site.test/now: 200 text/plain, 1 bytes, then 2",)


def test_links_are_absolute_and_each_once() -> None:
    html = "<base href=/d/><a href=a>1</a><a href='a#x'>2</a><a href='mailto:x@y'>3</a>"
    html += "<area href=//o.test><a href='http://[bad'>"
    assert links(html, "https://site.test/p") == ["https://site.test/d/a", "https://o.test/"]


def test_a_crawl_goes_breadth_first_within_its_reach() -> None:
    reach = Reach(depth=1, pages=3, deny=("*/private*",))
    frontier = Frontier.of(["https://site.test/"], reach)
    opened = []
    while (item := frontier.next()) is not None:
        opened.append(item[0].removeprefix("https://site.test"))
        frontier.done([f"https://site.test/{n}" for n in ("b", "private/x", "c", "b", "d")] + ["https://o.test/"])
        frontier = Frontier.load(json.loads(json.dumps(frontier.dump())), reach)
    assert opened == ["/", "/b", "/c"]


def test_robots_are_read_as_they_are_served() -> None:
    robots = Robots()
    robots.learn("https://a.test/robots.txt", 200, "User-agent: *\nDisallow: /no\nCrawl-delay: 3\n")
    robots.learn("https://b.test/robots.txt", 403, "")
    robots.learn("https://c.test/robots.txt", 404, "User-agent: *\nDisallow: /\n")
    asked = ("https://a.test/yes", "https://a.test/no/x", "https://b.test/", "https://c.test/")
    assert [robots.may(url) for url in asked] == [True, False, False, True]
    assert robots.delay("https://a.test/") == 3


def test_streams_are_cut_at_blank_lines_whatever_the_packets() -> None:
    body = b": hi\n\nid: 1\ndata: a\ndata: b\n\ndata: c\r\n\r\ndata: rest"
    assert [f.payload for f in events(body)] == [
        b": hi\n\n",
        b"id: 1\ndata: a\ndata: b\n\n",
        b"data: c\r\n\r\n",
        b"data: rest",
    ]
    assert events(b"") == ()


MAIL = "alice.smith@example.org"


def test_a_named_text_stays_nowhere(tmp_path: Path) -> None:
    """Neither in what is replayed of streams and sockets, nor in addresses, nor in other spellings."""
    scrubber = Scrubber(texts=(MAIL, "Ann \u00c5 & Co"))
    says = f"data: {MAIL}\n\ndata: 2\n\n".encode()
    talk = (Frame(sent=True, text=True, payload=MAIL.encode()), Frame(sent=False, text=False, payload=b"\0" + says))
    page = (
        b'<a href="/mine?mail=alice.smith%40example.org">Ann \xc3\x85 &amp; Co</a>'
        b'<script>x = "Ann \\u00c5 & Co"</script>Ann+%c3%85+%26+Co'
    )
    stream: Headers = (("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip"))
    captured = [
        exchange("/ev", gzip.compress(says), headers=stream, kind="sse", frames=events(says)),
        exchange("/ws", status=101, kind="ws", frames=talk),
        exchange(f"/mine/{MAIL}?mail=alice.smith%40example.org", page, headers=(("Vary", "X-User"),),
                 asked=(("X-User", MAIL),)),
        exchange("/send", b"ok", method="POST", asked=JSON, sent=json.dumps({"to": MAIL}).encode()),
    ]  # fmt: skip
    folder = freeze(tmp_path / "a", *map(scrubber.clean, captured))
    assert verify(folder)
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    for kind in ("sse", "ws"):
        with ArchiveReader(folder) as archive:
            frames = [archive.frames(row) for row in archive.rows() if row.kind == kind]
        everything += b"".join(frame.payload for frame in frames[0])
        assert b"redacted-1" in frames[0][0].payload
    assert [word for word in (b"alice", b"Ann") if word in everything] == []
    replay = Replay(ArchiveReader(folder))
    answer = ask(replay, "/mine/redacted-1?mail=redacted-1", headers=(("X-User", "redacted-1"),))
    assert answer.body.startswith(b'<a href="/mine?mail=redacted-1">redacted-2</a>')
    assert ask(replay, "/send", "POST", JSON, b'{"to": "redacted-1"}').body == b"ok"
    assert not [line for line in scrubber.done if "alice" in line or "Ann" in line]


JSON_TEXTS = (
    '{"password": "Passwortwiederherstellung", "newPassword": "\u5bc6\u7801\u5fc5\u987b\u81f3\u5c11\u5305\u542b'
    '\u516b\u4e2a\u5b57\u7b26\u4ee5\u53ca\u6570\u5b57", "auth": "https://login.site.test/v2/oauth", "secret": ""}'
)
"""What stands under such names as well: the texts of a form, an address."""


def test_secret_fields_of_answers_are_replaced_and_so_is_what_asks_with_them() -> None:
    scrubber = Scrubber()
    body = b'{"access_token" : "%s", "password": "hunter2", "auth": "none", "title": "secret", "n": [1.0]}'
    done = scrubber.clean(exchange("/token", body % TOKEN.encode(), headers=JSON))
    assert done.body == body.replace(b"%s", b"redacted-1").replace(b"hunter2", b"redacted-2")
    after = scrubber.clean(exchange(f"/mine?access_token={TOKEN}", f"token {TOKEN}".encode()))
    assert (after.request.query, after.body) == ("access_token=redacted-1", b"token redacted-1")
    texts = JSON_TEXTS.encode()
    assert scrubber.clean(exchange("/i18n.json", texts, headers=JSON)).body == texts
    told = Frame(sent=False, text=True, payload=b'{"apiKey":"%s"}' % TOKEN.encode())
    assert scrubber.clean(exchange("/ws", kind="ws", frames=(told,))).frames[0].payload == b'{"apiKey":"redacted-1"}'
    page = exchange("/", b'<script>{"password": "hunter2"}</script>', headers=(("Content-Type", "text/html"),))
    assert scrubber.clean(page) == page  # a page's own bytes are under its checksums
    assert sorted(scrubber.done)[:2] == ["field access_token of site.test/token", "field apiKey of site.test/ws"]


def test_every_way_into_an_archive_has_the_gate(tmp_path: Path) -> None:
    headers: Headers = (("X-Api-Token", TOKEN),)
    with pytest.raises(
        InputFault, match=r"header x-api-token still looks like a secret \(1 in all\); .*--allow-header"
    ):
        freeze(tmp_path / "a", exchange("/", b"x", headers=headers))
    assert not (tmp_path / "a").exists()
    with ArchiveWriter(tmp_path / "b", Terms(site="s", frozen=FROZEN)) as writer:
        writer.add(exchange("/", b"x", headers=headers))
        writer.finish({}, allowed=("X-Api-Token",))
    alone = Scrubber(alone=True)  # a live run's captures: nobody is there to be asked
    came: Headers = (*headers, ("Location", f"/back/{TOKEN}"), ("ETag", f'"{TOKEN}"'), ("X-Kind", "plain"))
    done = alone.clean(exchange("/", b"x", headers=came))
    assert done.headers == (("X-Api-Token", "redacted-1"), *came[1:])
    assert alone.done == {"header x-api-token of site.test"}
