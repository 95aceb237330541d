"""A run told what to do from another shell, through files in its folder: it works wherever the folder can be reached.

control/pause              there while the run is to pause: running episodes finish, no other begins
control/cancel             the runner stops as at Ctrl-C, and takes the file away
control/requeue-<hex>.json {"task", "repeat"}: the episode is run once more; kept until a runner has taken it
state.json                 what the runner says of itself: pid, host, state, running, queued
"""

import json
import os
import secrets
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webds.errors import InputFault
from webds.store import read_json, write_json

type Key = tuple[str, int]


class Control:
    """The control files of one run folder. Both sides use it: verbs ask, the runner looks."""

    def __init__(self, run: Path) -> None:
        self._folder = run / "control"
        self._state = run / "state.json"

    @property
    def paused(self) -> bool:
        """Whether the run is to pause."""
        return (self._folder / "pause").exists()

    @property
    def cancelled(self) -> bool:
        """Whether the run is to stop."""
        return (self._folder / "cancel").exists()

    def pause(self) -> None:
        """Ask for a pause."""
        self._folder.mkdir(exist_ok=True)
        (self._folder / "pause").touch()

    def unpause(self) -> None:
        """Let it go on."""
        (self._folder / "pause").unlink(missing_ok=True)

    def cancel(self) -> None:
        """Ask for a stop."""
        self._folder.mkdir(exist_ok=True)
        (self._folder / "cancel").touch()

    def requeue(self, key: Key) -> None:
        """Ask for one more run of an episode."""
        body = {"task": key[0], "repeat": key[1]}
        write_json(self._folder / f"requeue-{secrets.token_hex(8)}.json", body)

    def requeues(self) -> Iterator[tuple[Path, Key]]:
        """What is asked for, oldest first: the request's file and the episode. Malformed requests are passed over."""
        files = self._folder.glob("requeue-*.json")
        for path in sorted(files, key=lambda p: (p.stat().st_mtime_ns, p.name)):
            match _read(path):
                case {"task": str(task), "repeat": int(repeat)}:
                    yield path, (task, repeat)

    def begin(self) -> None:
        """A runner starts: whoever starts it wants it to run."""
        for name in ("pause", "cancel"):
            (self._folder / name).unlink(missing_ok=True)

    def say(self, state: str, **more: Any) -> None:
        """The runner's own word, for `webds status`."""
        body = {"pid": os.getpid(), "host": socket.gethostname(), "state": state, **more}
        beside = self._state.with_name(f".{self._state.name}.part")  # not flushed: it says how it is, not what was done
        beside.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
        beside.replace(self._state)

    def said(self) -> Mapping[str, Any]:
        """What a runner last said; empty where none has."""
        value = _read(self._state)
        return value if isinstance(value, Mapping) else {}


def _read(path: Path) -> Any:
    try:
        return read_json(path)
    except InputFault:
        return None
