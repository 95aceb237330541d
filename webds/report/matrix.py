"""One summary of several runs of the same tasks: a row a run, and every two of them compared."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from webds.report.compare import Comparison, compare
from webds.report.rows import RunView
from webds.report.stats import lenient, strict
from webds.report.tally import ledger
from webds.report.text import shown
from webds.stats import holm, p_text, percent
from webds.store import write_atomic


@dataclass(frozen=True, slots=True)
class Against:
    """Two runs by name, compared; `holm` is p adjusted for all pairs of the summary."""

    before: str
    after: str
    found: Comparison
    holm: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The runs by name, in order, and their pairs."""

    views: Mapping[str, RunView]
    pairs: tuple[Against, ...]

    @property
    def json_text(self) -> str:
        """summary.json."""
        body = {
            "runs": [_row(name, view) for name, view in self.views.items()],
            "pairs": [_pair(p) for p in self.pairs],
        }
        return json.dumps(body, indent=1, ensure_ascii=False)

    @property
    def markdown(self) -> str:
        """summary.md: two tables."""
        lines = ["| run | graded | strict | tokens and cost |", "|---|---|---|---|"]
        for name, view in self.views.items():
            given = " (key given: no score)" if view.head.get("key_given") else ""
            counted, every = lenient(view.counts), strict(view.counts)
            share = percent(every.share) if every.share is not None else "none"
            planned = f"{every.passes} of {every.n} ({share}; {every.interval})"
            lines.append(f"| {_cell(name)}{given} | {counted.text} | {planned} | {_cell(ledger(view.rows).all.text)} |")
        if self.pairs:
            lines += ["", "| runs | difference, 95 % interval | better | worse | p (Holm) |", "|---|---|---|---|---|"]
        for pair in self.pairs:
            test = pair.found.test
            said = test.difference.text if test.difference else "no task graded in both"
            cells = (f"{_cell(pair.after)} less {_cell(pair.before)}", said, str(test.better), str(test.worse))
            lines.append(f"| {' | '.join(cells)} | {p_text(pair.holm)} |")
        return "\n".join(lines) + "\n"

    def write(self, folder: Path) -> None:
        """Write summary.json and summary.md into `folder`."""
        write_atomic(folder / "summary.json", (self.json_text + "\n").encode())
        write_atomic(folder / "summary.md", self.markdown.encode())


def summarize(views: Mapping[str, RunView]) -> Summary:
    """Compare every two runs that were not given the answers."""
    fair = [name for name, view in views.items() if not view.head.get("key_given")]
    found = [(a, b, compare(views[a], views[b], by=())) for a, b in combinations(fair, 2)]
    adjusted = holm([comparison.test.p for _, _, comparison in found])
    return Summary(views, tuple(Against(a, b, c, p) for (a, b, c), p in zip(found, adjusted, strict=True)))


def _cell(text: str) -> str:
    return shown(text).replace("|", "\\|")


def _row(name: str, view: RunView) -> dict[str, Any]:
    counted = view.counts
    given = bool(view.head.get("key_given"))
    scores = {"lenient": lenient(counted).plain(), "strict": strict(counted).plain()}
    return {"name": name, "key_given": given, "counts": counted, **scores, "usage": ledger(view.rows).all.plain()}


def _pair(pair: Against) -> dict[str, Any]:
    return {"before": pair.before, "after": pair.after, **pair.found.test.plain(), "holm": pair.holm}
