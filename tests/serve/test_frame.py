"""The frame through real sockets: what every response carries, and what every request must bring."""

import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from webds.errors import InputFault
from webds.serve import session as sessions
from webds.serve.frame import make_app
from webds.serve.pages import Pages, form_body, json_body
from webds.serve.part import Part, Refusal, Settings
from webds.serve.rates import Buckets, Rate, client_name

PAGES = Pages()


async def page(request: Request) -> Response:
    return PAGES.page(request, "first.html.j2", parts=(), part="toy")


async def form(request: Request) -> Response:
    return PlainTextResponse(str((await form_body(request)).get("word")))


async def data(request: Request) -> Response:
    return PlainTextResponse(str((await json_body(request)).get("word")))


async def upload(request: Request) -> Response:
    return PlainTextResponse(str(sum([len(part) async for part in request.stream()])))


async def enter(request: Request) -> Response:
    sessions.renew(request)
    return PlainTextResponse("in")


def breaks(_: Request) -> Response:
    raise ValueError("secret detail")


def bad(request: Request) -> Response:
    raise InputFault("field x: 3; wanted a word") if request.query_params else Refusal(409, "too late")


def toy(name: str = "toy", rates: Mapping[str, Rate] | None = None) -> Part:
    path = f"/{name}"
    posts = {"form": form, "data": data, "upload": upload, "enter": enter}
    routes = [Route(f"{path}/{word}", does, methods=["POST"]) for word, does in posts.items()]
    routes += [Route(f"{path}/", page), Route(f"{path}/breaks", breaks), Route(f"{path}/bad", bad)]
    return Part(
        name=name, title=name.title(), path=path, routes=routes, bodies={f"{path}/upload": 300_000}, rates=rates or {}
    )


@contextmanager
def served(*parts: Part, settings: Settings | None = None) -> Iterator[httpx.Client]:
    """A server in a thread, and a client that keeps its cookies."""
    listener = socket.create_server(("127.0.0.1", 0))
    app = make_app(parts or (toy(),), settings or Settings())
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", server_header=False, ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", trust_env=False) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def token(client: httpx.Client) -> str:
    found = re.search('name="csrf" content="([0-9a-f]{64})"', client.get("/toy/").text)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with served(settings=Settings(reads=Rate(burst=9999, second=1), writes=Rate(burst=9999, second=1))) as client:
        yield client


@pytest.mark.parametrize("path", ["/toy/", "/static/frame.css", "/nothing", "/toy/breaks", "/toy/bad", "/"])
def test_every_response_carries_the_policy(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "server" not in headers


def test_one_part_is_the_first_page_and_two_are_listed(client: httpx.Client) -> None:
    assert client.get("/").headers["location"] == "/toy/"
    with served(toy(), toy("other")) as two:
        assert 'href="/other/"' in two.get("/").text


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(client: httpx.Client) -> None:
    client.cookies.clear()
    first = client.get("/toy/")
    said = first.headers["set-cookie"]
    assert "HttpOnly" in said
    assert "SameSite=Strict" in said
    assert "set-cookie" not in client.get("/toy/").headers
    assert "set-cookie" not in httpx.get(client.base_url.join("/static/frame.css"), trust_env=False).headers
    assert client.cookies["webds"] not in first.text
    assert sessions.cookie("x" * 43, secure=True).startswith("__Host-webds=")
    assert sessions.cookie("x" * 43, secure=True).endswith("; Secure")


def test_a_change_needs_the_sessions_token(client: httpx.Client) -> None:
    good = token(client)
    assert client.post("/toy/form", data={"word": "a", "csrf": good}).text == "a"
    assert client.post("/toy/data", json={"word": "b"}, headers={"X-CSRF-Token": good}).text == "b"
    for given in ({"word": "a"}, {"word": "a", "csrf": "0" * 64}, {"word": "a", "csrf": "é"}):
        assert client.post("/toy/form", data=given).status_code == 403
    assert client.post("/toy/data", json={"word": "b"}).status_code == 403
    with httpx.Client(base_url=client.base_url, trust_env=False) as stranger:
        assert stranger.post("/toy/form", data={"csrf": good}).status_code == 403
        stranger.get("/toy/")
        assert stranger.post("/toy/form", data={"csrf": good}).status_code == 403


def test_other_sites_pages_are_refused(client: httpx.Client) -> None:
    good = {"X-CSRF-Token": token(client)}
    own = str(client.base_url).rstrip("/")
    assert client.post("/toy/data", json={}, headers={**good, "Origin": own}).status_code == 200
    for foreign in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": own.replace("http:", "https:")},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        assert client.post("/toy/data", json={}, headers={**good, **foreign}).status_code == 403, foreign


def test_a_bearer_without_cookies_needs_no_token(client: httpx.Client) -> None:
    bearer = {"Authorization": "Bearer abc"}
    with httpx.Client(base_url=client.base_url, trust_env=False) as program:
        assert program.post("/toy/upload", content=b"x" * 200_000, headers=bearer).text == "200000"
        assert program.post("/toy/upload", content=b"x", headers=bearer | {"Cookie": "webds=1"}).status_code == 403
        assert program.post("/toy/upload", content=b"x", headers={"Authorization": "Basic abc"}).status_code == 403


def test_entering_changes_the_session(client: httpx.Client) -> None:
    before = token(client)
    old = client.cookies["webds"]
    client.post("/toy/enter", headers={"X-CSRF-Token": before})
    assert client.cookies["webds"] != old
    assert client.post("/toy/data", json={}, headers={"X-CSRF-Token": before}).status_code == 403


@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_are_bounded(client: httpx.Client, chunked: bool) -> None:
    bearer = {"Authorization": "Bearer abc"}

    def body(size: int) -> Iterator[bytes] | bytes:
        return iter([b"x" * 1000] * (size // 1000)) if chunked else b"x" * size

    with httpx.Client(base_url=client.base_url, trust_env=False) as program:
        assert program.post("/toy/upload", content=body(300_000), headers=bearer).text == "300000"
        for path, size in (("/toy/upload", 301_000), ("/toy/data", 70_000)):
            sent = program.post(path, content=body(size), headers=bearer | {"Content-Type": "application/json"})
            assert sent.status_code == 413
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert client.post("/toy/form", content=body(70_000), headers=form).status_code == 413


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::", "localhost.", "127.0.0.2:80"])
def test_only_own_host_names(client: httpx.Client, host: str) -> None:
    assert client.get("/toy/", headers={"Host": host}).status_code == 400
    assert client.get("/toy/", headers={"Host": "localhost:1"}).status_code == 200


def test_rates_bound_each_kind_apart() -> None:
    part = toy(rates={"/toy/enter": Rate(burst=2, second=0.001)})
    with served(part, settings=Settings(reads=Rate(burst=5, second=0.001))) as client:
        good = {"X-CSRF-Token": token(client)}
        entered = [client.post("/toy/enter", headers=good).status_code for _ in range(3)]
        assert entered == [200, 403, 429]
        assert client.post("/toy/data", json={}).status_code == 403
        read = [client.get("/toy/") for _ in range(5)]
        assert [one.status_code for one in read] == [200] * 4 + [429]
        assert int(read[-1].headers["retry-after"]) > 100


def test_buckets_fill_again_and_forget_the_oldest() -> None:
    now = 0.0
    buckets = Buckets(lambda: now, most=2)
    rate = Rate(burst=1, second=0.5)
    assert buckets.take("a", "x", rate) == 0
    assert buckets.take("a", "x", rate) == 2
    now = 1.0
    assert buckets.take("a", "x", rate) == 1
    now = 2.0
    assert buckets.take("a", "x", rate) == 0
    assert [buckets.take(name, "x", rate) for name in "bc"] == [0, 0]
    assert len(buckets._left) == 2
    assert client_name("2001:db8::1") == client_name("2001:db8::2") != client_name("2001:db8:1::1")
    assert client_name("fe80::1%eth0") == "fe80::/64"


def test_faults_are_one_line_without_detail(client: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    broken = client.get("/toy/breaks")
    assert (broken.status_code, "secret" in broken.text) == (500, False)
    assert client.get("/toy/bad?x=1").status_code == 400
    late = client.get("/toy/bad", headers={"Accept": "application/json"})
    assert (late.status_code, late.json()) == (409, {"error": "too late"})
    assert client.post("/toy/data", content=b"[", headers={"X-CSRF-Token": token(client)}).status_code == 415


def test_the_log_has_no_query_and_no_cookie(client: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "webds.serve"):
        client.get("/toy/?key=hidden")
        client.get("/toy/%0d%0ax%C2%85")
    assert "GET /toy/ 200" in caplog.text
    assert "hidden" not in caplog.text
    assert client.cookies["webds"] not in caplog.text
    assert all(message.isprintable() for message in caplog.messages)
