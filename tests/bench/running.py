"""What a run costs beside the model: CPU and memory an episode, episodes a minute, disk a step beside BrowserGym's.

The model is stood for by an agent that waits a fixed time before each act and then does what the task's script does.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.bench.steps import ROOT, SIDES, Side, peer_python, server, version
from tests.e2e.runs import MINI, environment
from webds.config import find_chromium

PLUGINS = Path(__file__).with_name("plugins")
TASKS = "mini-square,mini-hostile"
LATENCY = 2.0
BAR = 0.85
BUSY = 0.9
"""Share of the cores from which on the machine, not the harness, sets the pace."""
STEPS = 10
ROLES = (
    ("chromium", ("/chromium",)),
    ("judge", ("webds_judge",)),
    ("proxy", ("webds_recorder.proxy",)),
    ("sites", ("webds.tracks.entry",)),
    ("driver", ("playwright/driver", "run-driver")),
    ("tools", ("/opt/webds-tools/main.py",)),
    ("worker", ("webds.worker",)),
    ("runner", ("webds", "run")),
)
HARNESS = ("runner", "worker", "judge", "sites", "proxy", "driver")


@dataclass
class Sample:
    """`cpu`: seconds by role; `peak`: megabytes of proportional memory at the highest moment, by role."""

    cpu: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    peak: dict[str, float] = field(default_factory=dict)
    begun: float = 0.0
    """When the first episode began: starting the run is not counted."""
    wall: float = 0.0
    cycles: list[float] = field(default_factory=list)
    """Seconds from the commit of an episode to the commit of the next one in the same slot."""
    episodes: int = 0
    thought: float = 0.0
    acted: float = 0.0
    machine: float = 0.0
    """Share of the machine's cores in use while it ran, by whatever."""

    def of(self, names: tuple[str, ...], table: dict[str, float]) -> float:
        return float(sum(table.get(name, 0.0) for name in names))


def role(words: list[str]) -> str:
    for name, marks in ROLES:
        if any(mark in word for mark in marks for word in words):
            return name
    return "other"


def watch(pid: int, log: Path, stop: threading.Event, sample: Sample) -> None:
    """Look at the process tree four times a second; what a process used after the last look is missed."""
    used: dict[int, tuple[str, float]] = {}
    turn = 0
    while not stop.wait(0.25):
        turn += 1
        if not sample.begun and log.exists():
            sample.begun = time.time()
        held: dict[str, float] = {}
        with suppress(psutil.Error):
            for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
                with suppress(psutil.Error):
                    name, times = role(process.cmdline()), process.cpu_times()
                    used[process.pid] = (name, times.user + times.system)
                    if turn % 4 == 0:
                        held[name] = held.get(name, 0.0) + process.memory_full_info().pss / (1 << 20)
        if sum(held.values()) > sum(sample.peak.values()):
            sample.peak = held
    for name, seconds in used.values():
        sample.cpu[name] += seconds


def run(seconds: float, repeat: int, concurrency: int, folder: Path) -> Sample:
    """One run of the fixture tasks, watched."""
    words = ["--agent", "thinking", "--set", f"agents.thinking.seconds={seconds}", "--tasks", TASKS]
    words += ["--repeat", str(repeat), "--concurrency", str(concurrency), "--out", str(folder)]
    command = [sys.executable, "-m", "webds", "run", "--root", str(MINI), *words]
    sample, stop = Sample(), threading.Event()
    with subprocess.Popen(
        command, env=environment(PYTHONPATH=str(PLUGINS)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        thread = threading.Thread(target=watch, args=(process.pid, folder / "log.jsonl", stop, sample))
        thread.start()
        psutil.cpu_percent()
        code = process.wait()
        sample.machine = psutil.cpu_percent() / 100
        stop.set()
        thread.join()
    assert code == 0, f"exit code {code}"
    ended = {path.parents[1].name: path.stat().st_mtime for path in folder.glob("episodes/*/try-*/evidence.json")}
    sample.wall = max(ended.values()) - sample.begun
    sample.episodes = len(ended)
    sample.cycles = cycles((folder / "log.jsonl").read_text().splitlines(), ended)
    for path in folder.glob("episodes/*/try-*/timings.jsonl"):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        sample.thought += seconds * len(rows)
        sample.acted += sum(row["seconds"] for row in rows)
    return sample


def cycles(log: list[str], ended: dict[str, float]) -> list[float]:
    """What each slot's episodes but the first took, by the order of the log: a slot that commits begins the next one.

    The first of a slot starts cold, and after the last one a slot has no work: neither is the pace of a long run.
    """
    free: list[str] = []
    before: dict[str, str] = {}
    for event in map(json.loads, log):
        key = f"{event['task']}~{event['repeat']}"
        if event["event"] == "start" and free:
            before[key] = free.pop(0)
        elif event["event"] == "commit":
            free.append(key)
    return [ended[key] - ended[last] for key, last in before.items()]


def lines() -> list[str]:
    """The figures, one a line."""
    with tempfile.TemporaryDirectory(prefix="webds-bench-", ignore_cleanup_errors=True) as name:
        return [*cost(Path(name)), *pace(Path(name)), *disk(Path(name))]


def cost(folder: Path) -> list[str]:
    """CPU and memory an episode with a model that takes no time."""
    found = run(0.0, 10, 1, folder / "cost")
    shared = {name: found.cpu[name] / found.episodes for name in (*HARNESS, "chromium", "tools")}
    parts = ", ".join(f"{name} {shared[name]:.2f}" for name in HARNESS)
    ours = sum(shared[name] for name in HARNESS)
    each = f"{found.wall / found.episodes:.2f} s an episode"
    cpu = f"harness {ours:.2f} s ({parts}), Chromium {shared['chromium']:.2f} s, tools {shared['tools']:.2f} s"
    peak = {name: found.peak.get(name, 0.0) for name in ("chromium", "tools")}
    memory = f"harness {found.of(HARNESS, found.peak):.0f} MB, Chromium {peak['chromium']:.0f} MB"
    return [
        f"- zero-latency model, {found.episodes} episodes at concurrency 1: {each}; CPU an episode: {cpu}",
        f"- memory at the highest moment: {memory}, tools {peak['tools']:.0f} MB",
    ]


def pace(folder: Path) -> list[str]:
    """Episodes a minute with a model of LATENCY, by the slots' mean cycle.

    Ideal: every slot's model thinks without a break, and all that webds, browser and sites do takes no time.
    """
    out = []
    cores = len(os.sched_getaffinity(0))
    for slots in (1, 2, 4):
        found = run(LATENCY, 2 + 2 * slots, slots, folder / f"pace-{slots}")
        each, acts = found.thought / found.episodes, found.acted / found.episodes
        cycle = sum(found.cycles) / len(found.cycles)
        got, ideal = slots * 60 / cycle, slots * 60 / each
        ours = sum(found.cpu.values()) / found.wall / cores
        full = found.machine >= BUSY
        verdict = "met" if got >= BAR * ideal else "CPU saturated" if full else "MISSED"
        out.append(
            f"- model of {LATENCY:g} s, concurrency {slots}: {got:.1f} episodes a minute, ideal {ideal:.1f} "
            f"({got / ideal:.0%}; bar {BAR:.0%}: {verdict}); an episode: model {each:.2f} s, acts {acts:.2f} s, rest "
            f"{cycle - each - acts:.2f} s; CPU of {cores} cores: ours {ours:.0%}, the machine's {found.machine:.0%}"
        )
    return out


def disk(folder: Path) -> list[str]:
    """Bytes a step leaves on disk, on the same page with the same clicks."""
    chromium = find_chromium()
    with ExitStack() as stack:
        base = stack.enter_context(server())
        errors = stack.enter_context((folder / "errors").open("wb"))
        ours = Side("webds", [sys.executable, str(SIDES / "ours.py"), chromium, str(folder / "ours")], errors)
        stack.callback(ours.close)
        ours.ask(do="open", url=f"{base}/states")
        before = size(folder / "ours")
        for _ in range(STEPS):
            ours.ask(do="step", link="States")
        each = (size(folder / "ours") - before) / STEPS
        out = [f"- disk a step, {STEPS} clicks on the site page: webds {each:,.0f} bytes"]
        try:
            python = peer_python("BrowserGym-experiments", "browsergym-experiments>=0.14,<0.15", "tqdm")
            words = [
                str(python),
                str(SIDES / "gym_disk.py"),
                chromium,
                f"{base}/states",
                str(folder / "gym"),
                str(STEPS),
            ]
            done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=600)
            if done.returncode:
                raise RuntimeError(done.stderr.strip().splitlines()[-1][:200])
            gym: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
            out.append(
                f"- the same by BrowserGym {version(python, 'browsergym-experiments')} "
                f"(StepInfo.save_step_info): {gym['bytes'] / STEPS:,.0f} bytes"
            )
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
            out.append(f"- left out: BrowserGym's disk: {error}")
    return out


def size(folder: Path) -> int:
    """Bytes of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    began = time.monotonic()
    print("\n".join(lines()))
    print(f"- took {time.monotonic() - began:.0f} s")
