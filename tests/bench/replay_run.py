"""`python -m tests.bench.replay_run [--requests N] [--rounds R] [--pages N] [--bulk]`: one JSON line a figure.

Rounds of pages, and those with --bulk, are interleaved, so that a busy machine slows all front ends alike; CPU is the
server's own, children included.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx
from playwright.async_api import Browser, ProxySettings, async_playwright

from tests.bench import replay_asked
from tests.bench import replay_fronts as fronts
from tests.bench import replay_site as site
from tests.bench.replay_pywb import ca, pywb
from tests.bench.replay_turns import turns
from tests.recorder.rig import trusting
from webds.config import find_chromium
from webds_recorder.proxy import spki_hash

IMPORTS = "from mitmproxy import http, master; from mitmproxy.addons import core, next_layer, proxyserver, tlsconfig"
type Open = Callable[[], AbstractAsyncContextManager[fronts.Front]]


async def ask(front: fronts.Front, paths: list[str], requests: int) -> None:
    """Requests over one kept connection."""
    async with httpx.AsyncClient(proxy=front.proxy, verify=trusting(front.ca), trust_env=False, timeout=60) as client:
        for number in range(requests):
            (await client.get(f"https://{site.HOST}{paths[number % len(paths)]}")).raise_for_status()


def through(front: fronts.Front) -> ProxySettings | None:
    """The browser's proxy: none before the origin."""
    return None if front.name == "origin" else {"server": front.proxy}


async def browse(browser: Browser, front: fronts.Front, pages: int, contexts: int) -> dict[str, float]:
    """Pages a second and the server's CPU milliseconds a page, with several contexts at once."""

    async def one(first: int) -> None:
        context = await browser.new_context(proxy=through(front))
        page = await context.new_page()
        for number in range(first, pages, contexts):
            await page.goto(f"https://{site.HOST}/p{number}/")
            await page.wait_for_function("document.title === 'done'")
        await context.close()

    cpu, wall = front.cpu(), time.perf_counter()
    await asyncio.gather(*(one(n) for n in range(contexts)))
    spent = time.perf_counter() - wall
    return {"pages_s": pages / spent, "cpu_ms_page": (front.cpu() - cpu) * 1000 / pages}


SITE = 40
"""Pages of the site, 12 requests each: of 500 requests most are the first for their address."""
ASKED = ("ours", "bare", "stock")
"""Asked for single requests; pages in Chromium are asked of all but `bare`."""


def fronts_of(folder: Path, archive: Path, pages: int) -> dict[str, Open]:
    """The front ends that this machine has; one line says why one is left out."""
    flows = fronts.flows_of(archive, folder / "flows")
    found: dict[str, Open] = {
        "origin": lambda: fronts.child("origin", fronts.origin(folder, pages), folder / "origin" / "ca"),
        "ours": lambda: fronts.ours(folder, archive),
        "bare": lambda: fronts.child("bare", fronts.bare(folder, archive), folder / "bare" / "ca"),
        "stock": lambda: fronts.child("stock", fronts.stock(folder, flows), folder / "stock"),
    }
    try:
        words = pywb(folder, archive) if pages else []
    except (RuntimeError, OSError) as error:
        fronts.show({"front": "pywb", "left out": str(error)})
        words = []
    if words:
        found["pywb"] = lambda: fronts.child("pywb", words, ca(folder))
    return found


async def compare(folder: Path, requests: int, rounds: int, pages: int) -> None:
    """Requests side by side, then pages on every front end, interleaved."""
    size = max(pages, SITE)
    archive = site.freeze(folder / "site", size)
    opens = fronts_of(folder, archive, pages)
    if requests:
        some = {name: opens[name] for name in ASKED}
        replay_asked.show(await replay_asked.asked(some, list(site.answers(size)), requests))
    opens.pop("bare")
    found: dict[str, list[dict[str, float]]] = {name: [] for name in opens}
    for _ in range(rounds if pages else 0):
        for name, start in opens.items():
            found[name].append(await one_round(start, pages))
        opens = dict(reversed(opens.items()))  # who comes after whom changes, so that nobody keeps a place
    for name, rows in found.items():
        if rows:
            medians = {key: round(statistics.median(row[key] for row in rows), 3) for key in rows[0]}
            fronts.show({"front": name, "rounds": rounds, **medians})
    if pages:
        await turns(archive, pages * rounds, size)


async def one_round(start: Open, pages: int) -> dict[str, float]:
    """What one front end is asked, from start to end."""
    async with start() as front:
        row = await in_chromium(front, pages)
        return {**row, "rss_mb": front.memory(), "ready_s": front.ready}


async def in_chromium(front: fronts.Front, pages: int) -> dict[str, float]:
    """Pages a second at 1 and at 4 contexts."""
    spki = spki_hash(front.ca / "mitmproxy-ca-cert.pem")
    async with async_playwright() as playwright:
        flags = [f"--ignore-certificate-errors-spki-list={spki}", "--no-sandbox", "--disable-dev-shm-usage"]
        if front.name == "pywb":
            # It sends the host's certificate without that of its CA, so a list of known keys has nothing to match.
            flags.append("--ignore-certificate-errors")
        if front.name == "origin":
            flags.append(f"--host-resolver-rules=MAP {site.HOST} 127.0.0.1:{front.port}")
        browser = await playwright.chromium.launch(executable_path=find_chromium(""), args=flags, proxy=through(front))
        row = {}
        for contexts in (1, 4):
            for key, value in (await browse(browser, front, pages, contexts)).items():
                row[f"{key}_{contexts}"] = value
        await browser.close()
    return row


async def bulk(folder: Path, rounds: int) -> None:
    """Ready time and memory with 10 MB and 500 MB, beside the time that importing mitmproxy takes."""
    archives = {"10 MB": site.bulk(folder / "small", 200), "500 MB": site.bulk(folder / "large", 10_000)}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ("import", *archives)}
    for _ in range(rounds):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", IMPORTS], check=True)
        found["import"].append((time.perf_counter() - began, 0.0))
        for name, archive in archives.items():
            async with fronts.ours(folder, archive) as front:
                await ask(front, [f"/bulk/{n}" for n in range(0, 200, 2)], 200)
                found[name].append((front.ready, front.memory()))
    for name, rows in found.items():
        ready, memory = (statistics.median(column) for column in zip(*rows, strict=True))
        fronts.show({"archive": name, "ready_s": round(ready, 3), "rss_mb": round(memory, 1)})


def measure(requests: int, rounds: int, pages: int) -> None:
    """Print the figures of all front ends."""
    with tempfile.TemporaryDirectory(prefix="webds-bench-") as name:
        asyncio.run(compare(Path(name), requests, rounds, pages))


def measure_bulk(rounds: int) -> None:
    """Print ready time and memory by size of the archive."""
    with tempfile.TemporaryDirectory(prefix="webds-bench-") as name:
        asyncio.run(bulk(Path(name), rounds))


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--bulk", action="store_true")
    words = parser.parse_args()
    if words.bulk:
        measure_bulk(words.rounds)
    else:
        measure(words.requests, words.rounds, words.pages)


if __name__ == "__main__":
    main()
