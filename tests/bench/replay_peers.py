"""`python -m tests.bench.replay_peers`: public bugs that can be asked of any replay proxy, stock mitmproxy too.

Prints the table of docs/replay.md. Both get the same exchanges and the same requests, with no origin.
"""

import asyncio
import gzip
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx

from tests.bench import replay_fronts as fronts
from tests.recorder.rig import SITE, exchange, freeze, trusting
from webds_recorder.exchange import Exchange, Headers

type Ask = Callable[[httpx.AsyncClient], Awaitable[bool]]

JSON: Headers = (("Content-Type", "application/json"),)


def kind(boundary: str) -> Headers:
    return (("Content-Type", f"multipart/form-data; boundary={boundary}"),)


def form(boundary: str) -> bytes:
    return f'--{boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--{boundary}--\r\n'.encode()


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
    "B46": ("cookie without its end", cookie),
    "B09": ("HEAD from GET", head),
    "N2": ("credentials change the answer", auth),
}


async def ask(front: fronts.Front) -> dict[str, str]:
    """Each probe in a fresh client."""
    found = {}
    for name, (_, probe) in PROBES.items():
        async with httpx.AsyncClient(
            proxy=front.proxy, verify=trusting(front.ca), trust_env=False, timeout=20
        ) as client:
            try:
                found[name] = "yes" if await probe(client) else "no"
            except httpx.HTTPError as error:
                found[name] = f"no ({type(error).__name__})"
    return found


async def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="webds-peers-") as name:
        folder = Path(name)
        archive = freeze(folder / "a", *EXCHANGES)
        flows = fronts.flows_of(archive, folder / "flows")
        async with fronts.ours(folder, archive) as front:
            ours = await ask(front)
        async with fronts.child("stock", folder, fronts.stock(folder, flows), folder / "stock") as front:
            stock = await ask(front)
    print("| id | asked | webds | stock mitmproxy 12.3.1 server_replay |\n|---|---|---|---|")
    for name, (text, _) in PROBES.items():
        print(f"| {name} | {text} | {ours[name]} | {stock[name]} |")


if __name__ == "__main__":
    asyncio.run(main())
