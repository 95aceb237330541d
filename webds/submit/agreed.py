"""How far a judge agrees with people, as maintainers register it: figures that hold for today's judge, or a refusal.

A report is of `webds judge agreement --json --run RUN` or `webds judge calibrate`. It names what the judge was when it
spoke (webds_judge.agreement.stamps) and the rubric that people worked by; where one is not today's, it is stale.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import webds
from webds.codec import digest, load
from webds.errors import InputFault
from webds.submit.book import Book, now, stamp
from webds.suites import taskfiles
from webds.types import STRICT
from webds_judge import grade
from webds_judge.keys import KeyRing
from webds_judge.rubric.criteria import rubric_hash
from webds_judge.rubric.prompting import prompt_hash

RUBRIC = "rubric"
_AGAIN = "judge the runs and measure again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A judge against people's settled word: `same` of `n` tries alike, Cohen's kappa, its 95 % interval over sites.

    kappa None: not defined, all words alike. low and high None: fewer than five sites.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    n: int
    same: int
    kappa: float | None
    low: float | None
    high: float | None
    people: int
    """Raters."""

    @property
    def text(self) -> str:
        """`n = 120, kappa 0.81 [0.70, 0.90]`, the interval only where there is one."""
        return f"n = {self.n}, kappa {kappa_text(self.kappa, self.low, self.high)}"

    def __post_init__(self) -> None:
        ends = [value for value in (self.kappa, self.low, self.high) if value is not None]
        if not 0 <= self.same <= self.n or any(not -1 <= value <= 1 for value in ends):
            raise ValueError(f"{self.same} of {self.n} alike, kappa {ends}: no figures of agreement")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """One judge's registered figures. `stamp`: of the judge, as a score's; `stale`: what changed since, or ""."""

    judge: str
    stamp: str
    figures: Figures
    rubric: str
    source: str
    """sha256 of the report."""
    who: str
    at: str
    stale: str


def kappa_text(kappa: float | None, low: float | None, high: float | None) -> str:
    """In words; what is not defined, and an interval that is not there, say why."""
    if kappa is None:
        return "not defined: all words alike"
    ends = f"[{low:.2f}, {high:.2f}]" if low is not None and high is not None else "(no interval: under five sites)"
    return f"{kappa:.2f} {ends}"


def register(
    book: Book, root: Path, report: Mapping[str, Any], who: str, *, where: str, only: str = ""
) -> list[Agreement]:
    """Keep the figures of every judge of a report, or `only` of one. InputFault: none, stale, or nothing settled.

    `where` names the report in what is refused.
    """
    if not who.strip():
        raise InputFault("--who: wanted the name of the maintainer who registers it")
    found = list(_found(root, report, where, only))
    source, at = digest(report), stamp(now())
    with book.change() as db:
        for item in found:
            values = (item.judge, item.stamp, item.rubric, json.dumps(asdict(item.figures)), source, who.strip(), at)
            db.execute(
                "INSERT INTO agreements (judge, stamp, rubric, figures, source, who, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                values,
            )
    return registered(book)[: len(found)]


def registered(book: Book) -> list[Agreement]:
    """What was registered, the latest first: the first with a score's stamp that is not stale holds for the score."""
    rows = book.rows("SELECT * FROM agreements ORDER BY id DESC")
    return [
        Agreement(
            judge=row["judge"], stamp=row["stamp"], rubric=row["rubric"], source=row["source"], who=row["who"],
            at=row["at"], stale=_stale(row), figures=load(Figures, json.loads(row["figures"]), "agreements"),
        )
        for row in rows
    ]  # fmt: skip


def rubric_stamp(model: object, settings: object) -> str:
    """A rubric's stamp, of its figures as of a score's stars: its model and the hash of all that it is asked with."""
    return digest({"judge": RUBRIC, "model": model, "settings": settings})


def _stale(row: Mapping[str, Any]) -> str:
    if row["rubric"] != rubric_hash():
        return "people worked by another rubric"
    if row["judge"] == grade.NAME and row["stamp"] != grade.identity():
        return "the judge has changed"
    return ""


@dataclass(frozen=True, slots=True)
class _Fresh:
    judge: str
    stamp: str
    rubric: str
    figures: Figures


def _found(root: Path, report: Mapping[str, Any], where: str, only: str) -> Iterator[_Fresh]:
    """The judges that people's labels speak of. InputFault where one is stale: all are taken or none."""
    figures = report.get("figures", report)
    judges, stamps = _table(figures, "judges", where), _table(report, "stamps", where)
    rubric = report.get("rubric")
    if rubric != rubric_hash():
        raise InputFault(_changed(where, "rubric", rubric, rubric_hash(), "people's labels"))
    spoken = {name: judge for name, judge in judges.items() if isinstance(judge, Mapping) and judge.get("n")}
    if only:
        spoken = {name: judge for name, judge in spoken.items() if name == only}
    if not spoken:
        raise InputFault(f"{where}: field judges: n is 0: no try of any judge that people have settled")
    for name, judge in sorted(spoken.items()):
        if name not in (grade.NAME, RUBRIC):
            raise InputFault(f"{where}: judge {name!r:.40}: no stamp of it is known; known: {grade.NAME}, {RUBRIC}")
        told, of = _table(stamps, name, f"{where}: field stamps"), f"{where}: judge {name}"
        kept = _figures(judge, figures, of)
        _whole(told, kept.n, judge.get("open"), of)
        yield _Fresh(name, _stamp(name, told, root, where), rubric, kept)


def _whole(told: Mapping[str, Any], n: int, left: object, where: str) -> None:
    if "unfit" in told:
        raise InputFault(f"{where}: {told['unfit']}")
    if not isinstance(left, int) or told.get("words") != n + left:
        raise InputFault(f"{where}: {n} tries settled, {left} open, stamps of {told.get('words')}; give every run")
    if told.get("unsound"):
        raise InputFault(f"{where}: its words are unsound, made without the canaries; {_AGAIN}")


def _stamp(name: str, told: Mapping[str, Any], root: Path, where: str) -> str:
    """The judge's stamp. InputFault: it is not today's judge."""
    if name == RUBRIC:
        for field, today in (("prompts", prompt_hash()), ("rubric", rubric_hash())):
            if told.get(field) != today:
                raise InputFault(_changed(where, field, told.get(field), today, "judge rubric"))
        return rubric_stamp(told.get("model"), told.get("settings"))
    if told.get("version") != webds.__version__:
        raise InputFault(_changed(where, "version", told.get("version"), webds.__version__, f"judge {name}"))
    ring, sealed = KeyRing(root, strict=False), {task.id for task in taskfiles.private(root)}
    for task, settings in _table(told, "settings", where).items():
        today = "" if task in sealed else grade.settings_of(ring.key(task))
        if today not in ("", settings):
            raise InputFault(_changed(where, f"settings of task {task}", settings, today, f"judge {name}"))
    return grade.identity()


def _changed(where: str, field: str, theirs: object, ours: str, whose: str) -> str:
    return f"{where}: stale: {whose}: field {field}: {str(theirs or 'none')[:12]!r}, today's is {ours[:12]!r}; {_AGAIN}"


def _figures(judge: Mapping[str, Any], figures: Mapping[str, Any], where: str) -> Figures:
    kappa, same = _table(judge, "kappa", where), _table(judge, "percent", where)
    raters = [name for name in _table(figures, "raters", where) if name.startswith("human:")]
    value = {
        "n": judge["n"], "same": same.get("passes"), "kappa": kappa.get("value"), "low": kappa.get("low"),
        "high": kappa.get("high"), "people": len(raters),
    }  # fmt: skip
    return load(Figures, value, where)


def _table(value: object, field: str, where: str) -> Mapping[str, Any]:
    found = value.get(field) if isinstance(value, Mapping) else None
    if not isinstance(found, Mapping):
        raise InputFault(
            f"{where}: field {field}: not there; wanted what webds judge agreement --json --run RUN prints, "
            "or a calibration.json"
        )
    return found
