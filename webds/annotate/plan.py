"""`webds annotate plan`: a stratified sample of committed tries, fixed before anyone looks.

Every try of the runs that has a trajectory is a candidate. Drawn are, by the seed: up to N of each stratum (tier,
outcome, site, agent); and all tries on which typed judge and rubric differ, or that are ungraded. Of the sample a share
is labelled twice, and every disagreement is. Some items come a second time, under another id, to whoever labelled them.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

import webds
from webds.annotate.records import Item, Plan, Stratum
from webds.codec import load
from webds.difficulty import difficulty
from webds.errors import InputFault
from webds.files import read_json, read_lines, write_json
from webds.outcome import outcome
from webds.store import Committed, RunFolder
from webds.types import Outcome, Verdict
from webds_judge.keys import KeyRing
from webds_judge.rubric.case import criteria, reference
from webds_judge.rubric.criteria import TIERS, rubric, rubric_hash

PLAN, BOOK = "plan.json", "labels.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """The numbers that a plan is made by; shares in [0, 1], `lease` in seconds."""

    per_stratum: int
    seed: int
    double: float = 0.2
    repeats: float = 0.05
    gap: int = 5
    lease: float = 1800

    def check(self) -> None:
        """InputFault names the first option that is out of its bounds."""
        for word, value, low, high in (
            ("--per-stratum", self.per_stratum, 1, 10_000),
            ("--double", self.double, 0, 1),
            ("--repeats", self.repeats, 0, 1),
            ("--gap", self.gap, 0, 1000),
            ("--lease", self.lease, 10, 86_400),
        ):
            if not low <= value <= high:
                raise InputFault(f"{word} {value}: wanted {low} to {high}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """A line of the training file: a try whose label is known."""

    run: str
    """The run's folder, relative to the file."""
    task: str
    label: str
    why: str
    repeat: int = 0


class Draft:
    """Items being gathered for a plan in `folder`."""

    def __init__(self, root: Path, folder: Path, how: How) -> None:
        how.check()
        self.how = how
        self.left_out: list[str] = []
        self._folder = folder.absolute()
        self._ring = KeyRing(root, strict=False)

    def of_run(self, path: Path) -> Iterator[Item]:
        """The run's candidates; what cannot be one is left out by name."""
        run = RunFolder.view(path)
        tasks = {str(entry["id"]): entry for entry in run.head.get("tasks", ())}
        for found in run.committed():
            item = self._item(run, found, tasks.get(found.evidence.task))
            if isinstance(item, str):
                self.left_out.append(f"{found.evidence.task}~{found.evidence.repeat} of {run.head.get('id')}: {item}")
            else:
                yield item

    def _item(self, run: RunFolder, found: Committed, entry: Mapping[str, Any] | None) -> Item | str:
        evidence = found.evidence
        trajectory = str(evidence.digests.get("trajectory") or "")
        if entry is None or not trajectory:
            return "run.json does not know the task" if entry is None else "no step was recorded"
        labels = entry.get("labels", {})
        tier = entry.get("difficulty") or difficulty(labels)
        if tier not in TIERS:
            return f"field difficulty: {tier!r}; known: {', '.join(TIERS)}"
        key = self._ring.key(evidence.task) if evidence.task in self._ring.tasks() else None
        if key is not None and key.revision != evidence.revision:
            return f"the key is of revision {key.revision}, the try of revision {evidence.revision}"
        asked = (
            criteria(key, tier, str(labels.get("kind", "")))
            if key
            else rubric().asked(tier, labels.get("kind") == "action")
        )
        where = f"{run.head.get('id')}/{evidence.task}~{evidence.repeat}/{evidence.attempt}/{found.digest}"
        return Item(
            id=self._name(where),
            run=str(run.head.get("id")),
            path=os.path.relpath(found.folder, self._folder),
            episode=f"{evidence.task}~{evidence.repeat}",
            trajectory=trajectory,
            evidence=found.digest,
            tier=tier,
            site=str(next(iter(labels.get("sites") or ()), "")),
            agent=evidence.agent,
            outcome=str(outcome(evidence, found.verdicts).value),
            prompt=str(entry.get("prompt", "")),
            criteria=tuple(one.name for one in asked),
            reference=reference(key) if key else None,
            why=_why(found),
            names=tuple(dict.fromkeys(_names(run.head, evidence.agent))),
        )

    def _name(self, where: str) -> str:
        """An id from which nobody can tell run, task or agent."""
        return hashlib.sha256(f"{self.how.seed} {self._folder.name} {where}".encode()).hexdigest()[:16]

    def training(self, file: Path) -> Iterator[Item]:
        """The items of a training file (docs/annotation.md). InputFault names file, line and field."""
        for number, line in enumerate(read_lines(file), start=1):
            where = f"{file}:{number}"
            row = load(Training, line, where)
            if row.label not in ("pass", "fail"):
                raise InputFault(f"{where}: field label: {row.label!r}; accepted: pass, fail")
            path = file.parent / row.run
            wanted = f"{row.task}~{row.repeat}"
            found = next((item for item in self.of_run(path) if item.episode == wanted), None)
            if found is None:
                raise InputFault(f"{where}: field task: no try of {wanted} with steps in {path}")
            yield load(
                Item,
                {**_fields(found), "training": True, "why": "training", "known": row.label, "known_why": row.why},
                where,
            )

    def plan(self, candidates: Sequence[Item], training: Sequence[Item], made: str) -> Plan:
        """Draw the sample. InputFault: there is nothing to label."""
        taught = {item.id for item in training}
        pool = [item for item in candidates if item.id not in taught]
        drawn, strata = _drawn(pool, self.how)
        if not drawn:
            raise InputFault("there is nothing to label: no committed try with steps in the runs given")
        words = rubric()
        return Plan(
            made=made,
            tool=f"webds annotate {webds.__version__}",
            seed=self.how.seed,
            per_stratum=self.how.per_stratum,
            double=self.how.double,
            lease=self.how.lease,
            gap=self.how.gap,
            rubric=rubric_hash(),
            criteria={one.name: one.text for one in words.criteria},
            anchors=words.anchors,
            items=(*training, *self._marked(drawn)),
            strata=strata,
            left_out=tuple(dict.fromkeys(self.left_out)),
        )

    def _marked(self, drawn: Sequence[Item]) -> Iterator[Item]:
        """Which are labelled twice, and which come again."""
        chance = Random(f"{self.how.seed} marks")
        twice = {item.id for item in drawn if item.why == "disagreement"}
        others = [item.id for item in drawn if item.id not in twice]
        twice |= set(chance.sample(others, ceil(self.how.double * len(others))))
        again = set(chance.sample([item.id for item in drawn], ceil(self.how.repeats * len(drawn))))
        for item in drawn:
            repeat = self._name(f"{item.id} again") if item.id in again else ""
            yield replace(item, wanted=2 if item.id in twice else 1, repeat=repeat)


def _fields(item: Item) -> dict[str, Any]:
    return {name: getattr(item, name) for name in item.__slots__}


def _drawn(pool: Sequence[Item], how: How) -> tuple[list[Item], tuple[Stratum, ...]]:
    groups: dict[tuple[str, str, str, str], list[Item]] = {}
    for item in pool:
        groups.setdefault((item.tier, item.outcome, item.site, item.agent), []).append(item)
    drawn: list[Item] = []
    strata = []
    for key, items in sorted(groups.items()):
        # A generator for each stratum: one more run changes the draw in its own strata only.
        chosen = Random(f"{how.seed} {key}").sample(items, min(how.per_stratum, len(items)))
        ids = {item.id for item in chosen}
        taken = [item for item in items if item.id in ids or item.why in ("disagreement", "ungraded")]
        drawn += taken
        tier, word, site, agent = key
        strata.append(Stratum(tier=tier, outcome=word, site=site, agent=agent, there=len(items), drawn=len(taken)))
    return drawn, tuple(strata)


def _why(found: Committed) -> str:
    words = [found.verdicts.get(name) for name in ("tier1", "rubric")]
    said = {word.passed for word in words if isinstance(word, Verdict) and word.passed is not None}
    if len(said) > 1:
        return "disagreement"
    return "ungraded" if outcome(found.evidence, found.verdicts) is Outcome.UNGRADED else "sample"


def _names(head: Mapping[str, Any], agent: str) -> Iterator[str]:
    """Agent and model under the names that run.json has for them."""
    yield from (name for name in (agent, str(head.get("agent") or "")) if name)
    tables = head.get("config", {}).get("agents", {})
    for table in tables.values() if isinstance(tables, Mapping) else ():
        model = table.get("model") if isinstance(table, Mapping) else None
        if isinstance(model, str) and model:
            yield from dict.fromkeys((model, model.rpartition("/")[2]))


def refuse_second(folder: Path) -> None:
    """InputFault where there is a plan: it is fixed before anyone looks."""
    if (folder / PLAN).exists():
        raise InputFault(f"{folder / PLAN}: there is a plan already, and a plan is made once; choose another --out")


def write(folder: Path, plan: Plan) -> Path:
    """plan.json in `folder`. InputFault where there is one."""
    refuse_second(folder)
    path = folder / PLAN
    write_json(path, plan)
    return path


def read(folder: Path) -> Plan:
    """The plan in `folder` (or the plan.json itself). InputFault: none there, or one of another format."""
    path = plan_file(folder)
    if not path.is_file():
        raise InputFault(
            f"{folder}: no plan here ({PLAN} is missing); first: webds annotate plan RUN... --out {folder}"
        )
    return load(Plan, read_json(path), str(path))


def plan_file(folder: Path) -> Path:
    """plan.json, whether its folder or the file itself was named."""
    return folder if folder.name == PLAN else folder / PLAN


def gather(draft: Draft, runs: Iterable[Path]) -> list[Item]:
    """The candidates of all runs. InputFault: the same run was given twice."""
    found: dict[str, Item] = {}
    for path in runs:
        for item in draft.of_run(path):
            if item.id in found:
                raise InputFault(f"{path}: {item.episode} of run {item.run} was given before")
            found[item.id] = item
    return list(found.values())
