"""`webds annotate report`: the figures of agreement over the labels so far, the judges' words beside them, and how the
pass went. The coefficients are those of webds_judge.agreement."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from webds import html
from webds.annotate.book import Book
from webds.annotate.export import label_rows, plan_items
from webds.codec import load, plain
from webds.report.text import cut, finalize
from webds.store import RunFolder
from webds_judge.agreement import figures, words
from webds_judge.agreement.labels import Row, of_run

_HERE = Path(__file__).parent


def report(book: Book) -> dict[str, Any]:
    """figures: the value of `webds judge agreement`; pass: how far it is; people: by rater; strata; disagreements."""
    told = [load(Row, row, "labels.db") for row in label_rows(book)]
    found = figures.report([*told, *_judges(book)])
    return {
        "figures": found,
        "pass": _pass(book, told),
        "people": {name: _person(rows) for name, rows in sorted(_by_rater(told).items())},
        "strata": [plain(stratum) for stratum in book.plan.strata],
        "disagreements": [_linked(book, row) for row in found["disagreements"]],
    }


def _judges(book: Book) -> Iterator[Row]:
    """What the judges said of the plan's tries, but for training items."""
    sample = {name for name, item in plan_items(book).items() if not item.training}
    runs = dict.fromkeys(book.try_folder(item).parents[2] for item in book.plan.items if not item.training)
    for run in runs:
        yield from (row for row in of_run(RunFolder.view(run)) if row.item in sample)


def _by_rater(told: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in told:
        found.setdefault(row.rater, []).append(row)
    return found


def _pass(book: Book, told: list[Row]) -> dict[str, int]:
    """Counts of the sample's items."""
    sample = [item for item in book.plan.items if not item.training]
    said: dict[tuple[str, str, str], list[str]] = {}
    for row in told:
        if row.role == "label":
            said.setdefault(row.item, []).append(row.label)
    settled = {row.item for row in told if row.role == "adjudication"}
    differ = {name for name, labels in said.items() if len(labels) > 1 and (len(set(labels)) > 1 or "unsure" in labels)}
    return {
        "items": len(sample),
        "labelled": len(said),
        "twice": sum(len(labels) > 1 for labels in said.values()),
        "differ": len(differ | settled),
        "settled": len(settled),
        "training": sum(item.training for item in book.plan.items),
    }


def _person(rows: list[Row]) -> dict[str, Any]:
    return {
        "roles": dict(sorted(Counter(row.role for row in rows).items())),
        "median_seconds": median(row.seconds for row in rows),
        "reference_opened": sum(row.reference_opened for row in rows),
        "flagged": sum(row.flagged for row in rows),
        "injection": sum(row.injection for row in rows),
        "failures": dict(sorted(Counter(row.failure for row in rows if row.failure).items())),
    }


def _linked(book: Book, row: Mapping[str, Any]) -> dict[str, Any]:
    """A disagreement with where its steps lie, relative to the plan's folder."""
    for item in book.plan.items:
        if (item.run, item.episode) == (row["run"], row["episode"]):
            folder = book.try_folder(item).parent
            return {**row, "steps": os.path.relpath(folder / "index.html", book.folder), "prompt": item.prompt}
    return dict(row)


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """For a terminal."""
    done = found["pass"]
    yield (
        f"{done['labelled']} of {done['items']} items labelled, {done['twice']} of them by two people or more; "
        f"{done['differ']} differ, {done['settled']} settled"
    )
    for name, person in found["people"].items():
        roles = ", ".join(f"{count} {role}" for role, count in person["roles"].items())
        yield (
            f"{name}: {roles}; {person['median_seconds']:.0f} s at the median, reference opened "
            f"{person['reference_opened']} times, {person['flagged']} flagged"
        )
    yield from words.lines(found["figures"])


def page(found: Mapping[str, Any], title: str) -> bytes:
    """report.html: one file without a script."""
    style = (_HERE.parent / "report" / "templates" / "style.css").read_text(encoding="utf-8")
    policy = html.closed_policy(style)
    template = html.engine(_HERE, filters={"cut": cut}, finalize=finalize).get_template("report.html.j2")
    text = template.render(found=found, lines=list(lines(found)), title=title, style=style, policy=policy)
    return text.encode("utf-8", "replace")
