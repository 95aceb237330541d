"""JSON from strangers: no NaN, no doubled names, no endless line, no deep nest."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from webds.errors import InputFault

MOST = 64 << 20
"""Bytes of one JSON file."""
LINE = 16 << 20
"""Bytes of one JSON line."""


def read(data: bytes, where: str) -> Any:
    """One JSON value. InputFault names `where` and the reason."""
    if len(data) > MOST:
        raise InputFault(f"{where}: longer than {MOST >> 20} MB")
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_constant, parse_float=_float, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputFault(f"{where}: not JSON as it is wanted: {' '.join(str(error).split())[:200]}") from error


def lines(path: Path, where: str) -> Iterator[tuple[bytes, Any]]:
    """(bytes, value) of each JSON line. An overlong line is refused before it is held."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LINE + 1):
            number += 1
            if len(line) > LINE:
                raise InputFault(f"{where}:{number}: a line longer than {LINE >> 20} MB")
            if not line.endswith(b"\n"):
                raise InputFault(f"{where}:{number}: the last line is cut off")
            yield line[:-1], read(line, f"{where}:{number}")


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number in JSON")


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:40]} is no finite number")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found
