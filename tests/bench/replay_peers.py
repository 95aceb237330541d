"""`python -m tests.bench.replay_peers`: public bugs that can be asked of any replay: mitmproxy's, pywb's, Playwright's.

Prints the table of docs/replay.md. All get the same exchanges and the same requests, with no origin.
"""

import asyncio
import gzip
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx
from playwright.async_api import async_playwright

from tests.bench import replay_fronts as fronts
from tests.bench.replay_har import CANNOT, har_client, write_har
from tests.bench.replay_leaks import LEAKS, leaks
from tests.bench.replay_pywb import ca, pywb
from tests.recorder.rig import SITE, exchange, freeze, trusting
from webds.config import find_chromium
from webds_recorder.exchange import Exchange, Headers

type Ask = Callable[[httpx.AsyncClient], Awaitable[bool]]

HAR = "Playwright 1.65.2 routeFromHAR"
JSON: Headers = (("Content-Type", "application/json"),)
MANY: Headers = (
    ("Content-Type", "text/plain"),
    *(("Set-Cookie", f"{name}=1") for name in "zyx"),
    *(("Link", f"</{name}.css>; rel=preload") for name in "zyx"),
    *(("Content-Security-Policy", f"{name}-src 'self'") for name in ("script", "default")),
)


def kind(boundary: str) -> Headers:
    return (("Content-Type", f"multipart/form-data; boundary={boundary}"),)


def form(boundary: str) -> bytes:
    return f'--{boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--{boundary}--\r\n'.encode()


def operation(name: bytes, *, turned: bool = False) -> bytes:
    parts = [b'"operationName":"%s"' % name, b'"variables":{"state":"OH","year":1999}']
    return b"{%s}" % b",".join(reversed(parts) if turned else parts)


EXCHANGES: list[Exchange] = [
    *(exchange("/feed", text) for text in (b"1", b"2", b"3")),
    exchange("/s", status=302, headers=(("Location", "/s"), ("Set-Cookie", "seen=1"))),
    exchange("/s", b"in", asked=(("Cookie", "seen=1"),)),
    exchange("/q?a=1&b=2", b"q"),
    exchange("/up", b"up", method="POST", asked=kind("AAA"), sent=form("AAA")),
    exchange("/j", b"j", method="POST", asked=JSON, sent=b'{"a":1,"b":2}'),
    exchange("/v", bytes(n % 251 for n in range(1000))),
    exchange(
        "/z", gzip.compress(b"plain", mtime=0), headers=(("Content-Type", "text/plain"), ("Content-Encoding", "gzip"))
    ),
    exchange("/caf%c3%a9", b"cafe"),
    exchange("/api", b"{}", headers=JSON),
    exchange("/dated", b"d", headers=(("Set-Cookie", "a=1; Max-Age=60"),)),
    exchange("/in", b"who", 401, (("WWW-Authenticate", "Basic"),)),
    exchange("/in", b"you", asked=(("Authorization", "Basic x"),)),
    exchange("/safe", b"over https"),
    exchange("http://site.test/safe", b"over http"),
    exchange("/list", b"a"),
    exchange("/item", b"", 204, method="POST", asked=JSON, sent=b'"b"'),
    exchange("/list", b"a b"),
    exchange("/item", b"", 204, method="DELETE"),
    exchange("/list", b"a again"),
    *(exchange("/graphql", name, method="POST", asked=JSON, sent=operation(name)) for name in (b"First", b"Second")),
    *(exchange("/same", method.encode(), method=method) for method in ("GET", "POST", "PUT")),
    exchange("/many", b"m", headers=MANY),
]


async def feed(client: httpx.AsyncClient) -> bool:
    return [(await client.get(SITE + "/feed")).text for _ in range(4)] == ["1", "2", "3", "3"]


async def redirect(client: httpx.AsyncClient) -> bool:
    return (await client.get(SITE + "/s", follow_redirects=True)).text == "in"


async def query(client: httpx.AsyncClient) -> bool:
    return (await client.get(SITE + "/q?b=2&a=1&_=17")).text == "q"


async def boundary(client: httpx.AsyncClient) -> bool:
    return (await client.post(SITE + "/up", headers=dict(kind("BBB")), content=form("BBB"))).text == "up"


async def keys(client: httpx.AsyncClient) -> bool:
    return (await client.post(SITE + "/j", headers=dict(JSON), content=b'{"b":2,"a":1}')).text == "j"


async def part(client: httpx.AsyncClient) -> bool:
    got = await client.get(SITE + "/v", headers={"range": "bytes=500-599"})
    return got.status_code == 206 and len(got.content) == 100


async def coding(client: httpx.AsyncClient) -> bool:
    got = await client.get(SITE + "/z", headers={"accept-encoding": "identity"})
    return "content-encoding" not in got.headers and got.text == "plain"


async def path(client: httpx.AsyncClient) -> bool:
    return (await client.get(SITE + "/caf%C3%A9")).text == "cafe"


async def preflight(client: httpx.AsyncClient) -> bool:
    asked = {"origin": "https://o.test", "access-control-request-method": "GET"}
    return (await client.options(SITE + "/api", headers=asked)).headers.get("access-control-allow-origin") is not None


async def cookie(client: httpx.AsyncClient) -> bool:
    return "max-age" not in (await client.get(SITE + "/dated")).headers.get("set-cookie", "max-age").lower()


async def head(client: httpx.AsyncClient) -> bool:
    got = await client.head(SITE + "/v")
    return got.status_code == 200 and got.headers.get("content-length") == "1000"


async def auth(client: httpx.AsyncClient) -> bool:
    first = (await client.get(SITE + "/in", headers={"authorization": "Basic y"})).text
    return [first, (await client.get(SITE + "/in")).text] == ["you", "who"]


async def schemes(client: httpx.AsyncClient) -> bool:
    texts = [(await client.get(f"{scheme}://site.test/safe")).text for scheme in ("http", "https")]
    return texts == ["over http", "over https"]


async def state(client: httpx.AsyncClient) -> bool:
    texts = [(await client.get(SITE + "/list")).text]
    for method, sent in (("POST", b'"b"'), ("DELETE", b"")):
        await client.request(method, SITE + "/item", headers=dict(JSON) if sent else {}, content=sent)
        texts.append((await client.get(SITE + "/list")).text)
    return texts == ["a", "a b", "a again"]


async def graphql(client: httpx.AsyncClient) -> bool:
    asked = [(name, turned) for turned in (True, False) for name in (b"Second", b"First")]
    texts = [
        (await client.post(SITE + "/graphql", headers=dict(JSON), content=operation(name, turned=turned))).text
        for name, turned in asked
    ]
    return texts == [name.decode() for name, _ in asked]


async def methods(client: httpx.AsyncClient) -> bool:
    names = ["PUT", "GET", "POST"]
    return [(await client.request(name, SITE + "/same")).text for name in names] == names


async def repeated(client: httpx.AsyncClient) -> bool:
    got = (await client.get(SITE + "/many")).headers
    cookies = [text.partition("=")[0] for text in got.get_list("set-cookie")]
    others = [(name, text) for name, text in MANY if name in ("Link", "Content-Security-Policy")]
    found = [(name, text) for name in ("Link", "Content-Security-Policy") for text in got.get_list(name.lower())]
    return cookies == list("zyx") and found == others


async def plain(client: httpx.AsyncClient) -> bool:
    return (await client.get(SITE + "/q?a=1&b=2")).text == "q"


PROBES: dict[str, tuple[str, Ask]] = {
    "-": ("the same request again (the test can pass)", plain),
    "B02": ("several captures: 1, 2, 3, 3", feed),
    "B03": ("redirect to itself ends", redirect),
    "B12": ("query order, cache-buster", query),
    "B20": ("multipart boundary", boundary),
    "B28": ("JSON key order", keys),
    "B30": ("range out of a whole answer", part),
    "B32": ("coding that the client does not take", coding),
    "B40": ("escapes of a path", path),
    "B41": ("preflight never captured", preflight),
    "B13": ("one path under both schemes", schemes),
    "B19": ("a list that changes: add, list, delete, list", state),
    "B29": ("GraphQL told apart by its body, keys in any order", graphql),
    "B52": ("one address, three methods", methods),
    "B54": ("repeated headers, all and in order", repeated),
    "B46": ("cookie without its end", cookie),
    "B09": ("HEAD from GET", head),
    "N2": ("credentials change the answer", auth),
}


async def asked(probe: Ask, opened: AbstractAsyncContextManager[httpx.AsyncClient]) -> str:
    """One probe with a fresh client, as a cell of the table."""
    async with opened as client:
        try:
            return "yes" if await probe(client) else "no"
        except httpx.HTTPError as error:
            return f"no ({type(error).__name__})"


async def ask(front: fronts.Front) -> dict[str, str]:
    """Each probe through a proxy."""

    def client() -> httpx.AsyncClient:
        return httpx.AsyncClient(proxy=front.proxy, verify=trusting(front.ca), trust_env=False, timeout=20)

    return {name: await asked(probe, client()) for name, (_, probe) in PROBES.items()}


async def ask_har(folder: Path) -> dict[str, str]:
    """Each probe that a page can send, by fetch under routeFromHAR."""
    har = write_har(EXCHANGES, folder / "peers.har")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(""), args=["--no-sandbox"])
        found = dict.fromkeys(CANNOT, "not asked")
        for name, (_, probe) in PROBES.items():
            if name not in CANNOT:
                found[name] = await asked(probe, har_client(browser, har, SITE + "/q?a=1&b=2"))
        await browser.close()
    return found


async def ask_pywb(folder: Path, archive: Path) -> dict[str, str]:
    """Each probe through pywb's proxy mode; "not here" where it cannot be had."""
    try:
        words = pywb(folder, archive)
    except (RuntimeError, OSError) as error:
        print(f"pywb left out: {error}", file=sys.stderr)
        return dict.fromkeys(PROBES, "not here")
    async with fronts.child("pywb", words, ca(folder)) as front:
        return await ask(front)


async def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="webds-peers-") as name:
        folder = Path(name)
        archive = freeze(folder / "a", *EXCHANGES)
        flows = fronts.flows_of(archive, folder / "flows")
        async with fronts.ours(folder, archive) as front:
            columns = [await ask(front)]
        async with fronts.child("stock", fronts.stock(folder, flows), folder / "stock") as front:
            columns.append(await ask(front))
        columns += [await ask_pywb(folder, archive), await ask_har(folder)]
        lost = await leaks(folder)
    heads = ("id", "asked", "webds", "stock mitmproxy 12.3.1 server_replay", "pywb 2.10.0 proxy mode", HAR)
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for name, (text, _) in PROBES.items():
        print(f"| {' | '.join((name, text, *(column[name] for column in columns)))} |")
    for name, text in LEAKS.items():
        print(f"| {' | '.join((name, text, *lost[name]))} |")


if __name__ == "__main__":
    asyncio.run(main())
