"""What the running site serves for the evidence of a key, read with few actions: a budget counts for the oracle too.

Pages and files are downloaded once each and read in one call of the python tool; the pointer rests on the points of
a page one after the other. A picture cannot be read back: of `drawn` evidence the page must show the picture and the
picture must come, its value is the key's word (the validator compares it with the record and with the pixel).
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urljoin

from webds import cells, errors, types
from webds.agents.hand import newest
from webds.ports import Session
from webds.types import Action, Json, Observation, Params


class Mismatch(Exception):
    """The running site does not show what the key's evidence says."""


class Served:
    """Reads evidence through one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._saved: dict[str, str] = {}
        self._has_reader = False
        self._open = ("", "")
        """Address of the page that tips are read on, and its text before the pointer came."""

    async def check(self, items: Iterable[Params]) -> None:
        """Every piece as the site serves it now. Mismatch: the first that differs."""
        listed = list(items)
        files = [item for item in listed if item["kind"] in ("cell", "text", "drawn")]
        for item, shown in zip(files, await self._files(files), strict=True):
            if shown != str(item["value"]):
                raise Mismatch(f"{item['url']}: {dict(item)}: the site serves {shown!r}")
        for item in sorted((i for i in listed if i["kind"] == "tip"), key=lambda i: str(i["url"])):
            shown = await self._tip(item)
            if str(item["value"]) not in shown:
                raise Mismatch(f"{item['url']}: {dict(item)}: the pointer shows {shown[:300]!r}")

    async def _files(self, items: list[Params]) -> list[str]:
        """The values of cells and texts, and of drawn points whose picture is there, in the order of `items`."""
        if not items:
            return []
        jobs: list[tuple[str, str, Params]] = []
        for item in items:
            name = await self._download(str(item["url"]))
            if item["kind"] == "drawn":
                await self._download(urljoin(str(item["url"]), str(item["image"])))
            jobs.append((str(item["kind"]), name, item))
        if not self._has_reader:
            await self.python(_READER)
            self._has_reader = True
        printed = await self.python(f"print(json.dumps(read_all({_plain(jobs)!r})), end='')")
        try:
            return [str(value) for value in json.loads(printed)]
        except ValueError as error:
            raise Mismatch(f"evidence was not read: {printed[-500:]!r}") from error

    async def _download(self, url: str) -> str:
        if url not in self._saved:
            self._saved[url] = newest(await self._act("download", url=url))
        return self._saved[url]

    async def _tip(self, item: Params) -> str:
        """What is on the page when the pointer rests at x, y, and was not before it came."""
        url = str(item["url"])
        if self._open[0] != url:
            self._open = (url, (await self._act("goto", url=url)).text)
        return appeared(self._open[1], (await self._act("hover", x=item["x"], y=item["y"])).text)

    async def python(self, code: str) -> str:
        """What the code printed in the sandbox."""
        return str((await self._act("python", code=code)).view.get("result", ""))

    async def _act(self, name: str, **args: Json) -> Observation:
        then = await self._session.act(Action(name=name, args=args))
        if then.refused:
            raise Mismatch(f"{name} {args.get('url', '')}: {then.refused}")
        return then


def appeared(before: str, after: str) -> str:
    """The lines of the outline `after` that are not in `before`, as one collapsed text."""
    new = Counter(after.splitlines()) - Counter(before.splitlines())
    return " ".join(" ".join(line for line in after.splitlines() if line in new).split())


def _plain(jobs: list[tuple[str, str, Params]]) -> list[tuple[str, str, dict[str, Json]]]:
    return [(kind, name, {k: v for k, v in item.items() if k not in ("kind", "answer")}) for kind, name, item in jobs]


_READ_ALL = """
import json
from bs4 import BeautifulSoup
from urllib.parse import urljoin
from webds.cells import read_cell

def read_one(kind, name, item):
    if kind == "cell":
        with open(name, "rb") as file:
            return read_cell(file.read(), name, {k: v for k, v in item.items() if k not in ("url", "value")})
    with open(name, encoding="utf-8") as file:
        page = BeautifulSoup(file, "lxml")
    if kind == "text":
        found = page.select_one(item["selector"])
        return " ".join(found.get_text().split()) if found else ""
    wanted = urljoin(item["url"], item["image"])
    shown = [urljoin(item["url"], image.get("src", "")) for image in page.find_all("img")]
    return item["value"] if wanted in shown else "a page without that picture"

def read_all(jobs):
    return [read_one(*job) for job in jobs]
"""


def _reader() -> str:
    """Code for the tools' sandbox, which has no webds: the validator's own reader of cells goes in as source."""
    sources = {module.__name__: Path(str(module.__file__)).read_text("utf-8") for module in (errors, types, cells)}
    return (
        "import sys, types as _t\nsys.modules['webds'] = _t.ModuleType('webds')\n"
        f"for _name, _source in {sources!r}.items():\n"
        "    sys.modules[_name] = _t.ModuleType(_name)\n"
        "    exec(compile(_source, _name, 'exec'), sys.modules[_name].__dict__)\n"
        f"{_READ_ALL}"
    )


_READER = _reader()


def evidence(params: Params) -> tuple[Mapping[str, Json], ...]:
    """The pieces of evidence of one check."""
    listed = params.get("evidence")
    rows = listed if isinstance(listed, list | tuple) else ()
    return tuple(row for row in rows if isinstance(row, Mapping))
