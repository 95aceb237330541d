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
WAYS = (1, 3, 10, 20, 30)
"""How many answers are guessed anew at a time."""


@cache
def drawn(week: str, seed: int) -> tuple[str, ...]:
    return ladder.drawn(TASKS, week, seed.to_bytes(8, "big"))


def attack(seed: int, luck: float, changes: int, ruled: bool, names: int = 1, proofs: int = 1) -> Iterator[int]:
    """After each submission, how many answers of the best guess are right. `ruled` False: the bare score is told.

    `names` teams take turns with the same guesses, each with its own last figure; what raised any of them is kept.
    `proofs` 2: every other submission is *reported* only, so that a team has two figures (`ladder.beside`).
    """
    chance = random.Random(seed)
    best = {task: chance.random() < luck for task in TASKS}
    behind: list[list[tuple[str, float]]] = [[] for _ in range(names)]
    for number in range(SUBMISSIONS * names):
        guess = dict(best)
        if number:
            for task in chance.sample(TASKS, changes):
                guess[task] = chance.random() < luck  # another guess at random: it never knows which was right
        turn, name = divmod(number, names)
        counted = drawn(f"2026-W{turn // ladder.WEEKLY:02d}", seed) if ruled else TASKS
        score, level = sum(guess[task] for task in counted) / len(counted), ("replayed", "reported")[turn % proofs]
        last = max((had for theirs, had in behind[name] if ladder.beside(level, theirs)), default=None)
        told = ladder.figure(last, score, len(counted)) is not None if ruled else last is None or score > last
        if told:
            best = guess
            behind[name].append((level, score))
        if name == names - 1:
            yield sum(best.values())


def gained(luck: float, changes: int, ruled: bool, runs: int, names: int = 1, proofs: int = 1) -> list[float]:
    """Mean of right answers beyond chance after each submission (of each name)."""
    curves = [list(attack(seed, luck, changes, ruled, names, proofs)) for seed in range(runs)]
    return [mean(curve[number] for curve in curves) - luck * len(TASKS) for number in range(SUBMISSIONS)]


@pytest.mark.parametrize("luck", [0.05, 0.1, 0.25, 0.5])
def test_fifty_adaptive_submissions_recover_at_most_three_answers(luck: float) -> None:
    """Constants and page dumps pass none of 60 public tasks (docs/constants.md): chance is under 0.05 there."""
    gains = {changes: gained(luck, changes, ruled=True, runs=60)[-1] for changes in WAYS}
    assert max(gains.values()) <= 3, gains
    both = {changes: gained(luck, changes, ruled=True, runs=60, proofs=2)[-1] for changes in WAYS}
    assert max(both.values()) <= 3, ("reported and replayed in turn", both)
    assert gains[30] < gained(luck, 10, ruled=False, runs=60)[-1] - 3, "the bare score tells far more"


@pytest.mark.long
def test_the_curve_of_the_docs() -> None:
    """Printed with -s: the rows of docs/threat-model.md."""
    print()
    for luck in (0.05, 0.1, 0.25, 0.5):
        for told, ruled, names, proofs in (
            ("ladder", True, 1, 1),
            ("ladder, *reported* and *replayed* in turn", True, 1, 2),
            ("ladder, three names", True, 3, 1),
            ("bare score", False, 1, 1),
        ):
            curves = [gained(luck, changes, ruled, 200, names, proofs) for changes in WAYS]
            curve = max(curves, key=lambda found: found[-1])
            row = " | ".join(f"{curve[number - 1]:+.1f}" for number in (1, 10, 20, 30, 40, 50))
            print(f"| {luck} | {told} | {row} |")
            assert len(curve) == SUBMISSIONS
            assert not ruled or names > 1 or curve[-1] <= 3
