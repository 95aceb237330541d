"""A short hand for scripted solutions: act by role and name as read from the observation, never by a selector."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webds.ports import Session
from webds.types import Action, Json, Observation

_LINE = re.compile(r'^\s*\[(\d+)\] ([\w-]+) ("(?:[^"\\]|\\.)*")')


class Stuck(Exception):
    """A script could not go on: the element or file it wants is not there, or the action was refused."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One line of the outline that can be acted on."""

    id: str
    role: str
    name: str


def marks(text: str) -> Iterator[Mark]:
    """Every `[id] role "name"` of an observation's text, in page order."""
    for line in text.splitlines():
        found = _LINE.match(line)
        if found:
            yield Mark(found[1], found[2], str(json.loads(found[3])))


def find(text: str, role: str, name: str) -> Mark:
    """The first mark with this role whose name equals `name`, else the first that contains it (case does not count)."""
    of_role = [mark for mark in marks(text) if mark.role == role]
    wanted = name.casefold()
    exact = [mark for mark in of_role if mark.name.casefold() == wanted]
    holding = [mark for mark in of_role if wanted in mark.name.casefold()]
    if not exact and not holding:
        raise Stuck(f"no {role} {name!r}; there are: {', '.join(repr(m.name) for m in of_role[:20]) or 'none'}")
    return (exact or holding)[0]


class Hand:
    """Drives a session; every method raises Stuck when the observation says that the action was refused."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seen = Observation()

    async def look(self) -> str:
        """The current observation's text."""
        self.seen = await self.session.observe()
        return self.seen.text

    async def do(self, name: str, **args: Json) -> Observation:
        """One action."""
        then = await self.session.act(Action(name=name, args=args))
        if then.refused:
            raise Stuck(f"{name}: {then.refused}")
        if name not in ("python", "sql", "files", "find", "table"):
            self.seen = then
        return then

    async def _mark(self, role: str, name: str) -> Mark:
        return find(self.seen.text or await self.look(), role, name)

    async def goto(self, url: str) -> str:
        """Open an address; returns the page's text."""
        return (await self.do("goto", url=url)).text

    async def click(self, role: str, name: str) -> str:
        """Click the element; returns the text of what is there then."""
        return (await self.do("click", id=(await self._mark(role, name)).id)).text

    async def fill(self, role: str, name: str, text: str) -> str:
        """Fill a field or choose from a list."""
        return (await self.do("fill", id=(await self._mark(role, name)).id, text=text)).text

    async def press(self, key: str) -> str:
        """Press a key."""
        return (await self.do("press", key=key)).text

    async def download(self, role: str, name: str) -> str:
        """Save what a link serves; returns the file's name in the work folder."""
        then = await self.do("download", id=(await self._mark(role, name)).id)
        return newest(then)

    async def python(self, code: str) -> str:
        """Run code in the work folder; returns what it printed."""
        return str((await self.do("python", code=code)).view.get("result", ""))

    async def sql(self, query: str) -> str:
        """Run a query over the work folder; returns the result as text."""
        return str((await self.do("sql", query=query)).view.get("result", ""))

    async def submit(self, answer: str, files: Iterable[str] = ()) -> None:
        """Hand in."""
        await self.session.submit(answer.strip(), tuple(files))


def newest(seen: Observation) -> str:
    """Name of the last download that an observation lists."""
    listed = seen.view.get("downloads")
    if not isinstance(listed, list | tuple) or not listed:
        raise Stuck("nothing was downloaded")
    last = listed[-1]
    assert not isinstance(last, str | int | float | list | tuple)
    assert last is not None
    return str(last["name"])
