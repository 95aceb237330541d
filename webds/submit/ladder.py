"""What a private score may tell: the ladder rule, the week's limit, and the subset that is drawn anew each period.

A new figure is told only where the score beats the score behind the team's last figure by a whole step, and is rounded
down to it; otherwise the last figure stands. (Blum and Hardt, The Ladder, 2015: a reliable leaderboard for adaptive
submissions.) docs/threat-model.md has the curve that the step was chosen by, and says what it does not bound.
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


ERRORS = 1.645
"""Standard errors in a step: one in twenty submissions that are no better passes it by luck. With one error, fifty
lucky guesses tell more than three answers of thirty (tests/submit/test_adaptive.py)."""


def step(n: int) -> float:
    """`ERRORS` times the largest standard error that a difference of two shares over n tasks can have; at most 1."""
    return min(1.0, ERRORS * math.sqrt(0.5 / n))


def figure(best: float | None, score: float, n: int) -> float | None:
    """The new figure of a team the score behind whose figure is `best` (None: none yet), or None: the old one stands.

    Scores are shares from 0 to 1 over `n` tasks. Figures are multiples of `step(n)`, rounded down. `best` is the score,
    not the figure: measured from the figure, the part that rounding cut off would bring the next step nearer.
    """
    size = step(n)
    if best is not None and score < best + size - 1e-9:
        return None
    return math.floor(score / size + 1e-9) * size


def beside(level: str, other: str) -> bool:
    """Whether a team's figure at the proof `other` stands for its runs at `level` too.

    What is *reported* is held against all that the team has; what is proved, against what was proved only: a figure
    that nobody has seen replayed neither shows as a replayed run's nor holds one down.
    """
    return level == "reported" or other != "reported"


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
