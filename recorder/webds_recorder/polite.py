"""How often a live host is asked, over all workers of a run: a ledger of one small locked file a host.

The files lie in the run's folder, so that workers on other machines that share it keep the same limits. A limit is a
schedule: each request takes the next free moment, a burst may run ahead of it (GCRA, ITU-T I.371).
"""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LONGEST = 120.0
"""Seconds that one request is held back at most: a moment further ahead is a clock that was set back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Of one host. `delay`: seconds between pages. `per_minute`: requests of any kind, `burst` of them at once."""

    delay: float = 2.0
    per_minute: float = 240
    burst: int = 80
    robots: str = "respect"
    """respect: a page that robots.txt forbids is not asked for; record: it is, and the log says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """The policy of a host is its own, or that of the site that it lies under, or `default`."""

    default: Policy = field(default_factory=Policy)
    hosts: Mapping[str, Policy] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Policies":
        """From JSON values {"default": {...}, "hosts": {host: {...}}}."""
        hosts = {host: Policy(**{**values["default"], **own}) for host, own in values["hosts"].items()}
        return cls(default=Policy(**values["default"]), hosts=hosts)

    def site(self, host: str) -> str:
        """The name under which a host is counted: the listed site that it lies under, else itself without www."""
        name = bare(host)
        while name:
            if name in self.hosts:
                return name
            name = name.partition(".")[2]
        return bare(host)

    def find(self, host: str) -> Policy:
        """The policy for a host."""
        return self.hosts.get(self.site(host), self.default)


def bare(host: str) -> str:
    """A host without a leading www."""
    return host.lower().rstrip(".").removeprefix("www.")


def next_free(state: Mapping[str, float], kind: str, now: float, interval: float, burst: int) -> tuple[float, float]:
    """(seconds to wait, new state of `kind`): pure. `state` holds the theoretical arrival time of each kind."""
    due = float(state.get(kind, 0.0))
    if due > now + LONGEST + burst * interval:
        due = now
    due = max(due, now)
    wait = max(0.0, due - (burst - 1) * interval - now)
    return min(wait, LONGEST), due + interval


class Ledger:
    """Takes the next moment for a request, in a file that all workers lock. `clock`: seconds since 1970."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._clock = clock

    def turn(self, site: str, policy: Policy, delay: float) -> float:
        """Seconds to wait before an episode may begin on the site: begins are as far apart as pages."""
        return self._take(site, [("turn", max(policy.delay, delay), 1)])

    def take(self, site: str, policy: Policy, delay: float, page: bool) -> float:
        """Seconds to wait before the request may go. `delay` is between pages, at least the policy's."""
        wants = [("any", 60 / policy.per_minute if policy.per_minute else 0.0, policy.burst)]
        return self._take(site, [*wants, *([("page", max(policy.delay, delay), 1)] if page else [])])

    def _take(self, site: str, wants: list[tuple[str, float, int]]) -> float:
        handle = os.open(self._file(site), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            state = _read(handle)
            now, waits = self._clock(), [0.0]
            for kind, interval, burst in wants:
                wait, state[kind] = next_free(state, kind, now, interval, burst)
                waits.append(wait)
            data = json.dumps({"site": site, **state}).encode()
            os.pwrite(handle, data, 0)
            os.ftruncate(handle, len(data))
        finally:
            os.close(handle)
        return max(waits)

    def _file(self, site: str) -> Path:
        return self._folder / f"{hashlib.sha256(site.encode()).hexdigest()[:24]}.json"


def _read(handle: int) -> dict[str, float]:
    try:
        value = json.loads(os.pread(handle, 1 << 16, 0))
    except ValueError:
        return {}
    return {key: float(item) for key, item in value.items() if key in ("any", "page", "turn")}
