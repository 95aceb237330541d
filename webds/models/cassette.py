"""Recorded model calls: a published run is repeated without a model, and tests stay exact.

A JSON line a call: {"key", "scope", "attempt", "role", "reply"}. The key is the sha256 of the request's content (model,
messages, tools, schema, sampling): never its address, headers or key. Equal requests of one episode are told apart by
their order, those of different episodes by the scope `<task>~<repeat>`.
"""

import fcntl
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from webds.codec import digest
from webds.errors import InputFault


def key_of(request: dict[str, Any]) -> str:
    """Hash of a request body without what differs between two recordings."""
    return digest({name: value for name, value in request.items() if name not in ("stream", "stream_options")})


class Recording:
    """Appends calls to a file that several processes may share."""

    def __init__(self, path: Path, secret: str) -> None:
        self._path = path
        self._secret = secret
        path.parent.mkdir(parents=True, exist_ok=True)

    def put(self, request: dict[str, Any], scope: str, role: str, reply: dict[str, Any]) -> None:
        """One call, whole on the disk before the next one."""
        place, _, attempt = scope.rpartition("/")
        row = {"key": key_of(request), "scope": place or scope, "attempt": attempt, "role": role, "reply": reply}
        line = json.dumps(row, ensure_ascii=False)
        if len(self._secret) >= 8:  # a shorter one is no key, and would be found in ordinary words
            line = line.replace(self._secret, "[key]")
        with self._path.open("a", encoding="utf-8", errors="surrogatepass") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(line + "\n")


class Cassette:
    """Answers from a recording. Of several tries of an episode the last one is played."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[tuple[str, str], dict[int, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
        self._played: dict[tuple[str, str], int] = defaultdict(int)
        with path.open(encoding="utf-8", errors="surrogatepass") as file:
            for number, line in enumerate(file, 1):
                self._read(line, number)

    def _read(self, line: str, number: int) -> None:
        try:
            row = json.loads(line)
            place = (str(row["key"]), str(row["scope"]))
            self._rows[place][int(row["attempt"] or 0)].append(row["reply"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputFault(f"{self._path}: line {number}: not a recorded call ({type(error).__name__})") from error

    def get(self, request: dict[str, Any], scope: str) -> dict[str, Any]:
        """The recorded reply. InputFault if there is none: the run would not be a repeat of the recorded one."""
        wanted = key_of(request)
        name = scope.rpartition("/")[0] or scope
        tries = self._rows.get((wanted, name)) or self._elsewhere(wanted)
        if tries is None:
            raise InputFault(
                f"{self._path}: no recorded reply for a call of {name or 'this run'} (request {wanted[:12]}); "
                "task, prompt, model or settings differ from the recording"
            )
        replies = tries[max(tries)]
        place = (wanted, scope)
        played = self._played[place]
        self._played[place] += 1
        return replies[min(played, len(replies) - 1)]

    def _elsewhere(self, wanted: str) -> dict[int, list[dict[str, Any]]] | None:
        return next((tries for (key, _), tries in self._rows.items() if key == wanted), None)
