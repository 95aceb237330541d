"""Which tasks and episodes a run takes: words of `--tasks`, a sample, a limit, a shard. Pure functions.

One `--tasks` option is a list with commas. Ids and patterns in it are alternatives, and so are several values of one
name; different names narrow each other. Several options add up.

    site:tent-watch,site:air-and-ice,difficulty:hard     hard tasks of either site
    label:kind=action,domain:sports                      any label, by name
    grid-workbook-*                                      ids, with * and ?
"""

import fnmatch
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from webds.difficulty import difficulty
from webds.errors import InputFault
from webds.types import Json, Task

_RATING = "difficulty"
_LABEL = "label"
_SHARD = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What narrowed the tasks, as run.json keeps it; `sample` and `limit` 0 mean all."""

    words: tuple[str, ...] = ()
    limit: int = 0
    sample: int = 0
    seed: int = 0

    def plain(self) -> dict[str, Json]:
        """Only what was asked for."""
        kept: dict[str, Json] = {"tasks": self.words} if self.words else {}
        if self.sample:
            kept |= {"sample": self.sample, "seed": self.seed, "strata": _RATING}
        return kept | ({"limit": self.limit} if self.limit else {})


def choose(tasks: Sequence[Task], options: Iterable[str]) -> tuple[Task, ...]:
    """Tasks that one of the options takes, in their own order; all of them where there is none.

    InputFault for a name or value that no task has (the known ones are listed), or an option that takes no task.
    """
    wanted = [[word.strip() for word in option.split(",") if word.strip()] for option in options]
    taken = {task.id for words in wanted if words for task in _take(tasks, words)}
    return tuple(task for task in tasks if task.id in taken or not any(wanted))


def _take(tasks: Sequence[Task], words: list[str]) -> list[Task]:
    by_name: dict[str, list[Callable[[Task], bool]]] = {}
    for word in words:
        name, fits = _rule(tasks, word)
        if not any(map(fits, tasks)):
            raise InputFault(_nothing(tasks, word))
        by_name.setdefault(name, []).append(fits)
    found = [task for task in tasks if all(any(fits(task) for fits in rules) for rules in by_name.values())]
    if not found:
        raise InputFault(f"--tasks {','.join(words)}: no task is all of this at once")
    return found


def _rule(tasks: Sequence[Task], word: str) -> tuple[str, Callable[[Task], bool]]:
    """(what it narrows, does a task fit)."""
    if ":" not in word:
        return "id", lambda task: fnmatch.fnmatchcase(task.id, word)
    label, value = _label(tasks, word)
    return label, lambda task: any(fnmatch.fnmatchcase(text, value) for text in values(task, label))


def _label(tasks: Sequence[Task], word: str) -> tuple[str, str]:
    """(label, value) of a word. `site` stands for a label `sites` whose values are several."""
    name, _, value = word.partition(":")
    if name == _LABEL:
        name, equals, value = value.partition("=")
        if not equals:
            raise InputFault(f"--tasks {word}: wanted label:NAME=VALUE")
    names = _names(tasks)
    for label in (name, f"{name}s"):
        if label in names:
            return label, value
    raise InputFault(f"--tasks {word}: no task has a {name!r}; known: {', '.join(map(_singular, names))}, label:NAME=")


def _names(tasks: Sequence[Task]) -> list[str]:
    return [_RATING, *sorted({label for task in tasks for label in task.labels})]


def _singular(label: str) -> str:
    return "site" if label == "sites" else label


def values(task: Task, label: str) -> list[str]:
    """The values of a label as text; its difficulty is a label too."""
    if label == _RATING:
        return [difficulty(task.labels)]
    value = task.labels.get(label)
    several = value if isinstance(value, list | tuple) else () if value is None else (value,)
    return [str(item).lower() if isinstance(item, bool) else str(item) for item in several]


def _nothing(tasks: Sequence[Task], word: str) -> str:
    """Why a word takes no task, with what it could have been."""
    if ":" not in word:
        return f"no task {word!r}; known: {', '.join(task.id for task in tasks) or 'none'}"
    label, value = _label(tasks, word)
    known = sorted({text for task in tasks for text in values(task, label)})
    return f"--tasks {word}: no task with {_singular(label)} {value!r}; known: {', '.join(known) or 'none'}"


def draw(tasks: Sequence[Task], selection: Selection) -> tuple[Task, ...]:
    """The sample that was asked for, or all tasks. InputFault: more than there are."""
    if selection.sample > len(tasks):
        raise InputFault(f"--sample {selection.sample}: only {len(tasks)} tasks to draw from")
    return sample(tasks, selection.sample, selection.seed) if selection.sample else tuple(tasks)


def sample(tasks: Sequence[Task], n: int, seed: int) -> tuple[Task, ...]:
    """`n` tasks, stratified by difficulty: each stratum gives its proportion, rounded by largest remainder.

    Within a stratum the order is that of a hash over seed and id, so that the same seed draws the same tasks anywhere.
    """
    strata: dict[str, list[Task]] = {}
    for task in tasks:
        strata.setdefault(difficulty(task.labels), []).append(task)
    shares = _proportions({name: len(found) for name, found in strata.items()}, n)
    drawn = {
        task.id
        for name, found in strata.items()
        for task in sorted(found, key=lambda task: _rank(seed, task.id))[: shares[name]]
    }
    return tuple(task for task in tasks if task.id in drawn)


def _rank(seed: int, task: str) -> str:
    return hashlib.sha256(f"{seed}:{task}".encode()).hexdigest()


def _proportions(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    total = sum(sizes.values())
    shares = {name: n * size // total for name, size in sizes.items()}
    by_rest = sorted(sizes, key=lambda name: (-(n * sizes[name] % total), name))
    for name in by_rest[: n - sum(shares.values())]:
        shares[name] += 1
    return shares


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` of `of`, counted from 1: every `of`-th episode of the plan."""

    index: int = 1
    of: int = 1

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    def part[T](self, items: Sequence[T]) -> list[T]:
        """This shard's items."""
        return list(items[self.index - 1 :: self.of])


def read_shard(text: str) -> Shard:
    """`i/n` as a Shard; "" is the whole. InputFault for anything else."""
    if not text:
        return Shard()
    found = _SHARD.fullmatch(text)
    shard = Shard(int(found[1]), int(found[2])) if found else Shard(0, 0)
    if not 1 <= shard.index <= shard.of:
        raise InputFault(f"--shard {text}: wanted i/n with i from 1 to n")
    return shard
