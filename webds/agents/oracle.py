"""Agent `oracle`: is given the key, reads every evidence value from the running site, and hands in the reference.

It proves that a task can be done on what the site serves: a cell or text that is not there, or has another value,
ends its episode without an answer. No other agent can be given a key.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webds import cells, errors, types
from webds.agents.hand import Hand, newest
from webds.errors import InputFault
from webds.ports import Session
from webds.types import Action, AnswerKey, Check, Json, Params


class Mismatch(Exception):
    """The running site does not show what the key's evidence says."""


class Oracle:
    """webds.ports.Agent. It works with the session's own actions, and reads downloads through the python tool."""

    def __init__(self, key: AnswerKey) -> None:
        self._key = key

    async def solve(self, session: Session) -> None:
        """Read all evidence, then submit."""
        if self._key.task != session.task.id:
            raise InputFault(f"the key is for task {self._key.task}, not {session.task.id}")
        await session.observe()
        saved: dict[str, str] = {}
        answer, files = "", []
        for check in self._key.checks:
            read = [await self._read(session, item, saved) for item in _evidence(check)]
            if check.kind == "csv_file":
                files.append(await _write(session, check.params))
            elif check.kind == "sql":
                await _act(Hand(session), check.params)
            else:
                answer = _answer(check.params, read)
        await session.submit(answer, files)

    async def _read(self, session: Session, item: Params, saved: dict[str, str]) -> tuple[bool, str]:
        """(is the answer, value) of one piece of evidence, as the site serves it now."""
        shown = await (_cell(session, item, saved) if item["kind"] == "cell" else _text(session, item))
        if shown != str(item["value"]):
            raise Mismatch(f"{item['url']}: {dict(item)}: the site serves {shown!r}")
        return bool(item.get("answer")), shown


def _evidence(check: Check) -> tuple[Params, ...]:
    listed = check.params.get("evidence")
    rows = listed if isinstance(listed, list | tuple) else ()
    return tuple(row for row in rows if isinstance(row, Mapping))


def _answer(params: Params, read: list[tuple[bool, str]]) -> str:
    """The value read from the site where evidence names it as the answer, else the reference in plain form."""
    marked = [value for is_answer, value in read if is_answer]
    return marked[0] if marked else written(params.get("reference"))


def written(reference: Json) -> str:
    """A reference as a person would type it."""
    if isinstance(reference, Mapping):
        options = reference.get("any_of")
        if isinstance(options, list | tuple):
            return written(options[0])
        return written(reference.get("value", reference.get("min")))
    if isinstance(reference, bool):
        return "yes" if reference else "no"
    if isinstance(reference, list | tuple):
        return json.dumps([written(item) for item in reference])
    return str(reference)


async def _cell(session: Session, item: Params, saved: dict[str, str]) -> str:
    url = str(item["url"])
    if not saved:
        await session.act(Action(name="python", args={"code": _READER}))
    if url not in saved:
        then = await session.act(Action(name="download", args={"url": url}))
        if then.refused:
            raise Mismatch(f"{url}: {then.refused}")
        saved[url] = newest(then)
    name = saved[url]
    where = {key: value for key, value in item.items() if key not in ("kind", "url", "value", "answer")}
    code = f"print(read_cell(open({name!r}, 'rb').read(), {name!r}, {where!r}), end='')"
    then = await session.act(Action(name="python", args={"code": code}))
    if then.refused:
        raise Mismatch(f"{name}: {then.refused}")
    return str(then.view.get("result", ""))


def _reader() -> str:
    """Code that makes `read_cell` in the tools' sandbox, which has no webds: the validator's own source goes in."""
    sources = {module.__name__: Path(str(module.__file__)).read_text("utf-8") for module in (errors, types, cells)}
    return (
        "import sys, types as _t\nsys.modules['webds'] = _t.ModuleType('webds')\n"
        f"for _name, _source in {sources!r}.items():\n"
        "    sys.modules[_name] = _t.ModuleType(_name)\n"
        "    exec(compile(_source, _name, 'exec'), sys.modules[_name].__dict__)\n"
        "from webds.cells import read_cell"
    )


_READER = _reader()


async def _text(session: Session, item: Params) -> str:
    then = await session.act(Action(name="download", args={"url": str(item["url"])}))
    if then.refused:
        raise Mismatch(f"{item['url']}: {then.refused}")
    code = (
        "from bs4 import BeautifulSoup\n"
        f"page = BeautifulSoup(open({newest(then)!r}, encoding='utf-8'), 'lxml')\n"
        f"found = page.select_one({str(item['selector'])!r})\n"
        "print(' '.join(found.get_text(' ').split()) if found else '', end='')"
    )
    return str((await session.act(Action(name="python", args={"code": code}))).view.get("result", ""))


async def _act(hand: Hand, params: Params) -> None:
    """Do what the key's `act` says: lists of goto, click, fill or press with what the method of Hand takes."""
    steps = params.get("act")
    for step in steps if isinstance(steps, list | tuple) else ():
        verb, *words = [str(word) for word in step] if isinstance(step, list | tuple) else [str(step)]
        if verb not in ("goto", "click", "fill", "press"):
            raise InputFault(f"act: no verb {verb!r:.80}; known: goto, click, fill, press")
        await getattr(hand, verb)(*words)


async def _write(session: Session, params: Params) -> str:
    name = str(params["file"])
    code = f"open({name!r}, 'w', encoding='utf-8', newline='').write({str(params['reference'])!r})"
    then = await session.act(Action(name="python", args={"code": code}))
    if then.refused:
        raise Mismatch(f"{name}: {then.refused}")
    return name


def make(config: Mapping[str, Any]) -> Oracle:
    """Entry point webds.agents: oracle. config: key, which only the judge's process gives."""
    key = config.get("key")
    if not isinstance(key, AnswerKey):
        raise InputFault("agent oracle: needs the key of the task; it runs only through webds run --agent oracle")
    return Oracle(key)
