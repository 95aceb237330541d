"""Agents that know nothing: each says one thing on every task, and the judge grades them. What passes is luck.

    common        the most common reference of the task's answer type among all other tasks, as an answer
    zero          0
    not available the words, as the answer and as the reason why the task cannot be done
    prompt        the prompt's own words
    numbers       every number of the start page, one after the other

None of them opens a page beyond the first, writes a file or acts, so tasks that want a file or an act have no pass.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup

from webds.errors import InputFault
from webds.scratch import scratch
from webds.types import AnswerKey, Ending, Evidence, Verdict
from webds_judge import checkout
from webds_judge.answers import numerals, sample
from webds_judge.grade import TypedJudge

LIMIT = 0.03
"""Most of the tasks that all of them together may pass."""
WHAT: Mapping[str, str] = {
    "common": "the most common reference of the answer type among all other tasks",
    "zero": "0",
    "not available": "not available, as the answer and as the reason",
    "prompt": "the prompt's own words",
    "numbers": "every number of the start page",
}
_GUESS = {"boolean": "yes", "year": "2000", "percent": "50%", "date": "2020-01-01", "month": "2020-01"}
"""Said where no other task has the type."""
_MOST = 2_000


@dataclass(frozen=True, slots=True)
class Luck:
    """`passes`: agent -> the tasks that it passed; `tasks`: how many were tried."""

    tasks: int
    passes: Mapping[str, tuple[str, ...]]

    @property
    def together(self) -> tuple[str, ...]:
        """Tasks that at least one of the agents passed."""
        return tuple(sorted({task for passed in self.passes.values() for task in passed}))

    @property
    def share(self) -> float:
        """`together` as a share of the tasks."""
        return len(self.together) / self.tasks if self.tasks else 0.0


def tried(root: Path, fetch: Callable[[str], bytes]) -> Luck:
    """All constant agents on every task under `root` that has a key. InputFault where a start page is not served."""
    found = checkout.read(root)
    pages: dict[str, str] = {}
    passes: dict[str, list[str]] = {name: [] for name in WHAT}
    judge = TypedJudge()
    with scratch() as folder:
        (folder / "trajectory.jsonl").touch()
        for name, (_, key) in found.keys.items():
            entry = found.tasks[name][1] if name in found.tasks else {}
            for agent, (answer, reason) in _said(found, key, entry, pages, fetch).items():
                word = judge.judged(_evidence(key, answer, reason), folder, key)
                if isinstance(word, Verdict) and word.passed:
                    passes[agent].append(name)
    return Luck(len(found.keys), {agent: tuple(names) for agent, names in passes.items()})


def _said(
    found: checkout.Checkout,
    key: AnswerKey,
    entry: Mapping[str, Any],
    pages: dict[str, str],
    fetch: Callable[[str], bytes],
) -> Mapping[str, tuple[str, str]]:
    """Agent -> (answer, reason why it cannot be done)."""
    start = entry.get("start")
    url = str(start.get("url", "")) if isinstance(start, Mapping) else ""
    if url and url not in pages:
        pages[url] = _numbers(fetch(url))
    return {
        "common": (_common(found, key), ""),
        "zero": ("0", ""),
        "not available": ("not available", "not available"),
        "prompt": (str(entry.get("prompt", "")), ""),
        "numbers": (pages.get(url, ""), ""),
    }


def _common(found: checkout.Checkout, key: AnswerKey) -> str:
    """The most common value among the other tasks; the key's own must not help."""
    kind = next((str(c.params["type"]) for c in key.checks if "type" in c.params), "")
    values = [
        sample(kind, check.params["reference"])
        for name, (_, other) in found.keys.items()
        for check in other.checks
        if name != key.task and check.params.get("type") == kind
    ]
    counts = Counter(values).most_common()
    best = sorted(value for value, count in counts if count == counts[0][1])
    return best[0] if best else _GUESS.get(kind, "1")


def _numbers(page: bytes) -> str:
    text = numerals.numeric_form(BeautifulSoup(page, "html.parser").get_text(" "))
    return ", ".join(text[token.start : token.end] for token in numerals.scan(text)[:_MOST])


def _evidence(key: AnswerKey, answer: str, reason: str) -> Evidence:
    return Evidence(
        task=key.task, revision=key.revision, repeat=0, attempt=1, agent="constant", ending=Ending.SUBMITTED,
        answer=answer, unachievable=reason,
    )  # fmt: skip


def as_markdown(luck: Luck) -> str:
    """The page docs/constants.md."""
    if not luck.tasks:
        raise InputFault("no task has a key, so there is nothing to try")
    rows = [
        f"| {agent} | {what} | {len(luck.passes[agent])} | {len(luck.passes[agent]) / luck.tasks:.1%} |"
        for agent, what in WHAT.items()
    ]
    return "\n".join((
        "# What knowing nothing scores",
        "",
        "Agents that say one thing on every task, graded by the judge: the floor of every score. Written by",
        "`webds tasks constants --to docs/constants.md`; tests/judge/test_constants.py fails where together they pass",
        f"{LIMIT:.0%} of the tasks or more. They write no file and do not act, so such tasks have no pass by constant.",
        "",
        "| agent | says | passes | share |",
        "|---|---|---|---|",
        *rows,
        f"| together | a task that any of them passes | {len(luck.together)} | {luck.share:.1%} |",
        "",
        f"{luck.tasks} tasks. The references of other tasks are used for `common`, never the task's own.",
        "",
    ))  # fmt: skip
