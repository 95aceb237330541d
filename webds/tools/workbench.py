"""Adds the tools python, sql and files to any Environment: browser, downloads and analysis in one typed episode."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from webds.ports import Environment
from webds.tools.sandbox import Result, Sandbox
from webds.types import Action, Observation, Params, Task


def _tool(name: str, description: str, properties: Params, required: tuple[str, ...]) -> Params:
    schema: Params = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"name": name, "description": description, "parameters": schema}


_TEXT: Params = {"type": "string"}
_NUMBER: Params = {"type": "integer"}
TOOLS: tuple[Params, ...] = (
    _tool(
        "python",
        "Run Python in the work folder (pandas, duckdb, numpy, openpyxl, bs4, matplotlib). Names last over the "
        "episode; there is no network. Prints and the last expression come back.",
        {"code": _TEXT},
        ("code",),
    ),
    _tool(
        "sql",
        "Run a DuckDB query over files of the work folder, for example SELECT * FROM 'table.csv'.",
        {"query": _TEXT},
        ("query",),
    ),
    _tool(
        "files",
        "List the work folder, or show part of one file: csv, tsv, json, xlsx, ods, parquet, sqlite, zip, xml, html, "
        "txt, pdf (text and picture of a page), images. sheet: a sheet, table or member; start: the first row.",
        {"name": _TEXT, "sheet": _TEXT, "page": _NUMBER, "start": _NUMBER, "rows": _NUMBER},
        (),
    ),
)
_PICTURE = re.compile(r"picture ([0-9a-f]{32}\.png)")
_PICTURE_BYTES = 32 << 20
_NAMES = frozenset(str(tool["name"]) for tool in TOOLS)


class Workbench:
    """webds.ports.Environment: tool calls go to the sandbox, everything else to the inner environment."""

    def __init__(self, inner: Environment, sandbox: Sandbox, work: Path, keep: Callable[[bytes], str]) -> None:
        self.actions: tuple[Params, ...] = (*inner.actions, *TOOLS)
        self.endpoint = inner.endpoint
        self._inner = inner
        self._sandbox = sandbox
        self._work = work
        self._keep = keep
        self._last = Observation()

    async def observe(self) -> Observation:
        """The inner environment's observation."""
        self._last = await self._inner.observe()
        return self._last

    async def act(self, action: Action) -> Observation:
        """One action. A tool call leaves the page as it is, and its observation says so in one line."""
        if action.name not in _NAMES:
            had = self._last.view.get("downloads")
            self._last = await self._inner.act(action)
            if self._last.view.get("downloads") != had:
                self._sandbox.ahead()  # a file came: while the agent thinks, the interpreter that will read it starts
            return self._last
        text, refused = await self._call(action.name, action.args)
        view: dict[str, Any] = {k: v for k, v in self._last.view.items() if k in ("url", "title", "downloads")}
        here = f"(page unchanged: {view.get('title', '')} {view.get('url', '')})"
        body = f"result of {action.name}:\n{text}" if text else ""
        said = f"refused: {refused}" if refused else ""
        lines = [line for line in (said, body, here) if line]
        return Observation(
            text="\n".join(lines),
            image=self._picture(action, text) or self._last.image,
            refused=refused,
            view={**view, "result": text},
        )

    async def collect(self, task: Task, into: Path) -> Params:
        """What the inner environment collects."""
        return await self._inner.collect(task, into)

    async def _call(self, name: str, args: Params) -> tuple[str, str]:
        """(text, refused) of a tool call; a wrong argument is refused by name."""
        wanted = {"python": "code", "sql": "query"}.get(name)
        if wanted is not None:
            if not isinstance(args.get(wanted), str):
                return "", f"{name} wants {wanted} as a text"
            run = self._sandbox.python if name == "python" else self._sandbox.sql
            return _text(await run(str(args[wanted])))
        if not args.get("name"):
            return self._listing(), ""
        return _text(await self._sandbox.preview(str(args["name"]), args))

    def _picture(self, action: Action, text: str) -> str:
        """The blob of a page or image that a preview left; empty where it left none."""
        found = _PICTURE.search(text) if action.name == "files" else None
        path = self._work / ".preview" / found[1] if found else None
        if path is None or path.is_symlink() or path.parent.is_symlink() or not path.is_file():
            return ""
        return self._keep(path.read_bytes()) if path.stat().st_size <= _PICTURE_BYTES else ""

    def _listing(self) -> str:
        found = (path for path in self._work.rglob("*") if path.is_file() and not path.is_symlink())
        files = sorted(path for path in found if ".preview" not in path.parts)
        lines = [f"{path.relative_to(self._work)}  {path.stat().st_size} bytes" for path in files[:500]]
        return "\n".join(lines) or "the work folder is empty"


def _text(result: Result) -> tuple[str, str]:
    return result.text, result.error
