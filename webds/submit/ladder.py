"""What a private score may tell: the ladder rule, the week's limit, and the subset that is drawn anew each period.

A figure goes up only by a whole step, the largest standard error that a difference of two shares over n tasks can have;
otherwise the team's last figure stands. (Blum and Hardt, The Ladder, 2015: a
reliable leaderboard for adaptive submissions.) docs/threat-model.md says what this does not bound.
"""

import hashlib
import hmac
import math
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

WEEKLY = 3
"""Scored submissions of a team in any seven days."""
WEEK = timedelta(days=7)
SHARE = 2 / 3
"""Of the private tasks, how many are drawn for a period."""
SMALLEST_CELL = 100
"""No breakdown of a private result into cells of fewer tasks."""


def step(n: int) -> float:
    """The largest standard error of a difference of two shares over n tasks: the new score against the old."""
    return math.sqrt(0.5 / n)


def figure(best: float | None, score: float, n: int) -> float | None:
    """The new figure of a team whose figure is `best` (None: none yet), or None where the old one stands.

    `score` is a share from 0 to 1 over `n` tasks. Figures are multiples of `step(n)`, rounded down.
    """
    size = step(n)
    if best is not None and score < best + size:
        return None
    return math.floor(score / size + 1e-9) * size


def period(at: datetime) -> str:
    """The ISO week that an instant (UTC) lies in: `2026-W48`."""
    year, week, _ = at.isocalendar()
    return f"{year}-W{week:02d}"


def drawn(tasks: Iterable[str], name: str, seed: bytes) -> tuple[str, ...]:
    """The tasks that count in period `name`: two thirds of all, by a keyed hash, in order of id."""
    every = sorted(tasks)
    ranked = sorted(every, key=lambda task: hmac.new(seed, f"{name}:{task}".encode(), hashlib.sha256).digest())
    return tuple(sorted(ranked[: max(1, math.ceil(len(every) * SHARE))]))


def wait(scored: Sequence[datetime], now: datetime) -> timedelta | None:
    """How long a team whose submissions were taken at `scored` has to wait; None: not at all."""
    recent = sorted(at for at in scored if at > now - WEEK)
    return recent[-WEEKLY] + WEEK - now if len(recent) >= WEEKLY else None
