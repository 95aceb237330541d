"""Which tasks and episodes a run takes."""

import pytest

from webds.errors import InputFault
from webds.runner.choosing import Selection, Shard, choose, draw, read_shard, sample
from webds.types import Json, Task


def made(name: str, site: str | tuple[str, ...], kind: str = "qa", hops: str = "single", **more: Json) -> Task:
    sites = (site,) if isinstance(site, str) else site
    labels: dict[str, Json] = {"sites": sites, "kind": kind, "hops": hops, "tools": False, "domain": "energy", **more}
    return Task(id=name, suite="web", revision=1, prompt="?", labels=labels)


TASKS = (
    made("grid-a", "grid"),
    made("grid-b", "grid", hops="multi"),
    made("tent-a", "tent-watch", kind="action", domain="sports"),
    made("tent-b", "tent-watch", kind="action", hops="multi", domain="sports"),
    made("both", ("grid", "tent-watch"), tools=True),
)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ([], "grid-a grid-b tent-a tent-b both"),
        (["grid-*"], "grid-a grid-b"),
        (["both,grid-a"], "grid-a both"),
        (["both", "grid-a"], "grid-a both"),
        (["site:grid"], "grid-a grid-b both"),
        (["site:tent-watch,difficulty:hard"], "tent-b both"),
        (["site:grid,site:tent-watch,difficulty:easy"], "grid-a"),
        (["label:kind=action,domain:sports,difficulty:medium"], "tent-a"),
        (["label:tools=true"], "both"),
        (["kind:act*"], "tent-a tent-b"),
        (["grid-*,difficulty:medium"], "grid-b"),
        (["site:grid,difficulty:easy", "tent-b"], "grid-a tent-b"),
    ],
)
def test_words_narrow_and_add_up(options: list[str], names: str) -> None:
    assert [task.id for task in choose(TASKS, options)] == names.split()


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("nonesuch", "no task 'nonesuch'; known: grid-a, grid-b, tent-a, tent-b, both"),
        ("site:rain", "--tasks site:rain: no task with site 'rain'; known: grid, tent-watch"),
        ("difficulty:simple", "no task with difficulty 'simple'; known: easy, hard, medium"),
        ("label:kind=play", "no task with kind 'play'; known: action, qa"),
        ("label:kind", "--tasks label:kind: wanted label:NAME=VALUE"),
        ("colour:red", "no task has a 'colour'; known: difficulty, domain, hops, kind, site, tools, label:NAME="),
        ("grid-a,site:tent-watch", "--tasks grid-a,site:tent-watch: no task is all of this at once"),
    ],
)
def test_what_is_unknown_lists_the_known(option: str, told: str) -> None:
    with pytest.raises(InputFault) as fault:
        choose(TASKS, [option])
    assert told in str(fault.value)


MANY = tuple(
    made(f"t{n:02}", "grid", kind="action" if n < 20 else "qa", hops="multi" if n < 12 else "single") for n in range(60)
)
"""12 hard, 8 medium, 40 easy."""


def counted(tasks: tuple[Task, ...]) -> tuple[int, int, int]:
    numbers = [int(task.id[1:]) for task in tasks]
    return sum(n < 12 for n in numbers), sum(12 <= n < 20 for n in numbers), sum(n >= 20 for n in numbers)


@pytest.mark.parametrize(
    ("n", "strata"),
    # Of 7: 1.4, 0.93 and 4.67, whole 1, 0 and 4; the two that are left go to the largest remainders, 0.93 and 0.67.
    [(15, (3, 2, 10)), (7, (1, 1, 5)), (60, (12, 8, 40)), (1, (0, 0, 1))],
)
def test_a_sample_is_stratified_by_difficulty(n: int, strata: tuple[int, int, int]) -> None:
    assert counted(sample(MANY, n, 1)) == strata


def test_a_sample_is_its_seed_and_keeps_the_order() -> None:
    first = sample(MANY, 15, 1)
    assert sample(MANY, 15, 1) == first
    assert sample(tuple(reversed(MANY)), 15, 1) == tuple(reversed(first))
    assert sample(MANY, 15, 2) != first
    assert [task.id for task in first] == sorted(task.id for task in first)


def test_a_sample_larger_than_what_is_there() -> None:
    assert draw(MANY, Selection(sample=15, seed=1)) == sample(MANY, 15, 1)
    assert draw(MANY, Selection()) == MANY
    with pytest.raises(InputFault, match="--sample 61: only 60 tasks to draw from"):
        draw(MANY, Selection(sample=61))


def test_shards_are_a_partition() -> None:
    items = list(range(23))
    parts = [Shard(k, 4).part(items) for k in range(1, 5)]
    assert sorted(item for part in parts for item in part) == items
    assert {len(part) for part in parts} == {5, 6}
    assert read_shard("") == Shard(1, 1)
    assert (read_shard("2/4"), str(read_shard("2/4"))) == (Shard(2, 4), "2/4")


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "a/b", "1/0", "-1/2"])
def test_a_shard_that_is_none(text: str) -> None:
    with pytest.raises(InputFault, match="wanted i/n with i from 1 to n"):
        read_shard(text)
