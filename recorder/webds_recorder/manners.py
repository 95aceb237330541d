"""Robots.txt and schedule of the live hosts, shared by all workers of a run through files in its folder."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from webds.store import write_atomic
from webds_recorder.crawl import Robots
from webds_recorder.polite import Ledger, Policies, Policy

AGENT = "webds"
"""The name that robots.txt is asked about."""
LONGEST_DELAY = 15.0
"""Seconds of a Crawl-delay that are kept; a longer one would not fit an episode, and is kept as this."""

type Fetch = Callable[[str], Awaitable[tuple[int, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What robots.txt says of a page, under the host's policy."""

    allowed: bool
    policy: Policy


class Manners:
    """`fetch` gets (status, text) of an address; status 0 where there was no answer."""

    def __init__(self, folder: Path, policies: Policies, fetch: Fetch) -> None:
        self.policies = policies
        self._fetch = fetch
        self._ledger = Ledger(folder / "schedule")
        self._shelf = folder / "robots"
        self._shelf.mkdir(parents=True, exist_ok=True)
        self._robots = Robots(AGENT)
        self._locks: dict[str, asyncio.Lock] = {}

    async def asked(self, url: str) -> Asked:
        """What robots.txt of the page's host says. The file is fetched once a run and host."""
        await self._learn(url)
        host = urlsplit(url).hostname or ""
        return Asked(allowed=self._robots.may(url), policy=self.policies.find(host))

    def turn(self, url: str) -> float:
        """Seconds to wait before an episode may begin at this address; its place in the schedule is taken."""
        return self._ledger.turn(*self._terms(url))

    def take(self, url: str, page: bool) -> float:
        """Seconds to wait before a request to this address may go; its place in the schedule is taken."""
        return self._ledger.take(*self._terms(url), page)

    def _terms(self, url: str) -> tuple[str, Policy, float]:
        host = urlsplit(url).hostname or ""
        delay = self._robots.delay(url) if self._robots.knows(url) else 0.0
        return self.policies.site(host), self.policies.find(host), min(delay, LONGEST_DELAY)

    async def _learn(self, url: str) -> None:
        address = Robots.address(url)
        async with self._locks.setdefault(address, asyncio.Lock()):
            if self._robots.knows(url):
                return
            file = self._shelf / f"{hashlib.sha256(address.encode()).hexdigest()[:24]}.json"
            if file.is_file():
                kept = json.loads(file.read_bytes())
                status, text = int(kept["status"]), str(kept["text"])
            else:
                status, text = await self._fetch(address)
                if 200 <= status < 500:
                    row = {"address": address, "status": status, "text": text}
                    write_atomic(file, json.dumps(row, indent=1).encode())
            self._robots.learn(url, status, text)
