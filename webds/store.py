"""The run folder: one writer, durable writes, and the rename of evidence.json as the only commit of an episode.

    runs/<id>/
      run.json                        plan, resolved config, facts of world and sandbox (format: 1)
      log.jsonl                       what the runner did, one event a line: the proof that no episode ran twice
      episodes.jsonl                  index of committed tries, rebuilt from the folders at any time
      blobs/ab/<sha256>               screenshots and other bytes, by content
      episodes/<task>~<repeat>/try-<k>/
        trajectory.jsonl              Step a line (hash-linked); timings.jsonl beside it: index, at, seconds, usage
        requests.jsonl                the proxy's log
        files/...                     the agent's work folder as it was left, downloads among it
        evidence.json                 Evidence, and its digests: present means committed
        verdicts/<judge>.json         {"kind": "verdict" | "ungraded", ...}
      results.json report.html        written by the report

Paths inside are relative to the run. JSON and blobs only, never pickle.
"""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds.codec import canonical, load, loads, plain, sha256
from webds.errors import InputFault
from webds.files import append_line as append_line
from webds.files import is_locked, make_folder, sync_file
from webds.files import read_json as read_json
from webds.files import read_lines as read_lines
from webds.files import sync_folder as sync_folder
from webds.files import write_atomic as write_atomic
from webds.files import write_json as write_json
from webds.types import Ending, Evidence, Step, Ungraded, Verdict

FORMAT = 1
_LOCK_TRIES = 5


@dataclass(frozen=True, slots=True)
class Committed:
    """One committed try: its evidence, the verdicts beside it by judge name, and where they lie."""

    evidence: Evidence
    digest: str
    folder: Path
    verdicts: Mapping[str, Verdict | Ungraded]

    @property
    def key(self) -> tuple[str, int]:
        return (self.evidence.task, self.evidence.repeat)

    @property
    def run(self) -> Path:
        """The run that it lies in: <run>/episodes/<episode>/<try>."""
        return self.folder.absolute().parents[2]


class RunFolder:
    """A run on disk. `create` and `open` take the writer's lock; `view` reads without it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.head: dict[str, Any] = {}
        self._lock: int | None = None

    @classmethod
    def create(cls, path: Path, head: Mapping[str, Any]) -> "RunFolder":
        """A new run folder with run.json. InputFault if one is already there."""
        if (path / "run.json").exists():
            raise InputFault(f"{path}: already holds a run; go on with --resume {path}, or choose another --out")
        make_folder(path.absolute())
        run = cls(path)
        run._take_lock()
        make_folder(run.path / "episodes")
        run.write_head({"format": FORMAT, **head})
        return run

    @classmethod
    def open(cls, path: Path) -> "RunFolder":
        """An existing run, for writing. InputFault: no run, another format, or in use."""
        run = cls.view(path)
        run._take_lock()
        run._sweep()
        return run

    @classmethod
    def view(cls, path: Path) -> "RunFolder":
        """An existing run, for reading."""
        if not (path / "run.json").is_file():
            raise InputFault(f"{path}: no run here (run.json is missing)")
        run = cls(path)
        run.head = read_json(path / "run.json")
        found = run.head.get("format") if isinstance(run.head, dict) else None
        if found != FORMAT:
            raise InputFault(f"{path / 'run.json'}: field format: {found!r}; this webds reads format {FORMAT}")
        return run

    def _take_lock(self) -> None:
        handle = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        for left in reversed(range(_LOCK_TRIES)):  # `in_use` of another process holds it for an instant
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if not left:
                    os.close(handle)
                    raise InputFault(f"{self.path}: in use by another webds process") from error
                time.sleep(0.05)
        self._lock = handle

    def _sweep(self) -> None:
        """Remove what a killed writer had not renamed yet."""
        for pattern in (".*.part", "episodes/*/*/.*.part", "episodes/*/*/verdicts/.*.part", "blobs/*/.*.part"):
            for path in self.path.glob(pattern):
                if path.is_dir() and not path.is_symlink():  # a work folder that was being kept
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)

    def in_use(self) -> bool:
        """Whether another process is writing this run."""
        try:
            return is_locked(self.path / ".lock")
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def write_head(self, head: Mapping[str, Any]) -> None:
        """Replace run.json."""
        write_json(self.path / "run.json", head)
        self.head = dict(head)

    def log(self, event: str, **fields: Any) -> None:
        """Append to log.jsonl."""
        append_line(self.path / "log.jsonl", {"event": event, **fields})

    def episode(self, task: str, repeat: int) -> Path:
        """Folder of one episode, all its tries below."""
        return self.path / "episodes" / f"{task}~{repeat}"

    def new_try(self, task: str, repeat: int) -> Path:
        """A fresh `try-<k>` folder; k goes on from whatever is there, so that nothing is overwritten."""
        folder = self.episode(task, repeat) / f"try-{self.last_try(task, repeat) + 1}"
        folder.mkdir(parents=True)
        return folder

    def last_try(self, task: str, repeat: int) -> int:
        """The number of the newest try, committed or not; 0 where there is none."""
        taken = [int(p.name[4:]) for p in self.episode(task, repeat).glob("try-*") if p.name[4:].isdigit()]
        return max(taken, default=0)

    def tries(self, task: str, repeat: int) -> list[Committed]:
        """Committed tries of one episode, oldest first."""
        episode = self.episode(task, repeat)
        folders = [p for p in episode.glob("try-*") if (p / "evidence.json").is_file()]
        return [read_try(p) for p in sorted(folders, key=lambda p: int(p.name[4:]))]

    def committed(self) -> Iterator[Committed]:
        """The last committed try of each episode, in order of task and repeat."""
        for episode in sorted((self.path / "episodes").glob("*~*")):
            task, _, repeat = episode.name.rpartition("~")
            tries = self.tries(task, int(repeat))
            if tries:
                yield tries[-1]

    def rebuild_index(self) -> int:
        """Write episodes.jsonl anew from the folders; returns the number of rows."""
        rows = [index_row(self.path, item) for item in self.committed()]
        write_atomic(self.path / "episodes.jsonl", b"".join(canonical(row) + b"\n" for row in rows))
        return len(rows)


def read_try(folder: Path) -> Committed:
    """The committed try in `folder`."""
    path = folder / "evidence.json"
    data = path.read_bytes()
    evidence = load(Evidence, loads(data, str(path)), str(path))
    verdicts = {p.stem: read_verdict(p) for p in sorted((folder / "verdicts").glob("*.json"))}
    return Committed(evidence, sha256(data), folder, verdicts)


def read_steps(folder: Path) -> list[Step]:
    """The steps of a try in order. InputFault: there is no trajectory, or one that cannot be read."""
    path = folder / "trajectory.jsonl"
    return [load(Step, row, str(path)) for row in read_lines(path)]


def commit(folder: Path, evidence: Evidence) -> str:
    """Write evidence.json: the try counts from here on. Returns its sha256.

    What the evidence names is made durable first, then the names of the folders up to the run, the evidence last: after
    a power cut there is either no evidence or all of it.
    """
    for path in _named(folder, evidence):
        sync_file(path)
        sync_folder(path.parent)
    for parent in folder.parents[:3]:  # <run>/episodes/<episode>/<try>
        sync_folder(parent)
    data = canonical(evidence) + b"\n"
    write_atomic(folder / "evidence.json", data)
    return sha256(data)


def _named(folder: Path, evidence: Evidence) -> list[Path]:
    """Files that others wrote, not flushed by them: what is handed in and collected, and the proxy's log."""
    paths = [folder / file.path for file in evidence.files]
    paths += [*(folder / "collected").rglob("*"), folder / "requests.jsonl"]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def write_verdict(folder: Path, verdict: Verdict | Ungraded) -> Path:
    """Keep a judge's word under verdicts/<judge>.json."""
    path = folder / "verdicts" / f"{verdict.judge.name}.json"
    kind = "verdict" if isinstance(verdict, Verdict) else "ungraded"
    body = plain(verdict)
    assert isinstance(body, dict)
    write_json(path, {"kind": kind, **body})
    return path


def read_verdict(path: Path) -> Verdict | Ungraded:
    """A verdict file back as a record."""
    data = read_json(path)
    kind = data.pop("kind", None) if isinstance(data, dict) else None
    if kind not in ("verdict", "ungraded"):
        raise InputFault(f"{path}: field kind: {kind!r}; known: verdict, ungraded")
    return load(Verdict, data, str(path)) if kind == "verdict" else load(Ungraded, data, str(path))


def index_row(run: Path, item: Committed) -> dict[str, Any]:
    """One line of episodes.jsonl."""
    evidence = item.evidence
    return {
        "task": evidence.task,
        "repeat": evidence.repeat,
        "try": evidence.attempt,
        "ending": evidence.ending,
        "evidence": item.digest,
        "path": str(item.folder.relative_to(run)),
        "final": evidence.ending is not Ending.INFRA,
    }
