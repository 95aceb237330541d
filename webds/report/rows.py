"""A run folder read as one row an episode: every planned one, and whatever else lies there.

Nothing here raises for a broken episode: it keeps its row, and what is wrong becomes a line among the warnings.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any

from webds.codec import load, loads, sha256
from webds.errors import InputFault
from webds.outcome import headline, outcome
from webds.prices import Usage, total
from webds.report.stats import NOT_RUN, counts
from webds.report.text import UNKNOWN, clean, cleaned, shown
from webds.report.usage import NOTHING, Spent
from webds.spent import of_steps, of_try
from webds.standing import History, standing
from webds.store import Committed, RunFolder, read_lines, read_verdict
from webds.types import Ending, Evidence, Outcome, Params, Ungraded, Verdict

ANSWER_LIMIT = 2000
_TRY = re.compile(r"try-([0-9]{1,9})")
_SCORES = {"pass": 1.0, "fail": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One episode as the report counts it. `outcome` is a webds.types.Outcome or `not_run`; None means not known."""

    task: str
    repeat: int
    agent: str
    ending: str | None = None
    outcome: str = NOT_RUN
    steps: int | None = None
    seconds: float | None = None
    labels: Params = field(default_factory=dict)
    difficulty: str = UNKNOWN
    why: str = ""
    answer: str = ""
    """The first 2,000 characters."""
    spent: Spent = NOTHING
    flags: tuple[str, ...] = ()
    """What the runner found odd about the episode, in words."""

    @property
    def score(self) -> float | None:
        """1.0 for a pass, 0.0 for a fail, None for everything else: a fault is not a zero."""
        return _SCORES.get(self.outcome)

    @property
    def passed(self) -> bool | None:
        return None if self.score is None else self.score == 1.0

    @property
    def folder(self) -> str:
        """The name of the episode's folder, or "" where the task's id cannot be the name of one folder."""
        name = f"{self.task}~{self.repeat}"
        return name if is_folder_name(name) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run as the report sees it."""

    path: Path
    head: Params
    rows: tuple[Row, ...]
    tasks: Mapping[str, Params]
    """What run.json says of each task, by id."""
    warnings: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Episodes by outcome."""
        return counts(row.outcome for row in self.rows)


def is_folder_name(name: str) -> bool:
    """Whether `name` names one folder and leads nowhere else: run.json may come from a stranger."""
    return bool(name) and name not in (".", "..") and not set(name) & set("/\\\0") and clean(name) == name


def read_run(path: Path) -> RunView:
    """The run in `path`. InputFault: no run there, or one of another format."""
    head = cleaned(RunFolder.view(path).head)
    warnings = [shown(item) for item in _list(head.get("warnings"))]
    tasks = {str(t["id"]): t for t in _list(head.get("tasks")) if isinstance(t, Mapping) and "id" in t}
    planned = _plan(head, warnings)
    found = set(_on_disk(path, warnings))
    if planned:
        warnings += [f"{task}~{repeat}: not in the plan" for task, repeat in sorted(found - planned)]
    agent = agent_name(head)
    history = _history(path, warnings)
    rows = [_row(path, key, tasks.get(key[0], {}), agent, warnings, history) for key in sorted(planned | found)]
    return RunView(path=path, head=head, rows=tuple(rows), tasks=tasks, warnings=tuple(warnings))


def _history(path: Path, warnings: list[str]) -> History:
    try:
        return History.read(path)
    except InputFault as error:
        warnings.append(clean(_line(error).replace(str(path), "")))
        return History(())


def agent_name(head: Mapping[str, Any]) -> str:
    """The agent's name in run.json, whether it stands there as a text or in a table."""
    agent = head.get("agent")
    return shown(agent.get("name", agent) if isinstance(agent, Mapping) else agent)


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _plan(head: Mapping[str, Any], warnings: list[str]) -> set[tuple[str, int]]:
    planned = set()
    for item in _list(head.get("plan")):
        match item:
            case [str(task), int(repeat)] if not isinstance(repeat, bool) and 0 <= repeat < 10**9:
                planned.add((task, repeat))
            case _:
                warnings.append(f"run.json: field plan: not a pair of task and repeat: {shown(item)[:200]}")
    return planned


def _on_disk(path: Path, warnings: list[str]) -> Iterator[tuple[str, int]]:
    for folder in sorted((path / "episodes").glob("*~*")):
        task, _, repeat = folder.name.rpartition("~")
        if re.fullmatch("[0-9]{1,9}", repeat) and folder.is_dir() and is_folder_name(folder.name):
            if any(committed_folders(folder)):
                yield task, int(repeat)
        else:
            warnings.append(f"episodes/{clean(folder.name)}: not the folder of an episode")


def committed_folders(episode: Path) -> list[Path]:
    """The folders of an episode's committed tries, oldest first."""
    tries = [(m, p) for p in episode.glob("try-*") if (m := _TRY.fullmatch(p.name))]
    return [p for m, p in sorted(tries, key=lambda t: int(t[0][1])) if (p / "evidence.json").is_file()]


def last_try(run: Path, row: Row) -> Path | None:
    """The folder of the try that counts, or None."""
    if not row.folder:
        return None
    folders = committed_folders(run / "episodes" / row.folder)
    return folders[-1] if folders else None


def read_tolerant(folder: Path, where: str) -> tuple[Committed | None, list[str]]:
    """The try in `folder` with the verdicts that hold for it, or None; and what is wrong, a line each."""
    path = folder / "evidence.json"
    try:
        data = path.read_bytes()
        evidence = load(Evidence, cleaned(loads(data, path.name)), path.name)
    except (InputFault, OSError) as error:
        return None, [f"{where}: {clean(_line(error))}"]
    digest, problems = sha256(data), []
    verdicts: dict[str, Verdict | Ungraded] = {}
    for file in sorted((folder / "verdicts").glob("*.json")):
        try:
            verdict = read_verdict(file)
        except InputFault as error:
            problems.append(f"{where}: {clean(_line(error).replace(str(file), file.name))}")
            continue
        if verdict.evidence == digest:
            verdicts[file.stem] = verdict
        else:
            problems.append(f"{where}: verdict {clean(file.stem)} was given on other evidence and does not count")
    return Committed(evidence, digest, folder, verdicts), problems


def _line(error: BaseException) -> str:
    if isinstance(error, OSError):
        return f"{Path(str(error.filename)).name}: cannot be read: {error.strerror}"
    return " ".join(str(error).split())[:400]


def _row(path: Path, key: tuple[str, int], task: Params, agent: str, warnings: list[str], history: History) -> Row:
    labels = task.get("labels")
    row = Row(
        task=key[0],
        repeat=key[1],
        agent=agent,
        labels=labels if isinstance(labels, Mapping) else {},
        difficulty=shown(task.get("difficulty")),
    )
    if not row.folder:
        warnings.append(f"run.json: field plan: task {key[0][:200]!r} cannot be the name of a folder")
    folder = last_try(path, row)
    if folder is None:
        return replace(row, why="no committed try", spent=_spent(path, row, None))
    where = f"{row.folder}/{folder.name}"
    item, problems = read_tolerant(folder, where)
    warnings += problems
    row = replace(row, spent=_spent(path, row, folder))
    if item is None:
        return replace(row, outcome=str(Outcome.UNGRADED.value), why=problems[0].removeprefix(f"{where}: "))
    if (item.evidence.task, item.evidence.repeat) != key:
        warnings.append(f"{where}: evidence.json is of {item.evidence.task}~{item.evidence.repeat}")
    word, flags = _standing(item, history)
    flags += own_flags(item)
    warnings += [f"{row.folder}: {flag}" for flag in flags]
    return _graded(replace(row, outcome=str(word.value), flags=flags), item, problems, warnings)


def own_flags(item: Committed) -> tuple[str, ...]:
    """Sentences that the environment put into the findings: what a person should look at."""
    said = item.evidence.findings.get("flags")
    return tuple(clean(str(flag))[:400] for flag in said) if isinstance(said, list | tuple) else ()


def _standing(item: Committed, history: History) -> tuple[Outcome, tuple[str, ...]]:
    """What the episode counts as; all its tries are read only where they matter."""
    if item.evidence.ending is not Ending.INFRA and not history.requeued(item.key):
        return outcome(item.evidence, item.verdicts), ()
    read = (read_tolerant(folder, folder.name)[0] for folder in committed_folders(item.folder.parent))
    return standing([one for one in read if one is not None], history)


def _graded(row: Row, item: Committed, problems: list[str], warnings: list[str]) -> Row:
    evidence, word = item.evidence, headline(item.verdicts)
    stopped = f"limit: {evidence.why}" if evidence.ending is Ending.LIMIT else evidence.why
    reasons = [stopped, word.why if word else "", *([] if word else problems)]
    return replace(
        row,
        agent=evidence.agent or row.agent,
        ending=str(evidence.ending.value),
        steps=min(evidence.steps, 2**53),
        seconds=_seconds(item.folder, f"{row.folder}/{item.folder.name}", warnings),
        why=clean("; ".join(reason for reason in reasons if reason)) or "no verdict",
        answer=clean(evidence.answer[:ANSWER_LIMIT]),
    )


def _spent(run: Path, row: Row, last: Path | None) -> Spent:
    """What the episode's tries took, `last` being the one that counts."""
    if not row.folder:
        return NOTHING
    committed = committed_folders(run / "episodes" / row.folder)
    used = {folder: of_try(folder, _said(folder)) for folder in committed}
    begun = [p for p in (run / "episodes" / row.folder).glob("try-*") if _TRY.fullmatch(p.name) and p not in used]
    lost = [usage for folder, usage in used.items() if folder != last] + [of_steps(folder) for folder in begun]
    counted = used[last] if last is not None else Usage()
    return Spent(counted=counted, lost=total(lost), tries=len(committed), cut_off=len(begun))


def _said(folder: Path) -> Params:
    """The usage in a try's evidence; what cannot be read says nothing."""
    item, _ = read_tolerant(folder, folder.name)
    return item.evidence.usage if item else {}


def _seconds(folder: Path, where: str, warnings: list[str]) -> float | None:
    """From the start of the first step to the end of the last, thinking between them included; None: nothing timed.

    A clock that was set back must not make it less than the steps' own seconds.
    """
    own, began, ended = None, None, None
    try:
        for line in read_lines(folder / "timings.jsonl"):
            seconds, at = (line.get("seconds"), line.get("at")) if isinstance(line, Mapping) else (None, None)
            if isinstance(seconds, int | float) and isfinite(seconds):
                own = (own or 0.0) + seconds
                ended = _instant(at)
                began = began if began is not None or ended is None else ended - seconds
    except InputFault as error:
        warnings.append(f"{where}: {clean(_line(error).replace(str(folder), where))}")
    span = ended - began if began is not None and ended is not None else 0.0
    return None if own is None else round(max(own, span), 3)


def _instant(text: object) -> float | None:
    """Seconds since 1970 of an ISO 8601 text; None for anything else."""
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except (ValueError, OverflowError):
        return None
