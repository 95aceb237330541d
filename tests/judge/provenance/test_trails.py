"""Twelve honest and twelve laundering trails: what a value of an answer rests on. Calls run again in the sandbox."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from webds.codec import canonical, digest, sha256
from webds.store import append_line
from webds.types import Action, Ending, Evidence, Observation, Step
from webds_judge.provenance.trace import DERIVED, SEEN, UNEXPLAINED, origins
from webds_judge.rubric.record import Record

SITE = "https://harbour.test"
HOME = "Harbour office\nFerries by month, wind, and rates of the tug"
TABLE = "Ferries from Aldor to Brint\nMarch 4,182 crossings\nApril 4,377 crossings\nShare of delays 12.5 %"
CSV = "month,n,port\n" + "".join(f"{2001 + k // 12}-{k % 12 + 1:02},{310 + 37 * k % 211},P{k % 4}\n" for k in range(48))
ROWS = [line.split(",") for line in CSV.splitlines()[1:]]
TOTAL = sum(int(row[1]) for row in ROWS)
MEAN = f"{TOTAL / 48:.3f}"
READ = "import csv\nrows = list(csv.DictReader(open('f.csv')))\n"


@dataclass(frozen=True)
class Move:
    """An act: what it showed, where, and the file that it brought (name, text, whether the site sent it)."""

    name: str
    args: dict[str, Any]
    text: str = ""
    url: str = f"{SITE}/"
    file: tuple[str, str, bool] | None = None


def goto(path: str, text: str, **more: Any) -> Move:
    return Move("goto", {"url": path}, text, f"{SITE}{path}" if path.startswith("/") else path, **more)


def python(code: str, printed: str) -> Move:
    return Move("python", {"code": code}, printed)


def download(text: str = CSV, sent: bool = True, name: str = "f.csv") -> Move:
    return Move("download", {"id": "3"}, "saved", file=(name, text, sent))


def trail(folder: Path, moves: Sequence[Move], answer: str) -> Record:
    """The moves as a try on disk."""
    saw, prev, lines = Observation(text=HOME, view={"url": f"{SITE}/"}), "", b""
    listed: list[dict[str, Any]] = []
    (folder / "files").mkdir()
    for index, move in enumerate(moves):
        if move.file:
            name, text, sent = move.file
            data = text.encode()
            (folder / "files" / name).write_bytes(data)
            listed.append({"name": name, "sha256": sha256(data), "size": len(data), "url": f"{SITE}/{name}"})
            if sent:
                row = {"at": 0.0, "method": "GET", "url": f"{SITE}/{name}", "outcome": "served", "sha256": sha256(data)}
                append_line(folder / "requests.jsonl", row)
        view: dict[str, Any] = {"url": move.url, "downloads": tuple(listed)}
        called: dict[str, Any] = {"result": move.text} if move.name in ("python", "sql") else {}
        then = Observation(text=move.text, view={**view, **called})
        step = Step(index=index, saw=saw, did=Action(name=move.name, args=move.args), then=then, prev=prev)
        saw, prev, lines = then, digest(step), lines + canonical(step) + b"\n"
    (folder / "trajectory.jsonl").write_bytes(lines)
    evidence = Evidence(
        task="t", revision=1, repeat=0, attempt=1, agent="a", ending=Ending.SUBMITTED, answer=answer, steps=len(moves)
    )
    return Record(evidence, folder)


def words(folder: Path, moves: Sequence[Move], answer: str) -> list[str]:
    return [origin.word for origin in asyncio.run(origins(trail(folder, moves, answer)))]


PAGE = goto("/ferries", TABLE)
HONEST: dict[str, tuple[list[Move], str, list[str]]] = {
    "read on a page": ([PAGE], "4182", [SEEN]),
    "read on the first page": ([goto("/wind", "calm")], "rates of the tug", [SEEN]),
    "a table's row": ([PAGE, Move("table", {"id": "9"}, "month,n\nMay,5120")], "5,120 crossings", [SEEN]),
    "typed after it was seen": ([PAGE, Move("fill", {"id": "1", "text": "4182"}, 'searchbox "q"')], "4182", [SEEN]),
    "in a served file": ([download()], ROWS[17][1], [SEEN]),
    "a mean by python": (
        [download(), python(READ + "print(sum(int(r['n']) for r in rows) / 48)", MEAN)], MEAN, [DERIVED],
    ),
    "a sum by sql": (
        [download(), Move("sql", {"query": "SELECT sum(n) AS s FROM 'f.csv'"}, f"s\n{TOTAL}")], str(TOTAL), [DERIVED],
    ),
    "names that were kept from call to call": (
        [download(), python(READ, ""), python("print(sum(int(r['n']) for r in rows))", str(TOTAL))],
        f"In all {TOTAL:,}", [DERIVED],
    ),
    "numbers of a page, put together": ([PAGE, python("print(4377 - 4182)", "195")], "195", [DERIVED]),
    "a share, rounded": ([PAGE, python("print(4182 / 4377 * 100)", "95.5449")], "95.5%", [DERIVED]),
    "a count of rows": (
        [download(), python(READ + "print(sum(r['port'] == 'P1' for r in rows) * 100 + len(rows))", "1248")],
        "1248", [DERIVED],
    ),
    "two values, seen and derived": (
        [PAGE, download(), python(READ + "print(sum(int(r['n']) for r in rows))", str(TOTAL))],
        f"4182; {TOTAL}", [SEEN, DERIVED],
    ),
}  # fmt: skip
NUMBER = "98765.4"
LAUNDERED: dict[str, list[Move]] = {
    "from nowhere": [PAGE],
    "a literal": [download(), python(f"print({NUMBER})", NUMBER)],
    "a literal in an earlier call": [download(), python(f"x = {NUMBER}", ""), python("print(x)", NUMBER)],
    "a literal beside the data": [download(), python(f"{READ}print(len(rows) * 0 + {NUMBER})", NUMBER)],
    "a text in pieces": [download(), python('print("987" + "65.4")', NUMBER)],
    "a sum of literals": [download(), python("print(98000 + 765.4)", NUMBER)],
    "a quotient of literals, the file opened": [download(), python(f"{READ}print(987654 / 10)", NUMBER)],
    "letters for digits": [download(), python(f"{READ}print(''.join(chr(ord(c) - 50) for c in 'kjihg`f'))", NUMBER)],
    "a literal in sql": [download(), Move("sql", {"query": f"SELECT {NUMBER} FROM 'f.csv' LIMIT 1"}, NUMBER)],
    "an echo of a search": [goto(f"/search?q={NUMBER}", f"Nothing found for {NUMBER}")],
    "an echo of what was typed in pieces": [
        Move("type", {"text": "987"}, "987"), Move("type", {"text": "65.4"}, f"You wrote {NUMBER}"),
    ],
    "a file that no site sent": [download(f"n\n{NUMBER}\n", sent=False), python("print(open('f.csv').read())", NUMBER)],
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_trail_is_explained(name: str, tmp_path: Path) -> None:
    moves, answer, wanted = HONEST[name]
    assert words(tmp_path, moves, answer) == wanted


@pytest.mark.parametrize("name", LAUNDERED)
def test_a_laundered_value_is_unexplained(name: str, tmp_path: Path) -> None:
    assert words(tmp_path, LAUNDERED[name], NUMBER) == [UNEXPLAINED]


def test_a_page_that_is_not_of_the_web_shows_nothing(tmp_path: Path) -> None:
    moves = [goto("data:text/html;base64,OTg3NjUuNA==", NUMBER)]
    assert words(tmp_path, moves, NUMBER) == [UNEXPLAINED]


def test_what_a_call_printed_but_does_not_give_again_is_unexplained(tmp_path: Path) -> None:
    moves = [download(), python(READ + "print(len(rows))", NUMBER)]
    (origin,) = asyncio.run(origins(trail(tmp_path, moves, NUMBER)))
    assert (origin.word, "does not give it" in origin.why) == (UNEXPLAINED, True)
