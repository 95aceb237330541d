"""Tier 2 as a process of its own: one JSON line in, a JSON line out for every try, and {"done": ...} at the end.

{"run": "<run folder>", "folders": ["<try>", ...], "table": {rubric table}, "canaries": bool, "force": bool,
 "models": ["<the agent's>", ...]}
Tries may lie in several runs; `run` has the cache where the table names none. Without force only those are judged that
have no verdict by these settings, this key and the typed judge's word of now; a verdict whose key is gone stays.
disagreements.jsonl in each run lists the tries on which samples and typed judge differ, for the human pass. `models`,
which may be left out, are beside those that the runs name.
python -m webds_judge.rubric --root DIR [--keys FILE ...]
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webds.codec import canonical, loads
from webds.errors import InputFault
from webds.prices import read_usage
from webds.store import Committed, RunFolder, read_try, write_atomic
from webds.types import Ungraded, Verdict
from webds_judge.keys import KeyRing
from webds_judge.rubric import table, tally
from webds_judge.rubric.asking import Asking
from webds_judge.rubric.batch import Batch
from webds_judge.rubric.canaries import Canaries
from webds_judge.rubric.standing import NAME, is_kept


async def served(ring: KeyRing, request: Any) -> None:
    """Judge the request's tries; a line each as they are done."""
    home = Path(request["run"]).absolute()
    asked = table.read(request["table"])
    cache = Path(asked.asked.cache) if asked.asked.cache else home / "judge"
    gate = Canaries(cache, datetime.now(UTC).date().isoformat(), bool(request["canaries"]))
    tries = [read_try(Path(folder)) for folder in request["folders"]]
    runs = {path: RunFolder.view(path) for path in dict.fromkeys((home, *(item.run for item in tries)))}
    batch = Batch(Asking(asked, cache, gate), ring, runs)
    _same_model(asked, runs.values(), request.get("models", ()))
    items = [item for item in tries if not is_kept(item, ring, asked.stamp, bool(request["force"]))]
    async for item, word in batch.judged(items):
        _say({"graded": str(item.folder), **_line(word)})
    differing = sum(_disagreements(run) for run in runs.values())
    _say(
        {
            "done": len(items),
            "kept": len(tries) - len(items),
            "disagreements": differing,
            "canaries": read_usage(gate.usage).record(),
            "settings": asked.stamp,
            **asked.identity,
        }
    )


def _same_model(asked: table.Table, runs: Iterable[RunFolder], told: Iterable[str]) -> None:
    """InputFault where a model would judge itself and nobody said that it may."""
    models = set(told)
    for run in runs:
        agents = run.head.get("config", {}).get("agents", {})
        models |= {str(entry.get("model")) for entry in agents.values() if isinstance(entry, dict)}
    if asked.endpoint.model in models and not asked.asked.same_model:
        raise InputFault(
            f"rubric: field model: {asked.endpoint.model!r} is the agent's own model; choose another, or say "
            "--set rubric.same_model=true"
        )


def _disagreements(run: RunFolder) -> int:
    """Written into the run; how many there are."""
    rows = [row for item in run.committed() if (row := _disagreement(run.path, item))]
    write_atomic(run.path / "disagreements.jsonl", b"".join(canonical(row) + b"\n" for row in rows))
    return len(rows)


def _disagreement(run: Path, item: Committed) -> dict[str, Any]:
    word, typed = item.verdicts.get(NAME), item.verdicts.get("tier1")
    if not isinstance(word, Verdict) or not tally.disagrees(word):
        return {}
    return {
        "task": item.evidence.task,
        "repeat": item.evidence.repeat,
        "path": str(item.folder.relative_to(run)),
        "typed": typed.why if typed else "",
        "samples": word.why,
    }


def _line(word: Verdict | Ungraded) -> dict[str, Any]:
    usage = read_usage(word.usage).record()
    if isinstance(word, Ungraded):
        return {"kind": "ungraded", "blame": word.blame, "why": word.why, "usage": usage}
    return {
        "kind": "verdict",
        "passed": word.passed,
        "stars": word.stars,
        "why": word.why,
        "disagrees": tally.disagrees(word),
        "usage": usage,
    }


def _say(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False), flush=True)


def main(arguments: list[str] | None = None) -> int:
    """One batch. Bad input is {"error": one line}."""
    parser = argparse.ArgumentParser(prog="python -m webds_judge.rubric", description="Judge tries by the rubric.")
    parser.add_argument("--root", type=Path, required=True, help="folder that holds tasks_public")
    parser.add_argument("--keys", type=Path, action="append", default=[], help="a keys.toml in place of the root's")
    options = parser.parse_args(arguments)
    try:
        ring = KeyRing(options.root, strict=False, files=options.keys)
        asyncio.run(served(ring, loads(sys.stdin.buffer.readline(), "request")))
    except InputFault as error:
        _say({"error": str(error)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
