"""Task files of a run's own and a captured archive: `--tasks FILE`, `--capture` and `--archive RUN` as config."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from webds.errors import InputFault
from webds.store import RunFolder
from webds.tracks.livearchive import gather


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Task words without the files among them, and the `--set` words that stand for the rest."""

    words: tuple[str, ...]
    sets: tuple[str, ...]


def choose_files(track: str, tasks: Iterable[str], *, capture: bool, archive: Path | None) -> Chosen:
    """Split `--tasks` into words and files. InputFault: the options do not go together, or the live run has nothing."""
    given = tuple(tasks)
    files = [str(Path(word).resolve()) for word in given if word.endswith(".toml")]
    words = tuple(word for word in given if not word.endswith(".toml"))
    if capture and track != "live":
        raise InputFault(f"--capture: goes with --track live, not with {track}")
    if archive is not None:
        return _frozen(track, words, files, archive)
    if track == "live" and not files:
        raise InputFault("--track live: wanted --tasks FILE, a tasks.toml of your own: none is shipped (docs/live.md)")
    sets = [f"task_files={json.dumps(files)}"] if files else []
    return Chosen(words=words, sets=(*sets, *(["live.capture=true"] if capture else [])))


def _frozen(track: str, words: tuple[str, ...], files: list[str], archive: Path) -> Chosen:
    """The tasks of a live run on what it captured."""
    if track == "live" or files:
        raise InputFault("--archive RUN: runs RUN's own tasks frozen; without --track live and without a task file")
    run = RunFolder.view(archive)
    own = run.head.get("config", {}).get("task_files") or []
    if run.head.get("track") != "live" or not own:
        raise InputFault(f"{archive / 'run.json'}: field track: {run.head.get('track')!r}; --archive wants a live run")
    folder = gather(run)
    named = words or (",".join(str(row["id"]) for row in run.head.get("tasks", ())),)
    return Chosen(words=named, sets=(f"task_files={json.dumps(own)}", f"archive={json.dumps(str(folder))}"))
