"""What a run will take, from what past runs of the same agent took. What no past run says stays unknown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from webds.errors import InputFault
from webds.prices import BILLED, PriceTable, dollars
from webds.report.rows import Row, agent_name, read_run
from webds.store import RunFolder

_RUNS = 20
"""So many of the newest runs are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """`seconds` of all episodes one after the other, tokens by kind, dollars; None where past runs do not say."""

    episodes: int
    seconds: float | None
    tokens: Mapping[str, float] | None
    dollars: float | None
    why: str
    """What it rests on, or why the cost is unknown."""

    @property
    def cost(self) -> str:
        """In words."""
        return f"about {dollars(self.dollars)} ({self.why})" if self.dollars is not None else f"unknown: {self.why}"


def past_rows(runs: Path, agent: str, model: str) -> list[Row]:
    """Finished episodes of the newest runs in folder `runs` that had this agent and this model; broken ones are passed.

    `model` is what run.json declares, "" where the agent has none.
    """
    found: list[Row] = []
    heads = [*runs.glob("*/run.json"), *runs.glob("*/*/run.json")]  # the second are cells of a matrix
    folders = sorted((p.parent for p in heads), key=lambda p: p.relative_to(runs).parts, reverse=True)
    alike = [folder for folder in folders if _is_alike(folder, agent, model)]
    for folder in alike[:_RUNS]:
        found += [row for row in read_run(folder).rows if row.passed is not None]
    return found


def _is_alike(folder: Path, agent: str, model: str) -> bool:
    try:
        head = RunFolder.view(folder).head
    except InputFault:
        return False
    declares = head.get("declares")
    said = declares.get("model", "") if isinstance(declares, Mapping) else ""
    return agent_name(head) == agent and said == model


def estimate(tasks: Sequence[str], past: Iterable[Row], model: str, prices: PriceTable | None) -> Estimate:
    """Estimate episodes of `tasks`, one each (a task may stand several times).

    A task that past runs tried counts as its mean there, another one as the mean over the tasks tried. Dollars are
    those recorded; where none are, the tokens at the price table's.
    """
    rows = list(past)
    seconds = _summed(tasks, ((row.task, row.seconds) for row in rows))
    called = [row for row in rows if row.spent.counted.calls]
    paid = [(row.task, row.spent.counted.cost) for row in called]
    tokens = {name: _summed(tasks, ((r.task, r.spent.counted.count(name)) for r in called)) or 0.0 for name in BILLED}
    amount = _summed(tasks, paid) if called and all(cost is not None for _, cost in paid) else None
    why = f"as recorded in {len(called)} past episodes"
    if amount is None and called and prices:
        amount = prices.cost(model, tokens)
        why = f"tokens of {len(called)} past episodes, prices of {prices.version}"
    if amount is None:
        why = _unknown(rows, called, model, prices)
    return Estimate(episodes=len(tasks), seconds=seconds, tokens=tokens if called else None, dollars=amount, why=why)


def _unknown(rows: list[Row], called: list[Row], model: str, prices: PriceTable | None) -> str:
    if not called:
        return "no past run of this agent and model recorded tokens" if rows else "no past run of this agent and model"
    if prices is None:
        return "past runs recorded tokens and no price; name a price table with --set prices=FILE"
    return f"the price table of {prices.version} has not every price of model {model or 'none'!r}"


def _summed(tasks: Sequence[str], values: Iterable[tuple[str, float | None]]) -> float | None:
    kept: dict[str, list[float]] = {}
    for task, value in values:
        if value is not None:
            kept.setdefault(task, []).append(value)
    means = {task: fmean(seen) for task, seen in kept.items() if seen}
    if not means:
        return None
    usual = fmean(means.values())
    return sum(means.get(task, usual) for task in tasks)
