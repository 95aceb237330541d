"""What fifty adaptive submissions can learn of 30 private answers through the board: the simulation behind the docs.

The adversary knows which figure stands after each of its submissions, guesses each answer with a chance `luck` for a
right one, keeps a change where the figure went up, and undoes it where it did not: the attack of Blum and Hardt.
"""

import random
from collections.abc import Iterator
from functools import cache
from statistics import mean

import pytest

from webds.submit import ladder

TASKS = [f"t{number:02d}" for number in range(30)]
SUBMISSIONS = 50


@cache
def drawn(week: str, seed: int) -> tuple[str, ...]:
    return ladder.drawn(TASKS, week, seed.to_bytes(8, "big"))


def attack(seed: int, luck: float, changes: int, ruled: bool) -> Iterator[int]:
    """After each submission, how many answers of the best guess are right. `ruled` False: the bare score is told."""
    chance = random.Random(seed)
    best = {task: chance.random() < luck for task in TASKS}
    figure: float | None = None
    for number in range(SUBMISSIONS):
        guess = dict(best)
        if number:
            for task in chance.sample(TASKS, changes):
                guess[task] = chance.random() < luck  # another guess at random: it never knows which was right
        week = f"2026-W{number // ladder.WEEKLY:02d}"
        counted = drawn(week, seed) if ruled else TASKS
        score = sum(guess[task] for task in counted) / len(counted)
        if ruled:
            new = ladder.figure(figure, score, len(counted))
        else:
            new = score if figure is None or score > figure else None
        if new is not None:
            figure, best = new, guess
        yield sum(best.values())


def gained(luck: float, changes: int, ruled: bool, runs: int) -> list[float]:
    """Mean of right answers beyond chance after each submission."""
    curves = [list(attack(seed, luck, changes, ruled)) for seed in range(runs)]
    return [mean(curve[number] for curve in curves) - luck * len(TASKS) for number in range(SUBMISSIONS)]


@pytest.mark.parametrize("luck", [0.05, 0.1])
def test_fifty_adaptive_submissions_recover_at_most_three_answers(luck: float) -> None:
    """Constants and page dumps pass none of 60 public tasks (docs/constants.md): chance is under 0.05."""
    gains = {changes: gained(luck, changes, ruled=True, runs=40)[-1] for changes in (1, 3, 10, 30)}
    assert max(gains.values()) <= 3, gains
    assert gains[30] < gained(luck, 10, ruled=False, runs=40)[-1], "the bare score tells more"


@pytest.mark.long
def test_the_curve_of_the_docs() -> None:
    """Printed with -s: the rows of docs/threat-model.md."""
    print()
    for luck in (0.05, 0.1, 0.25, 0.5):
        for ruled in (True, False):
            curve = max((gained(luck, changes, ruled, 200) for changes in (1, 3, 10, 30)), key=lambda found: found[-1])
            told = " | ".join(f"{curve[number - 1]:+.1f}" for number in (1, 10, 20, 30, 40, 50))
            print(f"| {luck} | {'ladder' if ruled else 'bare score'} | {told} |")
            assert len(curve) == SUBMISSIONS
