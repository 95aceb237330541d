"""Matching without sockets: the public bugs whose cause is the choice of the answer. Ids: docs/replay.md."""

import json
from pathlib import Path

import pytest

from tests.recorder.rig import SITE, ask, engine, exchange, value
from webds_recorder.exchange import Headers, Request
from webds_recorder.match import Move, Rule, Rules, Script, canonical_key, exact_key, normal_path
from webds_recorder.verify import set_rules

JSON: Headers = (("Content-Type", "application/json"),)
FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)


def multipart(boundary: str, text: str) -> bytes:
    return (
        f'--{boundary}\r\nContent-Disposition: form-data; name="f"; filename="a b.csv"\r\n'
        f"Content-Type: text/csv\r\n\r\n{text}\r\n--{boundary}--\r\n"
    ).encode()


def test_b01_the_last_answer_is_held_and_the_rest_is_a_miss(tmp_path: Path) -> None:
    replay = engine(tmp_path / "a", exchange("/one", b"1"))
    assert [ask(replay, "/one").body for _ in range(3)] == [b"1"] * 3
    first, second = ask(replay, "/other"), ask(replay, "/other")
    assert (first.status, first.level, first.result) == (404, "miss", "miss")
    assert (first.body, first.headers) == (second.body, second.headers)


def test_b02_several_captures_come_in_order_and_the_last_is_held(tmp_path: Path) -> None:
    replay = engine(tmp_path / "a", *(exchange("/feed", text) for text in (b"1", b"2", b"3")))
    assert [ask(replay, "/feed").body for _ in range(4)] == [b"1", b"2", b"3", b"3"]
    assert [ask(replay, "/feed", episode="two").body for _ in range(2)] == [b"1", b"2"]
    replay.forget("one")
    assert ask(replay, "/feed").body == b"1"


def test_b03_a_redirect_to_itself_ends(tmp_path: Path) -> None:
    hop = exchange("/s", status=302, headers=(("Location", "/s"), ("Set-Cookie", "seen=1; Max-Age=600")))
    there = exchange("/s", b"in", asked=(("Cookie", "seen=1"),))
    replay = engine(tmp_path / "a", hop, there)
    for episode in ("one", "two"):
        assert ask(replay, "/s", episode=episode).status == 302
        assert ask(replay, "/s", headers=(("cookie", "seen=1"),), episode=episode).body == b"in"


@pytest.mark.parametrize(
    ("captured", "asked", "level"),
    [
        ("/?a=1&b=2", "/?b=2&a=1&_=17", "canonical"),
        ("/?a=1&b=2", "/?a=1&b=2", "exact"),
        ("/?a=1&b=2", "/?a=1&b=2&utm_source=x", "canonical"),
        ("/?a=1&a=2", "/?a=2&a=1", "canonical"),
        ("/?a=1", "/?a=1&a=1", "miss"),
        ("/?a=1&b=2", "/?a=1&b=3", "miss"),
        ("/?q=x+y", "/?q=x%20y", "canonical"),
        ("/p", "/p?", "exact"),
        ("/p?a=", "/p?a", "canonical"),
    ],
)
def test_b12_query_order_and_cache_busters(tmp_path: Path, captured: str, asked: str, level: str) -> None:
    assert ask(engine(tmp_path / "a", exchange(captured, b"x")), asked).level == level


def test_b13_b39_http_and_https_are_two_sites(tmp_path: Path) -> None:
    replay = engine(tmp_path / "a", exchange("http://site.test/p", b"plain"), exchange("https://site.test/p", b"tls"))
    assert ask(replay, "http://site.test/p").body == b"plain"
    assert ask(replay, "https://site.test/p").body == b"tls"
    assert ask(replay, "https://site.test:8443/p").result == "miss"


def test_a_site_on_https_alone_says_where_it_is(tmp_path: Path) -> None:
    answer = ask(engine(tmp_path / "a", exchange("/p?a=1", b"tls")), "http://site.test/p?a=1")
    assert (answer.status, answer.level, value(answer, "location")) == (301, "derived", SITE + "/p?a=1")
    assert ask(engine(tmp_path / "b", exchange("http://site.test/p", b"plain")), SITE + "/p").result == "miss"


def test_b11_new_rules_turn_an_old_miss_into_a_hit(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    assert ask(engine(folder, exchange("/p?device=1", b"x")), "/p?device=2").result == "miss"
    set_rules(folder, Rules(query=("device",)))
    from webds_recorder.archive import ArchiveReader
    from webds_recorder.replay import Replay

    assert ask(Replay(ArchiveReader(folder)), "/p?device=2").level == "canonical"


def test_b16_a_body_can_be_ignored_by_rule(tmp_path: Path) -> None:
    rules = Rules(rules=(Rule(name="beacon", url=SITE + "/beacon", method="POST", body="ignore"),))
    replay = engine(tmp_path / "a", exchange("/beacon", b"ok", method="POST", sent=b"r=0.1"), rules=rules)
    assert ask(replay, "/beacon", "POST", body=b"r=0.7").level == "rule"
    assert ask(replay, "/other", "POST", body=b"r=0.7").level == "miss"


def test_b19_the_same_url_follows_the_state_of_the_server(tmp_path: Path) -> None:
    replay = engine(
        tmp_path / "a",
        exchange("/list", b"[]"),
        exchange("/add", b"ok", method="POST", sent=b"x", asked=FORM),
        exchange("/list", b"[x]"),
        exchange("/delete", b"ok", method="POST", sent=b"x", asked=FORM),
        exchange("/list", b"[]"),
    )
    assert ask(replay, "/list").body == b"[]"
    assert ask(replay, "/add", "POST", FORM, b"x").status == 200
    assert ask(replay, "/list").body == b"[x]"
    assert ask(replay, "/delete", "POST", FORM, b"x").status == 200
    assert ask(replay, "/list").body == b"[]"


def test_b20_the_multipart_boundary_does_not_count(tmp_path: Path) -> None:
    def kind(name: str) -> Headers:
        return (("content-type", f"multipart/form-data; boundary={name}"),)

    sent = exchange("/up", b"got it", method="POST", asked=kind("AAA"), sent=multipart("AAA", "n\r\n1"))
    replay = engine(tmp_path / "a", sent)
    assert ask(replay, "/up", "POST", kind("BBB"), multipart("BBB", "n\r\n1")).level == "canonical"
    assert ask(replay, "/up", "POST", kind("CCC"), multipart("CCC", "n\r\n2")).level == "miss"


def test_b22_b44_volatile_names_are_declared(tmp_path: Path) -> None:
    rules = Rules(query=("device_id", "cpn", "lact"), json=("meta.at", "items.*.seen"))
    replay = engine(
        tmp_path / "a",
        exchange("/i?device_id=1&id=4", b"four"),
        exchange("/j", b"j", method="POST", asked=JSON, sent=b'{"id":1,"meta":{"at":5},"items":[{"a":1,"seen":2}]}'),
        rules=rules,
    )
    assert ask(replay, "/i?id=4&device_id=77&cpn=z").body == b"four"
    assert ask(replay, "/i?id=5&device_id=1").result == "miss"
    again = b'{"items":[{"seen":9,"a":1}],"meta":{"at":6},"id":1}'
    assert ask(replay, "/j", "POST", JSON, again).level == "canonical"
    assert ask(replay, "/j", "POST", JSON, again.replace(b'"a":1', b'"a":2')).level == "miss"


def test_b28_three_filters_posted_to_one_address(tmp_path: Path) -> None:
    sent = [json.dumps({"filter": name, "page": 1}).encode() for name in "abc"]
    replay = engine(tmp_path / "a", *(exchange("/q", s, method="POST", asked=JSON, sent=s) for s in sent))
    for body in reversed(sent):
        assert ask(replay, "/q", "POST", JSON, body).body == body
        turned = json.dumps(dict(reversed(json.loads(body).items()))).encode()
        assert ask(replay, "/q", "POST", JSON, turned).body == body


def test_b29_graphql_by_operation_and_variables(tmp_path: Path) -> None:
    def operation(name: str, number: int, text: str = "") -> bytes:
        query = text or f"query {name}($n: Int) {{ {name}(n: $n) }}"
        return json.dumps({"operationName": name, "variables": {"n": number, "m": 0}, "query": query}).encode()

    def stored(name: str, number: int) -> bytes:
        return f"{name}{number}".encode()

    cases = [("a", 1), ("b", 1), ("a", 2)]
    replay = engine(
        tmp_path / "a",
        *(exchange("/g", stored(*c), method="POST", asked=JSON, sent=operation(*c)) for c in cases),
    )
    for case in cases:
        body = operation(*case, text="query  changed { spaces }")
        assert ask(replay, "/g", "POST", JSON, body).body == stored(*case)
    assert ask(replay, "/g", "POST", JSON, operation("a", 3)).result == "miss"


def test_b31_a_range_in_the_query_is_another_resource(tmp_path: Path) -> None:
    replay = engine(tmp_path / "a", exchange("/v?range=0-99", b"a"), exchange("/v?range=100-199", b"b"))
    assert ask(replay, "/v?range=100-199").body == b"b"
    assert ask(replay, "/v?range=200-299").result == "miss"


@pytest.mark.parametrize(
    ("captured", "asked", "hit"),
    [
        ("https://b\u00fccher.test/", "https://xn--bcher-kva.test/", True),
        ("https://SITE.test/", "https://site.test./", True),
        ("/caf%c3%a9", "/caf%C3%A9", True),
        ("/caf\u00e9", "/caf%C3%A9", True),
        ("/%7Eme", "/~me", True),
        ("/a%2Fb", "/a/b", False),
        ("/p?a=1&section=2", "/p?a=1&section=2", True),
        ("/p?a=1&section=2", "/p?a=1&\u00a7ion=2", False),
        ("/p#part", "/p", True),
        ("/data%20set.csv", "/data%20set.csv", True),
    ],
)
def test_b40_addresses_outside_ascii(tmp_path: Path, captured: str, asked: str, hit: bool) -> None:
    assert (ask(engine(tmp_path / "a", exchange(captured, b"x")), asked).result == "hit") is hit


def test_b41_a_preflight_that_was_never_captured(tmp_path: Path) -> None:
    replay = engine(tmp_path / "a", exchange("/api", b"{}", headers=JSON))
    asked: Headers = (
        ("origin", "https://other.test"),
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "x-key"),
    )
    answer = ask(replay, "/api", "OPTIONS", asked)
    assert (answer.status, answer.level) == (204, "derived")
    assert value(answer, "access-control-allow-origin") == "https://other.test"
    assert value(answer, "access-control-allow-credentials") == "true"
    assert value(answer, "access-control-allow-headers") == "x-key"
    assert ask(replay, "/none", "OPTIONS", asked).result == "miss"


@pytest.mark.parametrize("status", [204, 403, 410, 500, 301, 404])
def test_b49_pages_of_any_status_replay_as_captured(tmp_path: Path, status: int) -> None:
    body = b"" if status == 204 else b"why"
    answer = ask(engine(tmp_path / "a", exchange("/p", body, status)), "/p")
    assert (answer.status, answer.body, answer.result) == (status, body, "hit")
    assert value(answer, "content-length") == ("" if status == 204 else "3")


def test_b52_methods_on_one_address_are_apart(tmp_path: Path) -> None:
    replay = engine(
        tmp_path / "a",
        *(exchange("/r", m.encode(), method=m, sent=b"" if m == "GET" else b"x") for m in ("GET", "POST", "PUT")),
    )
    assert [ask(replay, "/r", m, body=b"" if m == "GET" else b"x").body for m in ("PUT", "GET", "POST")] == [
        b"PUT",
        b"GET",
        b"POST",
    ]
    assert ask(replay, "/r", "DELETE").result == "miss"


def test_n2_basic_auth_keys_on_the_presence_of_credentials(tmp_path: Path) -> None:
    replay = engine(
        tmp_path / "a",
        exchange("/in", b"who?", 401, (("WWW-Authenticate", 'Basic realm="r"'),)),
        exchange("/in", b"you", asked=(("Authorization", "Basic c2VjcmV0"),)),
    )
    signed: Headers = (("authorization", "Basic b3RoZXI="),)
    assert [ask(replay, "/in", headers=h).status for h in (signed, (), signed, ())] == [200, 401, 200, 401]


def test_scripts_decide_what_went_before(tmp_path: Path) -> None:
    moves = (
        Move(at="out", path="/account", take=1),
        Move(at="out", method="POST", path="/login", take=1, to="in"),
        Move(at="in", path="/account", take=2),
        Move(at="in", path="/logout", take=1, to="out"),
    )
    rules = Rules(scripts=(Script(name="login", host="site.test", start="out", moves=moves),))
    replay = engine(
        tmp_path / "a",
        exchange("/account", b"please log in", 403),
        exchange("/login", b"welcome", method="POST", sent=b"user=a", asked=FORM),
        exchange("/account", b"yours"),
        exchange("/logout", b"bye"),
        rules=rules,
    )
    assert ask(replay, "/account").status == 403
    assert ask(replay, "/account").status == 403
    assert ask(replay, "/login", "POST", FORM, b"user=b").result == "miss"
    assert ask(replay, "/account").status == 403
    assert ask(replay, "/login", "POST", FORM, b"user=a").level == "scripted"
    assert [ask(replay, "/account").body for _ in range(2)] == [b"yours"] * 2
    ask(replay, "/logout")
    assert ask(replay, "/account").status == 403
    assert ask(replay, "/account", episode="two").status == 403


def test_vary_selects_the_variant(tmp_path: Path) -> None:
    def variant(language: str) -> Headers:
        return (("Vary", "Accept-Language, Accept-Encoding"), ("Content-Language", language))

    replay = engine(
        tmp_path / "a",
        *(exchange("/p", n.encode(), headers=variant(n), asked=(("Accept-Language", n),)) for n in ("en", "fr")),
    )
    for name in ("fr", "en", "fr"):
        assert ask(replay, "/p", headers=(("accept-language", name),)).body == name.encode()
    assert ask(replay, "/p", headers=(("accept-language", "de"),)).result == "miss"


def test_a_rule_merges_addresses_by_pattern(tmp_path: Path) -> None:
    rule = Rule(name="tiles", url=SITE + "/tile/*/map.png", merge=True, keep=("z",))
    replay = engine(tmp_path / "a", exchange("/tile/abc/map.png?z=3&k=1", b"tile"), rules=Rules(rules=(rule,)))
    assert ask(replay, "/tile/xyz/map.png?k=9&z=3").level == "rule"
    assert ask(replay, "/tile/xyz/map.png?z=4").level == "miss"
    assert ask(replay, "/tile/x/y/map.png?z=3").level == "miss"


@pytest.mark.parametrize(("path", "normal"), [("", "/"), ("/%e4%bd", "/%E4%BD"), ("/a b", "/a%20b"), ("/%zz", "/%zz")])
def test_paths_have_one_form(path: str, normal: str) -> None:
    assert normal_path(path) == normal


def test_keys_cannot_be_confused_by_their_parts() -> None:
    one = Request.to(SITE + "/a?b", body=b"")
    other = Request.to(SITE + "/a", body=b"b")
    assert exact_key(one) != exact_key(other)
    assert canonical_key(one, Rules()) != canonical_key(other, Rules())
