"""The keys of a checkout, and a run's episodes judged by them. Nothing is written."""

from collections.abc import Iterable, Mapping
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
from webds.stats import wilson
from webds.store import Committed, RunFolder
from webds.suites import taskfiles
from webds.types import AnswerKey, Ending, Outcome, Ungraded, Verdict
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
    """One task: the outcome of each repeat, and the stars (1 to 5) of those that a judge gave some."""

    outcomes: tuple[Outcome, ...]
    stars: tuple[float, ...] = ()

    @property
    def words(self) -> str | list[str]:
        """As the books keep them: one word, or one a repeat."""
        found = [word.value for word in self.outcomes]
        return found if len(found) > 1 else found[0]

    @property
    def strict(self) -> float:
        """Passes over all repeats."""
        return self.outcomes.count(Outcome.PASS) / len(self.outcomes)

    @property
    def share(self) -> float | None:
        """Passes over the repeats that were graded; None where none was."""
        known = self.outcomes.count(Outcome.PASS) + self.outcomes.count(Outcome.FAIL)
        return self.outcomes.count(Outcome.PASS) / known if known else None


def graded(folder: Path, keys: Keys, replayed: Mapping[tuple[str, int], Committed] | None = None) -> dict[str, Graded]:
    """Every task of a run folder under these keys. `replayed`, by task and repeat: what is judged in its place."""
    found: dict[str, list[tuple[Outcome, float | None]]] = {}
    for item in RunFolder.view(folder).committed():
        judged = (replayed or {}).get(item.key, item)
        # A crash of the agent is a fail whatever it had done before; its replay ends without one.
        crashed = item.evidence.ending is Ending.AGENT_FAULT
        found.setdefault(item.evidence.task, []).append((Outcome.FAIL, None) if crashed else _word(judged, keys))
    return {
        task: Graded(tuple(word for word, _ in words), tuple(stars for _, stars in words if stars is not None))
        for task, words in found.items()
    }


def _word(item: Committed, keys: Keys) -> tuple[Outcome, float | None]:
    key = keys.of.get(item.evidence.task)
    if key is None:
        raise InfraFault(f"no key for task {item.evidence.task}", "score")
    said: Verdict | Ungraded = TypedJudge().judged(item.evidence, item.folder, key)
    return outcome(item.evidence, {NAME: said}), said.stars if isinstance(said, Verdict) else None


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
    known = [item.share for item in judged.values() if item.share is not None]
    low, high = wilson(sum(known), len(known))
    stars = [sum(item.stars) / len(item.stars) for item in judged.values() if item.stars]
    words = dict.fromkeys(split, NOT_RUN) | {task: item.words for task, item in judged.items()}
    return {
        "figure": sum(known) / len(known) if known else None, "low": low, "high": high,
        "n": len(known), "strict_n": len(words),
        "stars": sum(stars) / len(stars) if stars else None, "period": "", "detail": dict(sorted(words.items())),
    }  # fmt: skip


def spent(folder: Path) -> dict[str, float | None]:
    """Mean cost in dollars and mean steps an episode, as the run says; cost None where any episode's is unknown."""
    items = list(RunFolder.view(folder).committed())
    known = [cost for item in items if (cost := read_usage(item.evidence.usage).cost) is not None]
    cost = sum(known) / len(known) if known and len(known) == len(items) else None
    return {"cost": cost, "steps": sum(item.evidence.steps for item in items) / max(1, len(items))}
