"""The keys of a checkout, and a run's episodes judged by them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nacl.public import PrivateKey

from webds.codec import plain
from webds.difficulty import difficulty
from webds.errors import InfraFault
from webds.outcome import outcome
from webds.prices import read_usage
from webds.report.stats import NOT_RUN
from webds.scratch import scratch
from webds.seal import sealed
from webds.store import Committed, RunFolder, write_verdict
from webds.submit.words import mean, share
from webds.suites import taskfiles
from webds.types import AnswerKey, Ending, Outcome
from webds_judge.grade import NAME, TypedJudge
from webds_judge.keys import KeyRing, read_keys


@dataclass(frozen=True, slots=True)
class Keys:
    """Answer keys by task, and the secret canaries of what was sealed."""

    of: Mapping[str, AnswerKey]
    canaries: tuple[str, ...] = ()


def unsealed(root: Path, key: PrivateKey) -> Keys:
    """The keys of every sealed task. InputFault: a box that does not open."""
    found: dict[str, AnswerKey] = {}
    canaries = []
    for path in sealed.files(root):
        content = sealed.unseal(sealed.read(path), key)
        canaries.append(content.canary)
        with scratch() as folder:
            for name, data in content.files.items():
                if name == "keys.toml" or name.startswith("gold/"):
                    target = folder / name
                    target.parent.mkdir(exist_ok=True, parents=True)
                    target.write_bytes(data)
            found.update({item.task: item for item in read_keys(folder / "keys.toml")})
    return Keys(found, tuple(canaries))


def public_keys(root: Path) -> Keys:
    """The keys of the public tasks."""
    ring = KeyRing(root, strict=False)
    return Keys({task: ring.key(task) for task in ring.tasks()})


@dataclass(frozen=True, slots=True)
class Graded:
    """One task: the outcome of each repeat."""

    outcomes: tuple[Outcome, ...]

    @property
    def words(self) -> str | list[str]:
        """As the books keep them: one word, or one a repeat."""
        found = [word.value for word in self.outcomes]
        return found if len(found) > 1 else found[0]

    @property
    def strict(self) -> float:
        """Passes over all repeats."""
        return share(self.outcomes, "strict") or 0.0

    @property
    def share(self) -> float | None:
        """Passes over the repeats that were graded; None where none was."""
        return share(self.outcomes, "lenient")


type Replays = Mapping[tuple[str, int], Committed]
"""By task and repeat, what is judged in place of what the bundle brought."""


def tries(folder: Path, replayed: Replays | None = None) -> Iterator[tuple[Committed, bool]]:
    """What is judged of each episode of a run folder, and whether the agent had crashed in it.

    A crash is a fail whatever the agent had done before; its replay ends without one.
    """
    for item in RunFolder.view(folder).committed():
        yield (replayed or {}).get(item.key, item), item.evidence.ending is Ending.AGENT_FAULT


def graded(folder: Path, keys: Keys, replayed: Replays | None = None, *, keep: bool = False) -> dict[str, Graded]:
    """Every task of a run folder under these keys. `keep`: the verdicts are written beside what they are on."""
    found: dict[str, list[Outcome]] = {}
    for item, crashed in tries(folder, replayed):
        found.setdefault(item.evidence.task, []).append(Outcome.FAIL if crashed else _word(item, keys, keep))
    return {task: Graded(tuple(words)) for task, words in found.items()}


def _word(item: Committed, keys: Keys, keep: bool) -> Outcome:
    key = keys.of.get(item.evidence.task)
    if key is None:
        raise InfraFault(f"no key for task {item.evidence.task}", "score")
    said = TypedJudge().judged(item.evidence, item.folder, key)
    if keep:
        write_verdict(item.folder, said)
    return outcome(item.evidence, {NAME: said})


def public_tasks(root: Path) -> dict[str, dict[str, Any]]:
    """The public split as it is now: task -> revision, tier and labels, kept with a result so that its cells stay."""
    tasks = [entry.task() for _, entry in taskfiles.entries(root)]
    return {
        task.id: {"revision": task.revision, "tier": difficulty(task.labels), "labels": plain(task.labels)}
        for task in tasks
    }


def public_result(judged: Mapping[str, Graded], split: Iterable[str] = ()) -> dict[str, Any]:
    """Mean of the tasks' shares over their repeats, with its interval over tasks, and the word on each episode.

    Tasks of the split that the run did not try are `not_run`: the strict denominator counts them.
    """
    passes, n, low, high = mean(item.share for item in judged.values())
    words = dict.fromkeys(split, NOT_RUN) | {task: item.words for task, item in judged.items()}
    return {
        "figure": passes / n if n else None, "low": low, "high": high, "n": n, "strict_n": len(words),
        "period": "", "detail": dict(sorted(words.items())),
    }  # fmt: skip


def spent(folder: Path) -> dict[str, float | None]:
    """Mean cost in dollars and mean steps an episode, as the run says; cost None where any episode's is unknown."""
    items = list(RunFolder.view(folder).committed())
    known = [cost for item in items if (cost := read_usage(item.evidence.usage).cost) is not None]
    cost = sum(known) / len(known) if known and len(known) == len(items) else None
    return {"cost": cost, "steps": sum(item.evidence.steps for item in items) / max(1, len(items))}
