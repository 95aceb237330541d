"""Actions that read what is there without changing it: find, table, wait."""

import asyncio
import csv
import io
import time
from collections.abc import Mapping
from typing import Any

from playwright.async_api import Error

from webds.envs.browser.engine import ask
from webds.envs.browser.hands import Hands, Kind
from webds.envs.browser.ids import Target
from webds.envs.browser.refusal import Refused
from webds.envs.browser.schema import FLAG, ID, NUMBER, TEXT, TEXTS, WHOLE, about, schema
from webds.types import Params

MOST_FOUND = 20
ROWS, MOST_ROWS = 50, 500
TABLE_CHARS = 14_000
GRID_SECONDS = 25.0
MOST_WAIT = 30.0
_LOOK = 0.1


async def find(hands: Hands, args: Params) -> str:
    """Where a text stands on the page, all frames and all rows of tables included."""
    text = str(args["text"]).strip()
    if not text:
        raise Refused("find wants a text")
    lines: list[str] = []
    hidden = 0
    for frame, answer in await hands.each("find", text=text, most=MOST_FOUND):
        hidden += answer["hidden"]
        where = "" if frame is hands.page.main_frame else f" (frame {frame.url[:80]})"
        lines += [_hit(hit) + where for hit in answer["found"]]
    note = f"; {hidden} more in hidden parts of the page" if hidden else ""
    if not lines:
        return f"{text!r} is not on this page as text{note}"
    more = f" (the first {MOST_FOUND})" if len(lines) >= MOST_FOUND else ""
    return "\n".join([f"{len(lines[:MOST_FOUND])} places with {text!r}{more}{note}:", *lines[:MOST_FOUND]])


def _hit(hit: Mapping[str, Any]) -> str:
    around = [f"in table [{hit['table']}]"] if hit["table"] else []
    around += [f"at {hit['act']}"] if hit["act"] else []
    return f"- {hit['line']}" + (f"  ({', '.join(around)})" if around else "")


async def table(hands: Hands, args: Params) -> str:
    """Rows of a table as CSV with the row's number first; a virtualised grid is scrolled through."""
    target = await hands.target(args["id"])
    columns = args.get("columns")
    wanted = {
        "start": max(int(str(args.get("start", 1))), 1),
        "count": min(max(int(str(args.get("count", ROWS))), 1), MOST_ROWS),
        "columns": list(columns) if isinstance(columns, list | tuple) else [],
        "match": str(args.get("match", "")),
    }
    options = {**wanted, "id": target.id, "chars": TABLE_CHARS}
    answer = await hands.ids.ask(target.frame, "rows", 10, links=args.get("elements") is True, **options)
    if answer.get("virtual"):
        answer = await _harvest(target, options)
    return _csv(answer, wanted)


async def _harvest(target: Target, options: Mapping[str, Any]) -> Any:
    """Scroll a virtualised grid in the page and wait for its rows. Refused if none come."""
    await ask(target.frame, "startHarvest", milliseconds=round(GRID_SECONDS * 1000), **options)
    end = time.monotonic() + GRID_SECONDS + 5
    while time.monotonic() < end:
        answer = await ask(target.frame, "harvested", **options)
        if answer["done"]:
            return answer
        await asyncio.sleep(_LOOK)
    raise Refused(f"the grid did not give its rows within {GRID_SECONDS:g} s")


def _csv(answer: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    rows, total, matched = answer["rows"], answer["total"], answer["matched"]
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(["row", *answer["names"]])
    for number, values in rows:
        write([number, *values])
    said = (
        f"{len(rows)} of {total} rows" if matched is None else f"{len(rows)} of {matched} matching rows, {total} in all"
    )
    notes = []
    if answer["cut"]:
        notes.append(f"cut at {TABLE_CHARS} characters; go on with start {wanted['start'] + len(rows)}")
    if answer.get("why"):
        notes.append(f"not all rows were read ({answer['why']}): {answer['read']} were")
    if not rows:
        notes.append("none in this range" if matched is None else f"no row holds {wanted['match']!r}")
    return f"{said}{'; ' if notes else ''}{'; '.join(notes)}\n{out.getvalue()}"


async def wait(hands: Hands, args: Params) -> str:
    """Until a text is there, an element goes or comes back, or some seconds have passed."""
    limit = min(float(str(args.get("seconds", 10))), MOST_WAIT)
    end = time.monotonic() + limit
    text = str(args.get("text", ""))
    while True:
        if text and any(answer["there"] for _, answer in await hands.each("has", text=text)):
            return f"{text!r} is there"
        if args.get("id") and await _visible(hands, args["id"]):
            return f"element [{args['id']}] is visible"
        if time.monotonic() >= end:
            break
        await asyncio.sleep(min(_LOOK, max(end - time.monotonic(), 0.001)))
    if text or args.get("id"):
        raise Refused(f"{repr(text) if text else 'element ' + str(args['id'])} did not appear within {limit:g} s")
    return f"waited {limit:g} s"


async def _visible(hands: Hands, wanted: object) -> bool:
    try:
        return bool((await hands.target(wanted)).state["visible"])
    except Error:
        return False


READING: Mapping[str, Kind] = {
    "find": Kind(
        act=find,
        schema=schema({"text": TEXT}, "text"),
        text="Find a text on the whole page, also in table rows that the observation leaves out.",
        reads=True,
    ),
    "table": Kind(
        act=table,
        schema=schema(
            {
                "id": ID,
                "start": about(WHOLE, "first row, from 1; with match: first of the matching rows"),
                "count": about(WHOLE, f"rows, at most {MOST_ROWS}; {ROWS} if left out"),
                "columns": about(TEXTS, "names or numbers of the columns wanted"),
                "match": about(TEXT, "only rows that hold this text"),
                "elements": about(FLAG, "add ids of links and buttons in each row"),
            },
            "id",
        ),
        text="Rows of a table as CSV: a range, some columns, or the rows with a text. Reads grids that load on scroll.",
        reads=True,
    ),
    "wait": Kind(
        act=wait,
        schema=schema({"text": TEXT, "id": ID, "seconds": about(NUMBER, f"at most {MOST_WAIT:g}")}),
        text="Wait until a text is on the page, an element is visible, or for some seconds.",
    ),
}
