"""Kills parts of a run at seeded random moments, and keeps count."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.e2e.runs import MINI, environment

KINDS = ("runner", "worker", "chromium", "proxy")
MOST = 2
"""INFRA tries that an episode may have before nothing of its slot is killed: a third would be its own fault."""


@dataclass
class Chaos:
    """One run under attack. `temporary` is its place for temporary files, which tells its processes."""

    run: Path
    temporary: Path
    words: list[str]
    chance: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    misses: int = 0
    starts: int = 0

    def start(self) -> "subprocess.Popen[bytes]":
        """Begin the run, or go on with it."""
        self.starts += 1
        go_on = (
            ["--resume", str(self.run)] if (self.run / "run.json").exists() else ["--out", str(self.run), *self.words]
        )
        command = [sys.executable, "-m", "webds", "run", "--root", str(MINI), *go_on]
        log = (self.temporary.parent / "chaos.log").open("ab")
        with log:
            return subprocess.Popen(command, env=environment(TMPDIR=str(self.temporary)), stdout=log, stderr=log)

    def go(self, wanted: int) -> int:
        """Run to the end with `wanted` kills on the way; the last exit code."""
        process = self.start()
        while sum(self.kills.values()) < wanted and process.poll() is None:
            self._wait(self.chance.uniform(1.0, 6.0), process)
            if process.poll() is None and self._strike(process):
                process.wait()
                process = self.start()
        return process.wait()

    def _wait(self, seconds: float, process: "subprocess.Popen[bytes]") -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)

    def _strike(self, process: "subprocess.Popen[bytes]") -> bool:
        """Kill something; whether it was the runner."""
        kind = self.chance.choice(KINDS)
        if kind == "runner":
            if not (self.run / "run.json").exists():
                return False
            self.kills[kind] += 1
            os.kill(process.pid, signal.SIGKILL)
            return True
        hit = [] if self._near_the_limit() else self._living(process.pid, kind)
        if not hit:
            self.misses += 1
            return False
        with contextlib.suppress(psutil.Error):
            self.chance.choice(hit).kill()
            self.kills[kind] += 1
        return False

    def _near_the_limit(self) -> bool:
        """Whether one more kill might be the third on one episode: a browser launched ahead is of the next one."""
        return any(count >= MOST for count in self.broken().values())

    def broken(self) -> Counter[tuple[str, int]]:
        """INFRA tries of each episode that is not over yet, a kill that has not told yet apart."""
        found: Counter[tuple[str, int]] = Counter()
        for event in _events(self.run):
            key = (event.get("task", ""), event.get("repeat", 0))
            if event["event"] == "commit":
                if event["ending"] == "infra":
                    found[key] += 1
                else:
                    found.pop(key, None)
        return found

    def _living(self, pid: int, kind: str) -> list[psutil.Process]:
        found = []
        for process in psutil.Process(pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if is_kind(kind, process.cmdline()):
                    found.append(process)
        return sorted(found, key=lambda each: int(each.pid))


def is_kind(kind: str, words: list[str]) -> bool:
    """Whether a command line is a worker's, a proxy's, or that of a Chromium's first process."""
    if kind == "chromium":
        return bool(words) and words[0].endswith("/chromium") and not any(word.startswith("--type=") for word in words)
    return {"worker": "webds.worker", "proxy": "webds_recorder.proxy"}[kind] in words


def _events(run: Path) -> list[dict[str, Any]]:
    """Events of the log so far; a line that is being written is left for the next look."""
    path = run / "log.jsonl"
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def mounts(*places: Path) -> set[str]:
    """What is mounted in these folders, as this process sees it; elsewhere others mount and unmount as they like."""
    found = {line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()}
    return {point for point in found if any(Path(point).is_relative_to(place) for place in places)}


def clock() -> float:
    """Seconds, for the figures."""
    return time.monotonic()
