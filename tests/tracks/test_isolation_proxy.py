"""The proxy's listener, met by programs that are no browser, from inside the World's network: nothing goes upstream."""

import json
from pathlib import Path

import pytest

from tests.tracks.hostile import canary, episode
from webds.tracks.world import namespaces

LEVEL = "none" if namespaces() else "namespace"

RAW = """
import json, socket, sys
host, port, texts = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
met = []
for parts in texts:
    plug = socket.create_connection((host, port), 10)
    plug.settimeout(10)
    got = b''
    try:
        for part in parts:
            plug.sendall(part.encode('latin-1'))
            got += plug.recv(65536)
        plug.shutdown(socket.SHUT_WR)
        while data := plug.recv(65536):
            got += data
    except (ConnectionError, TimeoutError) as error:
        got += type(error).__name__.encode()
    met.append(got.decode('latin-1'))
    plug.close()
print(json.dumps(met))
"""
GARBAGE = "\x00\x03\x00\x54\x21\x12\xa4\x42 not HTTP, not TLS \xff\xfe\r\n\r\n"

SIXTY = """
import asyncio, ssl, sys
host, port = sys.argv[1], int(sys.argv[2])
trust = ssl.create_default_context()
trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
async def one(number):
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b'CONNECT hostile.test:443 HTTP/1.1\\r\\nHost: hostile.test:443\\r\\n\\r\\n')
    await reader.readuntil(b'\\r\\n\\r\\n')
    await writer.start_tls(trust, server_hostname='hostile.test')
    writer.write(f'GET /part?n={number} HTTP/1.1\\r\\nHost: hostile.test\\r\\nConnection: close\\r\\n\\r\\n'.encode())
    data = await reader.read()
    writer.close()
    return int(data.rpartition(b'\\r\\n')[2])
async def main():
    async with asyncio.timeout(40):
        print(sum(await asyncio.gather(*(one(n) for n in range(60)))))
asyncio.run(main())
"""

# Ports that listen in the World's namespace, from the kernel's own table, and what each says to a request that slipped.
DIRECT = """
import json, socket
met = {}
for line in open('/proc/net/tcp').readlines()[1:]:
    words = line.split()
    address, port = words[1].split(':')
    if words[3] != '0A':
        continue
    host = socket.inet_ntoa(bytes.fromhex(address)[::-1])
    with socket.create_connection((host, int(port, 16)), 10) as plug:
        plug.settimeout(10)
        plug.sendall(b'GET / HTTP/1.1\\r\\nHost: hostile.test\\r\\nX-Webds-Token: guess\\r\\n\\r\\n')
        met[f'{host}:{int(port, 16)}'] = plug.recv(65536).decode('latin-1')
print(json.dumps(met))
"""


async def test_connect_with_garbage_ends_at_the_proxy(tmp_path: Path) -> None:
    """B04: stock replay relays what follows a CONNECT if it is no HTTP. The canary would hear a byte of it."""
    async with episode(tmp_path, LEVEL) as place, canary(place):
        local, foreign = f"127.0.0.1:{place.port}", "turn.foreign.example:3478"
        texts = [
            [f"CONNECT {local} HTTP/1.1\r\nHost: {local}\r\n\r\n", GARBAGE],
            [f"CONNECT {foreign} HTTP/1.1\r\nHost: {foreign}\r\n\r\n", GARBAGE],
            [f"CONNECT hostile.test:443 HTTP/1.1\r\nHost: {local}\r\n\r\n", GARBAGE],
            [GARBAGE],
            [f"GET http://{local}/x HTTP/1.1\r\nHost: hostile.test\r\nConnection: close\r\n\r\n"],
            [f"GET http://hostile.test/seen HTTP/1.1\r\nHost: {local}\r\nConnection: close\r\n\r\n"],
            [f"GET /x HTTP/1.1\r\nHost: {local}\r\nConnection: close\r\n\r\n"],
            [f"OPTIONS * HTTP/1.1\r\nHost: {local}\r\nConnection: close\r\n\r\n"],
        ]
        met = json.loads(await place.inside(RAW, *place.proxy(), json.dumps(texts)))
        rows = place.rows()
    assert place.canary == [], (place.canary, met)
    assert not [row for row in rows if row["outcome"] == "served" and local in row["url"]]
    tunnels = {row["url"] for row in rows if row["outcome"] == "blocked" and row["method"] == "CONNECT"}
    assert {local, foreign} <= tunnels
    assert f"http://{local}/x" in {row["url"] for row in rows if row["outcome"] == "blocked"}


async def test_forged_headers_do_not_reach_the_site(tmp_path: Path) -> None:
    head = "GET http://hostile.test/seen HTTP/1.1\r\nHost: hostile.test\r\nConnection: close\r\n"
    forged = "X-Webds-Token: a\r\nx-webds-scheme: https\r\nX-WEBDS-EPISODE: other~0/1\r\nX-Webds-Other: b\r\n"
    async with episode(tmp_path, LEVEL) as place:
        (met,) = json.loads(await place.inside(RAW, *place.proxy(), json.dumps([[f"{head}{forged}\r\n"]])))
        (row,) = place.rows()
    # A forged scheme of https would have got the page; the true one is http, which is sent to https.
    assert met.startswith("HTTP/1.1 301")
    assert "x-webds-token" not in met.lower()
    assert row["forged"] == ["x-webds-episode", "x-webds-other", "x-webds-scheme", "x-webds-token"]


@pytest.mark.skipif(LEVEL == "none", reason=f"no namespace: {namespaces()}")
async def test_what_slips_past_the_proxy_meets_a_closed_door(tmp_path: Path) -> None:
    """Only the World's own services listen on that loopback, and none answers without the proxy's token."""
    async with episode(tmp_path, LEVEL) as place:
        met = json.loads(await place.inside(DIRECT))
        host, port = place.proxy()
    assert met.pop(f"{host}:{port}").split()[1] == "301"  # the listener answers as it does for the browser, and logs it
    assert met
    assert {said.split()[1] for said in met.values()} == {"403"}, met


async def test_sixty_connections_at_once_do_not_dead_lock(tmp_path: Path) -> None:
    """N1: a hook that points requests elsewhere has dead-locked mitmproxy. Each of these has its own connection."""
    async with episode(tmp_path, LEVEL) as place:
        assert await place.inside(SIXTY, *place.proxy()) == f"{sum(range(60))}\n"
        rows = place.rows()
    assert len([row for row in rows if row["status"] == 200]) == 60
