"""Seconds a step for webds, raw Playwright, BrowserGym and browser-use, interleaved, on the same pages and Chromium.

The two peers get a virtual environment each in `.bench/`, made here from the package registry; one that cannot be
made is left out by name with the reason.
"""

import json
import os
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from webds.config import find_chromium

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".bench"
SIDES = Path(__file__).with_name("sides")
ROUNDS = 5
PEERS = {"BrowserGym": ("gym.py", "browsergym-core>=0.14,<0.15"), "browser-use": ("use.py", "browser-use>=0.13,<0.14")}
PAGES = {
    "table 200 x 9": ("/table/200", "Next release"),
    "table 3,000 x 8": ("/table/3000", "Next release"),
    "table 10,000 x 8": ("/table/10000", "Next release"),
    "site page": ("/states", "States"),
}
RESET = "/states"
PAUSE = 4.0
"""An episode lasts longer than this: the next browser is launched ahead meanwhile."""
BARS = {"table 200 x 9": 1.3, "table 3,000 x 8": 1.3, "table 10,000 x 8": 1.5}
RESET_BAR = 1.2
BYTES_BAR = 20_000
STEP_SECONDS = 240
"""A step that takes longer is given up."""
SLOW_SECONDS = 40
"""After a step that took longer than this, a contender gets no further round on that page."""


class Side:
    """One contender as a process."""

    def __init__(self, name: str, argv: Sequence[str], errors: IO[bytes]) -> None:
        self.name = name
        self._argv = argv
        self._errors = errors
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, cwd=ROOT
        )
        self._answer()

    def ask(self, **words: str) -> dict[str, Any]:
        """One command. RuntimeError with the reason if it failed."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise RuntimeError(f"{self.name}: {answer['error']}")
        return answer

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        if not select.select([self._process.stdout], [], [], STEP_SECONDS)[0]:
            self._process.kill()
            self._process.wait()
            self._start()
            raise RuntimeError(f"{self.name}: no answer within {STEP_SECONDS} s; started anew")
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name}: ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()


@dataclass
class Found:
    """`seconds` and `text` by page and contender; versions; why a contender is missing."""

    seconds: dict[str, dict[str, list[float]]]
    text: dict[str, dict[str, tuple[int, int]]]
    reset: dict[str, list[float]]
    versions: dict[str, str]
    missing: dict[str, str]


@contextmanager
def server() -> Iterator[str]:
    """Address of the pages."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "tests.bench.pages", str(port)], cwd=ROOT)
    base = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{base}/table/200").close()
                break
            except urllib.error.URLError:
                process.poll()
        yield base
    finally:
        process.kill()
        process.wait()


def peer_python(name: str, *requirements: str) -> Path:
    """The interpreter of a peer's environment, made if need be. RuntimeError with the reason where that fails."""
    folder = CACHE / name
    python = folder / "bin" / "python"
    done = folder / "ready"
    if not done.exists():
        CACHE.mkdir(exist_ok=True)
        (CACHE / ".gitignore").write_text("*\n")
        venv.create(folder, with_pip=True)
        made = subprocess.run([python, "-m", "pip", "install", "-q", *requirements], capture_output=True, text=True)
        if made.returncode:
            raise RuntimeError(
                f"{' '.join(requirements)} could not be installed: {made.stderr.strip().splitlines()[-1][:200]}"
            )
        done.touch()
    return python


def version(python: str | Path, package: str) -> str:
    words = [str(python), "-c", f"import importlib.metadata as m; print(m.version({package!r}))"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def contenders(stack: ExitStack, chromium: str, found: Found) -> list[Side]:
    scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="webds-bench-", ignore_cleanup_errors=True))
    errors = stack.enter_context((Path(scratch) / "errors").open("wb"))
    sides = [
        Side("raw Playwright", [sys.executable, str(SIDES / "raw.py"), chromium], errors),
        Side("webds", [sys.executable, str(SIDES / "ours.py"), chromium, scratch], errors),
    ]
    found.versions |= {"Playwright": version(sys.executable, "playwright"), "webds": version(sys.executable, "webds")}
    for name, (script, requirement) in PEERS.items():
        try:
            python = peer_python(name, requirement)
            sides.append(Side(name, [str(python), str(SIDES / script), chromium], errors))
            found.versions[name] = version(python, requirement.partition(">")[0])
        except (RuntimeError, OSError) as error:
            found.missing[name] = str(error)
    for side in sides:
        stack.callback(side.close)
    return sides


def measure(rounds: int = ROUNDS, only: Sequence[str] = ()) -> Found:
    """Every contender on every page, one round after another; one round first that is not counted."""
    found = Found({}, {}, {}, {}, {})
    chromium = find_chromium()
    real = Path("/usr/lib/chromium/chromium")
    told = subprocess.run([str(real) if real.exists() else chromium, "--version"], capture_output=True, text=True)
    found.versions["Chromium"] = told.stdout.strip()
    with ExitStack() as stack:
        base = stack.enter_context(server())
        sides = contenders(stack, chromium, found)
        for page, (path, link) in PAGES.items():
            if only and page not in only:
                continue
            _page(found, sides, page, base + path, link, rounds)
        for turn in range(rounds + 1):
            for side in sides[:2]:
                side.ask(do="step", link="States")
                time.sleep(PAUSE)
                spent = side.ask(do="reset", url=base + RESET)["seconds"]
                if turn:
                    found.reset.setdefault(side.name, []).append(spent)
    return found


def _page(found: Found, sides: Sequence[Side], page: str, url: str, link: str, rounds: int) -> None:
    out: set[str] = set()
    for turn in range(rounds + 1):
        for side in sides:
            if side.name in out:
                continue
            try:
                if turn == 0:
                    side.ask(do="open", url=url)
                answer = side.ask(do="step", link=link)
            except RuntimeError as error:
                out.add(side.name)
                found.missing[f"{side.name} on {page}"] = str(error)
                continue
            if answer["seconds"] > SLOW_SECONDS:
                out.add(side.name)
                found.missing[f"further rounds of {side.name} on {page}"] = f"one took {answer['seconds']:.0f} s"
            if turn or side.name in out:
                found.seconds.setdefault(page, {}).setdefault(side.name, []).append(answer["seconds"])
                found.text.setdefault(page, {})[side.name] = (answer["chars"], answer["bytes"])


def lines(found: Found) -> list[str]:
    """The figures as a Markdown table, and each bar with what was measured against it."""
    names = ["raw Playwright", "webds", *PEERS]
    out = [
        "| page | " + " | ".join(f"{name}: s" for name in names) + " | webds/raw | characters: "
        + ", ".join(names[1:]) + " |",
        "|---|" + "---|" * (len(names) + 2),
    ]  # fmt: skip
    for page, seconds in found.seconds.items():
        middle = {name: statistics.median(taken) for name, taken in seconds.items()}
        ratio = middle["webds"] / middle["raw Playwright"]
        cells = [f"{middle[name]:.3f}" if name in middle else "failed" for name in names]
        chars = ", ".join(f"{found.text[page][n][0]:,}" if n in middle else "-" for n in names[1:])
        out.append(f"| {page} | {' | '.join(cells)} | {ratio:.2f} | {chars} |")
    if len(found.reset) == 2:
        raw, ours = (statistics.median(found.reset[name]) for name in ("raw Playwright", "webds"))
        out.append(f"| reset to the first look | {raw:.3f} | {ours:.3f} | - | - | {ours / raw:.2f} | - |")
    return [*out, "", *verdicts(found)]


def ratios(found: Found) -> dict[str, float]:
    """webds over raw Playwright by page; `reset` too."""
    middle = {p: {n: statistics.median(t) for n, t in taken.items()} for p, taken in found.seconds.items()}
    of = {page: names["webds"] / names["raw Playwright"] for page, names in middle.items()}
    if len(found.reset) == 2:
        of["reset"] = statistics.median(found.reset["webds"]) / statistics.median(found.reset["raw Playwright"])
    return of


def verdicts(found: Found) -> list[str]:
    """Each bar: met or missed."""
    bars: Mapping[str, float] = {**BARS, "reset": RESET_BAR}
    out = [
        f"- {name}: {ratio:.2f} x raw Playwright, bar {bars[name]}: {'met' if ratio <= bars[name] else 'MISSED'}"
        for name, ratio in ratios(found).items()
        if name in bars
    ]
    most = max((sizes["webds"][1] for sizes in found.text.values() if "webds" in sizes), default=0)
    out.append(f"- largest text: {most:,} bytes, bar {BYTES_BAR:,}: {'met' if most < BYTES_BAR else 'MISSED'}")
    out += [f"- left out: {name}: {why}" for name, why in found.missing.items()]
    out.append("- " + ", ".join(f"{name} {number}" for name, number in found.versions.items()))
    out.append(f"- cores {len(os.sched_getaffinity(0))}, load {os.getloadavg()[0]:.1f}")
    return out


if __name__ == "__main__":
    print("\n".join(lines(measure())))
