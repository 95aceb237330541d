"""The values of an item's page: the try, the form as it stands, the criteria, and for adjudicators what was said."""

from dataclasses import dataclass
from typing import Any

from webds.annotate import labels, queue
from webds.annotate.book import Book
from webds.annotate.people import Person
from webds.annotate.records import Item
from webds.serve.annotation.show import Shelf
from webds_judge.agreement.labels import FAILURES

_FAILURES = [(value, value.replace("-", ": ", 1) if value.startswith("grounding") else value.replace("-", " "))
             for value in FAILURES]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """One criterion on the form; `value` is yes, no, or "" where it is open."""

    name: str
    text: str
    value: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of the try by name and size in bytes."""

    name: str
    size: int


def item_page(book: Book, shelf: Shelf, who: Person, name: str, item: Item, now: float) -> dict[str, Any]:
    """What item.html.j2 takes. InputFault: the recording is gone."""
    seen = shelf.show(name)
    form = labels.filled(book, who, name)
    progress = queue.progress(book, who, now)
    met = form.body.get("criteria")
    told = met if isinstance(met, dict) else {}
    return {
        "name": name,
        "item": item,
        "who": who,
        "shown": seen,
        "files": [
            Kept(str(path.relative_to(book.try_folder(item) / "files")), path.stat().st_size) for path in seen.files
        ],
        "body": form.body,
        "sent": form.sent,
        "criteria": [Asked(one, book.plan.criteria[one], _chosen(told.get(one))) for one in item.criteria],
        "failures": [(value, text or "none") for value, text in _FAILURES],
        "anchors": sorted(book.plan.anchors.items()),
        "words": labels.words(book, item) if who.role == "adjudicator" else [],
        "progress": progress,
        "previous": _previous(progress, name),
    }


def _chosen(met: object) -> str:
    return {True: "yes", False: "no"}[met] if isinstance(met, bool) else ""


def _previous(progress: queue.Progress, name: str) -> str:
    """The item labelled before this one; of an item not labelled yet the newest."""
    names = [done for done, _, _ in progress.done]
    after = names[names.index(name) + 1 :] if name in names else names
    return next(iter(after), "")
