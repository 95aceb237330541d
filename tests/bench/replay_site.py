"""The site of the replay bench: pages with 13 requests each, about 100 kB, as an archive and as an origin."""

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from webds_recorder.exchange import Exchange, Headers, Request
from webds_recorder.writer import ArchiveWriter, Terms

HOST = "bench.test"
FROZEN = datetime(2022, 6, 24, 12, 0, tzinfo=UTC)
PNG = 6


def answers(pages: int) -> Mapping[str, tuple[str, bytes]]:
    """path -> (content type, body) of the whole site; the same each time."""
    chance = random.Random(7)
    found: dict[str, tuple[str, bytes]] = {}
    for page in range(pages):
        parts = [f"/p{page}/{name}" for name in ("a.css", "a.js", "b.js", "c.js")]
        images = [f"/p{page}/{n}.png" for n in range(PNG)]
        for path in parts:
            kind = "text/css" if path.endswith("css") else "text/javascript"
            found[path] = (kind, b"/*" + chance.randbytes(4000).hex().encode() + b"*/")
        for path in images:
            found[path] = ("image/png", _png(chance))
        found[f"/p{page}/data.json"] = ("application/json", b'{"n": [%s]}' % b",".join(b"1" for _ in range(2000)))
        found[f"/p{page}/"] = ("text/html; charset=utf-8", _html(page, parts, images))
    return found


def _html(page: int, parts: list[str], images: list[str]) -> bytes:
    head = f"<link rel=stylesheet href={parts[0]}>" + "".join(
        f"<script defer src={path}></script>" for path in parts[1:]
    )
    body = "".join(f"<img src={path} width=20 height=20>" for path in images)
    load = f"<script>fetch('/p{page}/data.json').then(r => r.json()).then(() => document.title = 'done')</script>"
    rows = "".join(f"<tr><td>{n}<td>{n * page}" for n in range(300))
    icon = f"<link rel=icon href=/p{page}/0.png?icon>"
    return f"<!doctype html><meta charset=utf-8>{icon}{head}<body>{body}<table>{rows}</table>{load}".encode()


def _png(chance: random.Random) -> bytes:
    """A grey picture of noise, made by hand: 64 by 64 at eight bits."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + chance.randbytes(64) for _ in range(64))
    head = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")


def headers(kind: str) -> Headers:
    return (("Content-Type", kind), ("Cache-Control", "no-store"), ("Access-Control-Allow-Origin", "*"))


def freeze(folder: Path, pages: int) -> Path:
    """The site as an archive."""
    with ArchiveWriter(folder, Terms(site="bench", frozen=FROZEN)) as writer:
        for path, (kind, body) in answers(pages).items():
            for address in (path, f"{path}?icon") if path.endswith("/0.png") else (path,):
                asked = Request.to(f"https://{HOST}{address}")
                writer.add(Exchange(request=asked, status=200, reason="OK", headers=headers(kind), body=body))
        writer.finish({})
    return folder


def bulk(folder: Path, responses: int, size: int = 50_000) -> Path:
    """An archive of many different answers: 200 are 10 MB, 10,000 are 500 MB."""
    chance = random.Random(responses)
    with ArchiveWriter(folder, Terms(site="bulk", frozen=FROZEN)) as writer:
        for number in range(responses):
            asked = Request.to(f"https://{HOST}/bulk/{number}")
            body = chance.randbytes(size)
            kind = headers("application/octet-stream")
            writer.add(Exchange(request=asked, status=200, reason="OK", headers=kind, body=body))
        writer.finish({})
    return folder
