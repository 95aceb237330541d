"""Two agents, three easy tasks, two seeds on the small model; and what came of it, as a table.

    python -m tests.small_model.table             # runs what is missing, prints the table
    python -m tests.small_model.table --show      # only prints it

A run is a folder `<agent>-<seed>` under .llm/runs; one that was broken off goes on where it stopped.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from tests.small_model.place import HOME, ROOT, Unavailable
from tests.small_model.server import MODEL, serving
from webds.files import read_lines

RUNS = HOME / "runs"
SEEDS = (1, 2)
TASKS = ("contagion-ledger-mississippi-silence", "fever-line-list-four-counties", "matchday-archive-undated-four")
STEPS, SECONDS = 6, 280
"""An episode's budget here; the benchmark's own is 30 steps or more."""
_ENDPOINT: dict[str, Any] = {
    "model": MODEL,
    "temperature": 0.3,
    "max_tokens": 400,  # a free field without a length is written on until the time is up
    "first": SECONDS,
    "whole": SECONDS,
    "retries": 0,
}
_SYSTEM = (
    "You drive a web browser to answer a question from a website. Elements that you can act on have a number in [ ]. "
    "If the answer stands on the page, use the action done with it. Otherwise click the link that leads to it."
)
AGENTS: dict[str, dict[str, Any]] = {
    "llm": {**_ENDPOINT, "profile": "small"},
    "browser-use": {**_ENDPOINT, "flash": True, "system": _SYSTEM, "tools": [], "step_seconds": SECONDS},
}
RATES = {"input": 1.0, "cached_input": 0.5, "cache_write": 1.0, "output": 2.0}
"""Dollars a million tokens: no one's offer, but prices that a bill can be checked by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One episode that has ended. `read` and `wrote` are tokens; `folder` is that of its last try; `seconds` are those
    from its first request to its evidence, the model's among them."""

    agent: str
    seed: int
    task: str
    ending: str
    outcome: str
    steps: int
    calls: int
    read: int
    wrote: int
    seconds: float
    folder: Path


def task_file(folder: Path) -> Path:
    """The three tasks as the checkout has them but for the budget; their keys lie beside, for the judge."""
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [{**row, "budget": {"steps": STEPS, "seconds": SECONDS}} for row in _chosen("task", "id")]
    for kind, rows in (("task", tasks), ("key", _chosen("key", "task"))):
        (folder / f"{kind}s.toml").write_text(tomlkit.dumps({kind: rows}), encoding="utf-8")
    return folder / "tasks.toml"


def _chosen(kind: str, field: str) -> list[dict[str, Any]]:
    files = sorted((ROOT / "tasks_public").glob(f"*/{kind}s.toml"))
    rows = [row for file in files for row in tomlkit.parse(file.read_text(encoding="utf-8")).unwrap().get(kind, ())]
    return [row for row in rows if row[field] in TASKS]


def price_file(file: Path) -> Path:
    """A price table for the model."""
    table = {"version": "test", "source": "made for this test", "models": {MODEL: RATES}}
    file.write_text(tomlkit.dumps(table), encoding="utf-8")
    return file


def go(agent: str, seed: int, address: str, runs: Path = RUNS) -> Path:
    """One run, begun or gone on with, at low priority; its folder. Raises CalledProcessError where it did not end."""
    folder = runs / f"{agent}-{seed}"
    words = ["--resume", str(folder)]
    if not (folder / "run.json").is_file():
        own = {"base_url": f"{address}/v1", "seed": seed, "prices": str(price_file(runs / "prices.toml"))}
        sets = [f"agents.{agent}.{name}={json.dumps(value)}" for name, value in {**AGENTS[agent], **own}.items()]
        words = ["--out", str(folder), "--agent", agent, "--tasks", str(task_file(runs / "tasks"))]
        words += [word for text in sets for word in ("--set", text)]
    subprocess.run(["nice", "-n", "5", sys.executable, "-m", "webds", "run", "--root", str(ROOT), *words], check=True)
    return folder


def port(runs: Path = RUNS) -> int:
    """The server's port in runs that were begun before: what is gone on with asks the address it began with. Else 0."""
    for file in runs.glob("*/run.json"):
        agents = json.loads(file.read_text(encoding="utf-8"))["config"]["agents"]
        return int(next(iter(agents.values()))["base_url"].rpartition(":")[2].partition("/")[0])
    return 0


def rows(folder: Path) -> Iterator[Row]:
    """The episodes of one run that have ended."""
    agent, _, seed = folder.name.rpartition("-")
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    for row in results["episodes"]:
        tries = (folder / "episodes" / f"{row['task']}~{row['repeat']}").glob("try-*/evidence.json")
        last = max(tries, default=None)
        if last is None:
            continue
        used = json.loads(last.read_text(encoding="utf-8"))["usage"]
        yield Row(
            agent=agent,
            seed=int(seed),
            task=row["task"],
            ending=row["ending"],
            outcome=row["outcome"],
            steps=row["steps"],
            calls=used.get("calls", 0),
            read=used.get("input", 0) + used.get("cached_input", 0),
            wrote=used.get("output", 0),
            seconds=_lasted(last),
            folder=last.parent,
        )


def _lasted(evidence: Path) -> float:
    first = next(read_lines(evidence.with_name("requests.jsonl")), {"at": evidence.stat().st_mtime})
    return evidence.stat().st_mtime - float(first["at"])


def text(found: Iterable[Row]) -> str:
    """The table in Markdown."""
    lines = ["| agent | task | seed | ending | outcome | steps | calls | tokens in | tokens out | seconds |"]
    lines += ["|---|---|---|---|---|---|---|---|---|---|"]
    for row in sorted(found, key=lambda row: (row.agent != "llm", row.task, row.seed)):
        counts = f"{row.steps} | {row.calls} | {row.read:,} | {row.wrote:,} | {row.seconds:.0f}"
        lines.append(f"| {row.agent} | {row.task} | {row.seed} | {row.ending} | {row.outcome} | {counts} |")
    return "\n".join(lines)


def main() -> int:
    """Exit code: 0, or 3 where the model cannot be had."""
    try:
        if "--show" not in sys.argv:
            with serving(port=port()) as address:
                for agent in AGENTS:
                    for seed in SEEDS:
                        go(agent, seed, address)
    except Unavailable as error:
        print(error, file=sys.stderr)
        return 3
    print(text(row for run in RUNS.glob("*/results.json") for row in rows(run.parent)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
