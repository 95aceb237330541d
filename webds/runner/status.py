"""How a run stands, read from its folder by anybody, while it runs or after."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from webds.control import Control
from webds.errors import InputFault
from webds.standing import ENDPOINT, History, Key, standing
from webds.store import RunFolder, read_json, read_lines

SETTLED = ("finished", "stopped")
MATRIX = "matrix.json"
"""In the folder of a matrix of runs, beside its cells' folders (webds.cli.matrix)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """`state`: running, pausing, paused, waiting for the model endpoint, finished, stopped, or killed."""

    run: str
    state: str
    planned: int
    done: int
    """Episodes with a committed try."""
    outcomes: Mapping[str, int]
    running: tuple[Mapping[str, Any], ...]
    """task, repeat, try, since of each episode that runs now."""
    tries: Mapping[str, int]
    """Tries of all episodes: begun, committed, infra, by_endpoint, blocked, cut_off."""
    requeues: int
    """Requests that no runner has taken yet."""
    pid: int | None = None
    host: str = ""

    @property
    def settled(self) -> bool:
        """Whether no runner works on it."""
        return self.state in (*SETTLED, "killed", "never started")

    def plain(self) -> dict[str, Any]:
        """For --json."""
        return asdict(self)


def read_status(path: Path) -> Status:
    """The status of the run in `path`. InputFault: no run there."""
    run = RunFolder.view(path)
    control = Control(path)
    said = control.said()
    history = History.read(path)
    outcomes = _outcomes(run, history)
    state = _state(str(said.get("state", "")), run.in_use())
    settled = state in (*SETTLED, "killed", "never started")
    planned = run.head.get("plan")
    return Status(
        run=str(path),
        state=state,
        planned=len(planned) if isinstance(planned, list) else 0,
        done=sum(outcomes.values()),
        outcomes=dict(sorted(outcomes.items())),
        running=() if settled else tuple(said.get("running", ())),
        tries=_tries(path),
        requeues=len(list(control.requeues())),
        pid=None if settled else said.get("pid"),
        host=str(said.get("host", "")),
    )


def _state(said: str, used: bool) -> str:
    """What the runner said, unless it is dead. The lock tells, wherever the file system passes locks on."""
    if not said:
        return "running" if used else "never started"
    if used or said in SETTLED:
        return said
    return "stopped" if said == "broke off" else "killed"


def _outcomes(run: RunFolder, history: History) -> Counter[str]:
    found: Counter[str] = Counter()
    for item in run.committed():
        found[standing(run.tries(*item.key), history)[0].value] += 1
    return found


def _tries(path: Path) -> dict[str, int]:
    begun: set[tuple[Key, int]] = set()
    counts = Counter(begun=0, committed=0, infra=0, by_endpoint=0, blocked=0)
    for row in read_lines(path / "log.jsonl"):
        match row:
            case {"event": "start", "task": str(task), "repeat": int(repeat), "attempt": int(attempt)}:
                begun.add(((task, repeat), attempt))
            case {"event": "commit", "ending": str(ending)}:
                counts["committed"] += 1
                counts["infra"] += ending == "infra"
                counts["by_endpoint"] += row.get("blame") == ENDPOINT
                counts["blocked"] += ending == "blocked"
    counts["begun"] = len(begun)
    return {**counts, "cut_off": max(0, counts["begun"] - counts["committed"])}


def going(run: Path) -> Control:
    """The control files of a run that is being run; of a matrix, those of the cell at work. InputFault: none is."""
    if (run / MATRIX).is_file():
        return _cell_at_work(run)
    found = read_status(run)
    if found.settled:
        raise InputFault(f"{run}: {found.state}: no runner works on it; go on with: webds run --resume {run}")
    return Control(run)


def cells(matrix: Path) -> list[Path]:
    """The folders of the runs that a matrix has begun, in its order. InputFault: its file is not readable."""
    kept = read_json(matrix / MATRIX)
    rows = kept.get("cells") if isinstance(kept, Mapping) else None
    named = [str(row.get("name")) for row in rows or () if isinstance(row, Mapping)]
    return [matrix / name for name in named if (matrix / name / "run.json").is_file()]


def _cell_at_work(matrix: Path) -> Control:
    for cell in cells(matrix):
        if not read_status(cell).settled:
            return Control(cell)
    raise InputFault(f"{matrix}: no runner works on any of its cells; go on with: webds run --resume {matrix}")


def find_episodes(run: RunFolder, words: list[str], outcome: str) -> list[Key]:
    """The planned episodes named `TASK` or `TASK~REPEAT`, and those that count as `outcome`. InputFault: no such."""
    planned = [(str(task), int(repeat)) for task, repeat in run.head.get("plan", ())]
    found: list[Key] = []
    for word in words:
        task, tilde, repeat = word.rpartition("~")
        named = [key for key in planned if key in ((task, _number(repeat)), (word, key[1] if not tilde else -1))]
        if not named:
            shown = ", ".join(f"{key[0]}~{key[1]}" for key in planned[:8]) + (", ..." if len(planned) > 8 else "")
            raise InputFault(f"{run.path}: no episode {word!r} in the plan; known: {shown}")
        found += named
    if outcome:
        history = History.read(run.path)
        for item in run.committed():
            if standing(run.tries(*item.key), history)[0].value == outcome:
                found.append(item.key)
    return list(dict.fromkeys(found))


def _number(text: str) -> int:
    return int(text) if text.isdigit() else -1
