"""Was a run's id reserved before the run, and for this run? By times of which one is the server's."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from webds.submit import secrets
from webds.submit.book import Book
from webds.submit.bundle import Manifest

SLACK = timedelta(minutes=5)
"""How far a team's clock may be behind the server's."""


def of(book: Book, run: str) -> Mapping[str, Any] | None:
    """The reservation of a run's id: team, agent, model, split, at."""
    found = book.rows("SELECT * FROM reservations WHERE run = ?", run)
    return found[0] if found else None


def about(manifest: Manifest) -> dict[str, str]:
    """Agent, model and split, as the run says."""
    declares = manifest.head.get("declares")
    model = str(declares.get("model") or "") if isinstance(declares, Mapping) else ""
    return {"agent": str(manifest.head.get("agent", "")), "model": model, "split": manifest.split}


def late(run: str, at: datetime) -> bool:
    """Whether the time in a run's id is none, or lies before `at`."""
    try:
        return datetime.strptime(run[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC) + SLACK < at
    except ValueError:
        return True


def fault(known: Mapping[str, Any] | None, manifest: Manifest) -> str:
    """Why the run does not count as reserved, in words that follow its id, or ""."""
    if known is None:
        return "was not reserved"
    for field, told in about(manifest).items():
        if told not in (known[field], secrets.scrub(known[field], Counter())):
            return f"was reserved for {field} {known[field]!r:.60}, and the run has {told!r:.60}"
    at = datetime.fromisoformat(known["at"])
    try:
        begun = datetime.fromisoformat(str(manifest.head.get("created"))).astimezone(UTC)
    except (ValueError, OverflowError):
        return "was reserved, and the run has no time at which it began"
    return "was reserved after the run had begun" if late(manifest.run, at) or begun + SLACK < at else ""
