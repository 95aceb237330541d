"""One try's chain from evidence to verdict, without a model.

python -m webds_judge.explain --root DIR [--keys FILE ...] [--json] RUN EPISODE
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webds.codec import plain
from webds.errors import InputFault
from webds.store import Committed, RunFolder
from webds.types import Ending, Ungraded, Verdict
from webds_judge import trail
from webds_judge.keys import KeyRing
from webds_judge.provenance.trace import origins
from webds_judge.rubric import facts
from webds_judge.rubric.record import Record


def found(run: RunFolder, episode: str) -> Committed:
    """The last committed try of `<task>~<repeat>`. InputFault lists the episodes."""
    tries = {f"{item.evidence.task}~{item.evidence.repeat}": item for item in run.committed()}
    name = episode if "~" in episode else f"{episode}~0"
    if name not in tries:
        raise InputFault(f"{run.path}: no episode {episode!r:.100}; known: {', '.join(sorted(tries)) or 'none'}")
    return tries[name]


async def chain(item: Committed, ring: KeyRing) -> dict[str, Any]:
    """The chain as values."""
    steps, fault = trail.read(item.evidence, item.folder)
    record = Record(item.evidence, item.folder, steps)
    told: dict[str, Any] = {
        "episode": f"{item.evidence.task}~{item.evidence.repeat}",
        "try": item.evidence.attempt,
        "ending": item.evidence.ending.value,
        "limit": item.evidence.why if item.evidence.ending is Ending.LIMIT else "",
        "answer": item.evidence.answer,
        "evidence": fault or "whole",
    }
    if not fault:
        told["values"] = plain(await origins(record))
        told["loops"] = facts.loops(record)
        told["actions_after_the_answer_was_seen"] = facts.after_seen(record)
        told |= _pages(record, item.evidence.task, ring)
    told["verdicts"] = {name: _word(word) for name, word in item.verdicts.items()}
    return told


def _pages(record: Record, task: str, ring: KeyRing) -> dict[str, Any]:
    try:
        key = ring.key(task)
    except InputFault:
        return {}
    missing = facts.unvisited(record, key)
    return {"needed": facts.needed(key), "never_visited": missing}


def _word(word: Verdict | Ungraded) -> dict[str, Any]:
    if isinstance(word, Ungraded):
        return {"ungraded": word.blame, "why": word.why}
    parts = [{"name": part.name, "passed": part.passed, "why": part.why} for part in word.parts]
    return {"passed": word.passed, "stars": word.stars, "why": word.why, "parts": parts, "quotes": _quotes(word)}


def _quotes(word: Verdict) -> dict[str, Any]:
    """What the first sample quoted, by criterion."""
    marks = word.samples[0].get("criteria") if word.samples else None
    rows = {name: row for name, row in marks.items() if isinstance(row, Mapping)} if isinstance(marks, Mapping) else {}
    return {name: {"steps": row["steps"], "quote": row["quote"]} for name, row in rows.items() if row.get("quote")}


def lines(told: Mapping[str, Any]) -> list[str]:
    """The chain for people."""
    shown = [f"{told['episode']}, try {told['try']}: {told['ending']} {told['limit']}".rstrip()]
    shown += [f"answer: {told['answer'][:500]!r}", f"evidence: {told['evidence']}"]
    shown += [f"  {row['value']!r}: {row['word']} ({row['why']})" for row in told.get("values", ())]
    shown += [f"page needed and never visited: {url}" for url in told.get("never_visited", ())]
    shown += [f"loop: {line}" for line in told.get("loops", ())]
    after = told.get("actions_after_the_answer_was_seen")
    shown += [f"actions after the answer was seen: {after}"] if after is not None else []
    for name, word in told["verdicts"].items():
        shown += _verdict_lines(name, word)
    return shown


def _verdict_lines(name: str, word: Mapping[str, Any]) -> list[str]:
    if "ungraded" in word:
        return [f"{name}: ungraded ({word['ungraded']}): {word['why']}"]
    stars = f", {word['stars']:g} stars" if word["stars"] is not None else ""
    said = {True: "pass", False: "fail", None: "undecided"}[word["passed"]]
    shown = [f"{name}: {said}{stars}: {word['why']}"]
    for part in word["parts"]:
        quote = word["quotes"].get(part["name"])
        where = f' "{quote["quote"]}" at {list(quote["steps"])}' if quote else ""
        shown.append(f"  {'met' if part['passed'] else 'not met'}  {part['name']}: {part['why']}{where}")
    return shown


def main(arguments: list[str] | None = None) -> int:
    """Print one chain. InputFault is one line and exit code 2."""
    parser = argparse.ArgumentParser(prog="python -m webds_judge.explain", description="From evidence to verdict.")
    parser.add_argument("--root", type=Path, required=True, help="folder that holds tasks_public")
    parser.add_argument("--keys", type=Path, action="append", default=[], help="a keys.toml in place of the root's")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("run", type=Path)
    parser.add_argument("episode")
    options = parser.parse_args(arguments)
    try:
        item = found(RunFolder.view(options.run), options.episode)
        told = asyncio.run(chain(item, KeyRing(options.root, strict=False, files=options.keys)))
    except InputFault as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(plain(told), ensure_ascii=False) if options.json else "\n".join(lines(told)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
