"""Label rows (docs/labels.md): read, checked, taken from a run's verdicts, and gathered by the try they speak of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

from webds.codec import load
from webds.errors import InputFault
from webds.store import Committed, RunFolder, read_lines
from webds.types import STRICT, Ungraded, Verdict
from webds_judge.rubric.criteria import TIERS, rubric_hash

PERSON = "human:"
type Label = Literal["pass", "fail", "unsure"]
type Failure = Literal[
    "", "grounding-perception", "grounding-synthesis", "repetition", "shortcut", "navigation", "tool-misuse", "format",
    "infrastructure", "other",
]  # fmt: skip
LABELS: tuple[str, ...] = get_args(Label.__value__)
FAILURES: tuple[str, ...] = get_args(Failure.__value__)
type Item = tuple[str, str, str]
"""Run id, episode, and hash of the trajectory: the try that a label speaks of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One label. Fields as in docs/labels.md."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    run: str
    episode: str
    trajectory: str
    rubric: str
    rater: str
    label: Label
    tier: str
    site: str
    format: Literal[1] = 1
    stars: float | None = None
    role: Literal["label", "adjudication", "training", "repeat"] = "label"
    known: Literal["", "pass", "fail"] = ""
    evidence: str = ""
    agent: str = ""
    criteria: Mapping[str, bool | None] = field(default_factory=dict)
    failure: str = ""
    injection: bool = False
    flagged: bool = False
    reference_opened: bool = False
    note: str = ""
    reason: str = ""
    seconds: float = 0
    at: str = ""
    tool: str = ""

    @property
    def item(self) -> Item:
        """The try."""
        return (self.run, self.episode, self.trajectory)

    @property
    def counts(self) -> bool:
        """Whether it is a word on the try, not one of training or a second look."""
        return self.role in ("label", "adjudication")

    @property
    def person(self) -> bool:
        """Whether a person said it."""
        return self.rater.startswith(PERSON)


def read(paths: Iterable[Path]) -> list[Row]:
    """All rows of the files. InputFault names file, line and field; also for rows said twice, rubrics that differ."""
    rows: list[Row] = []
    places: dict[tuple[Any, ...], str] = {}
    for path in paths:
        if not path.is_file():
            raise InputFault(f"{path}: no such file; a file of labels is needed (docs/labels.md)")
        for number, line in enumerate(read_lines(path), start=1):
            where = f"{path}: line {number}"
            row = load(Row, line, where)
            _check(row, where)
            before = places.setdefault((row.item, row.rater, row.role), where)
            if before is not where and row.role != "repeat":
                raise InputFault(f"{where}: {row.rater} has labelled {row.episode} of {row.run} before: {before}")
            rows.append(row)
    _one_rubric(rows)
    return rows


def _check(row: Row, where: str) -> None:
    wrong: list[tuple[bool, str, object, str]] = [
        (not row.run, "run", row.run, "the id in run.json"),
        (not row.episode.rpartition("~")[0], "episode", row.episode, "<task>~<repeat>"),
        (not row.trajectory, "trajectory", row.trajectory, "the hash of the try's last step"),
        (row.rater in ("", PERSON), "rater", row.rater, "human:<alias> or a judge's name"),
        (row.person and not row.rubric, "rubric", row.rubric, "the hash of the rubric that a person worked by"),
        (row.tier not in TIERS, "tier", row.tier, ", ".join(TIERS)),
        (row.failure not in FAILURES, "failure", row.failure, ", ".join(FAILURES[1:])),
        (row.stars is not None and not 1 <= row.stars <= 5, "stars", row.stars, "1 to 5, or null"),
        (row.role == "training" and not row.known, "known", row.known, "pass or fail, for a training item"),
    ]
    for is_wrong, name, value, accepted in wrong:
        if is_wrong:
            raise InputFault(f"{where}: field {name}: {value!r:.80}; accepted: {accepted}")


def _one_rubric(rows: Iterable[Row]) -> None:
    found = sorted({row.rubric for row in rows if row.person})
    if len(found) > 1:
        raise InputFault(
            f"labels of people made by {len(found)} different rubrics ({', '.join(name[:12] for name in found)}); "
            "compare those of one rubric at a time"
        )


def of_run(run: RunFolder) -> Iterator[Row]:
    """What the judges of a run said of each episode's last try, as rows; an Ungraded or open word is unsure."""
    tasks = {str(entry["id"]): entry for entry in run.head.get("tasks", ())}
    for item in run.committed():
        entry = tasks.get(item.evidence.task, {})
        sites = entry.get("labels", {}).get("sites") or [""]
        for name, word in sorted(item.verdicts.items()):
            if not name.startswith(PERSON):
                yield _of_judge(str(run.head["id"]), item, word, str(entry.get("difficulty", "")), str(sites[0]))


def _of_judge(run: str, item: Committed, word: Verdict | Ungraded, tier: str, site: str) -> Row:
    evidence = item.evidence
    said = word.passed if isinstance(word, Verdict) else None
    return Row(
        run=run, episode=f"{evidence.task}~{evidence.repeat}", trajectory=str(evidence.digests.get("trajectory", "")),
        rubric=rubric_hash() if word.judge.name == "rubric" else "", rater=word.judge.name, tier=tier, site=site,
        label="unsure" if said is None else "pass" if said else "fail", evidence=item.digest, agent=evidence.agent,
        stars=word.stars if isinstance(word, Verdict) else None,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One try with the words on it: `words` by rater (role label), `settled` the adjudicator's row if there is one."""

    item: Item
    tier: str
    site: str
    words: Mapping[str, Row]
    settled: Row | None

    @property
    def people(self) -> list[Row]:
        """Labels of people, by alias."""
        return [row for name, row in sorted(self.words.items()) if row.person]

    @property
    def truth(self) -> str | None:
        """The adjudicator's label, else what all people say; None where they differ or nobody looked."""
        if self.settled is not None:
            return self.settled.label
        said = {row.label for row in self.people}
        return said.pop() if len(said) == 1 else None

    @property
    def stars(self) -> float | None:
        """The adjudicator's stars, else the mean of people's."""
        rows = [self.settled] if self.settled is not None else self.people
        given = [row.stars for row in rows if row.stars is not None]
        return sum(given) / len(given) if given else None


def cases(rows: Sequence[Row]) -> list[Case]:
    """The tries in a fixed order. InputFault where rows of one try differ in tier or site."""
    found: dict[Item, list[Row]] = {}
    for row in rows:
        if row.counts:
            found.setdefault(row.item, []).append(row)
    return [_case(item, said) for item, said in sorted(found.items())]


def _case(item: Item, said: Sequence[Row]) -> Case:
    for name in ("tier", "site"):
        values = sorted({getattr(row, name) for row in said})
        if len(values) > 1:
            raise InputFault(f"{item[1]} of {item[0]}: field {name}: {' and '.join(map(repr, values))} for one try")
    settled = [row for row in said if row.role == "adjudication"]
    words = {row.rater: row for row in said if row.role == "label"}
    return Case(item, said[0].tier, said[0].site, words, settled[-1] if settled else None)
