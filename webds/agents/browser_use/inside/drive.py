"""Runs browser-use on one episode, inside the sandbox: standard library, the library itself and the session's HTTP API.

Each action that the library did is reported to `/acted` under the session's own action schema, with the element's id
where the last observation had one under that point, else the point. Its own tools python and sql go through `/act`.
"""

import asyncio
import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from browser_use import ActionResult, Agent, Browser, ChatOpenAI, Tools
from handing import submission  # type: ignore[import-not-found] # beside this file, which is a program of its own

_OFF = ["search", "upload_file", "save_as_pdf"]
"""A search engine is not on these sites; files of the machine are not given; a PDF would print to the machine."""
_OWN_DOWNLOADS = "/tmp/downloads"  # noqa: S108 - the sandbox's own
"""Where the library may keep a copy: the session's own is in the work folder, under its true name."""
_FILES = "/tmp/files"  # noqa: S108 - the sandbox's own
"""Where the library's own actions write files."""
_ANALYSIS = {
    "python": ("code", "Run Python (pandas, duckdb, numpy) in the work folder, where downloads are. Names last."),
    "sql": ("query", "Run a DuckDB query over files of the work folder: SELECT * FROM 'table.csv'."),
    "files": ("name", "Show a part of one file of the work folder."),
    "download": ("url", "Save what an address serves into the work folder."),
}


class Over(Exception):
    """The episode has ended."""


def setting(name: str) -> str:
    """What the worker said."""
    value = os.getenvb(name.encode())
    return value.decode() if value else ""


class Api:
    """The session's HTTP API."""

    def __init__(self, base: str) -> None:
        self._base = base
        self.marks: Mapping[str, Any] = {}
        """Of the last observation."""
        self.files: list[str] = []

    async def call(self, path: str, body: object = None) -> Any:
        """One call. Over: the episode has ended."""
        return await asyncio.to_thread(self._call, path, body)

    def _call(self, path: str, body: object) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, {"content-type": "application/json"})  # noqa: S310 - the relay, on loopback
        try:
            with urllib.request.urlopen(request) as answer:  # noqa: S310 - the relay, on loopback
                value = json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == 410:
                raise Over(json.load(error)["error"]) from error
            raise
        view = value.get("view") or {}
        self.marks = view.get("marks") or self.marks
        self.files = [str(row["name"]) for row in view.get("downloads") or self.files_listed()]
        return value

    def files_listed(self) -> list[dict[str, str]]:
        """Downloads so far, as an observation lists them."""
        return [{"name": name} for name in self.files]


class Reporter:
    """Hooks of one run of the library."""

    def __init__(self, api: Api, work: str) -> None:
        self.api = api
        self.over = ""
        self._work = work
        self._doing: list[tuple[str, dict[str, Any]]] = []

    async def chose(self, state: Any, output: Any, _: int) -> None:
        """Before the action: which it is, while the page is still the one it was chosen on."""
        self._doing = []
        for action in output.action:
            name, args = next(iter(action.model_dump(exclude_none=True).items()), ("wait", {}))
            if name not in (*_ANALYSIS, "done"):
                self._doing.append(named(name, args or {}, state, self.api.marks))

    async def did(self, agent: Any) -> None:
        """After the action: report it; tell the library of new files."""
        doing, self._doing = self._doing, []
        try:
            for name, args in doing:
                await self.api.call("/acted", {"name": name, "args": args})
        except Over as end:
            self.over = str(end)
            agent.stop()
        known = agent.browser_session._downloaded_files  # the library has no other way in
        known.extend(path for name in self.api.files if (path := f"{self._work}/{name}") not in known)


def named(name: str, args: dict[str, Any], state: Any, marks: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A library's action under the session's schema; one that it has no word for keeps its own name."""
    spot = _spot(args.get("index"), state, marks)
    words: dict[str, tuple[str, dict[str, Any]]] = {
        "click": ("click", spot),
        "input": ("fill", {**spot, "text": args.get("text", "")}),
        "select_dropdown": ("select", {**spot, "options": [args.get("text", "")]}),
        "navigate": ("goto", {"url": args.get("url", "")}),
        "go_back": ("back", {}),
        "scroll": ("scroll", {"direction": "down" if args.get("down", True) else "up"}),
        "send_keys": ("press", {"key": args.get("keys", "")}),
        "wait": ("wait", {"seconds": args.get("seconds", 3)}),
    }
    return words.get(name) or (f"browser-use.{name}", args)


def _spot(index: object, state: Any, marks: Mapping[str, Any]) -> dict[str, Any]:
    node = state.dom_state.selector_map.get(index) if index is not None and state.dom_state else None
    box = getattr(node, "absolute_position", None)
    if box is None:
        return {}
    # The library has taken the page's scrolling off already.
    x, y = round(box.x + box.width / 2), round(box.y + box.height / 2)
    found = _at(x, y, marks)
    return {"id": found} if found else {"x": x, "y": y}


def _at(x: float, y: float, marks: Mapping[str, Any]) -> str:
    """The id of the smallest element of the last observation that holds the point; empty where none does."""
    held = []
    for name, mark in marks.items():
        left, top, width, height = mark["box"]
        if left <= x <= left + width and top <= y <= top + height:
            held.append((width * height, name))
    return min(held)[1] if held else ""


def tools_of(api: Api, wanted: list[str]) -> Any:
    """The library's actions, with the session's analysis tools beside them."""
    tools: Any = Tools(exclude_actions=_OFF, display_files_in_done_text=False)  # the answer is the text alone

    def add(name: str) -> None:
        field, about = _ANALYSIS[name]

        async def run(text: str) -> Any:
            then = await api.call("/act", {"name": name, "args": {field: text}})
            said = then["refused"] or str((then.get("view") or {}).get("result", "")) or then["text"]
            return ActionResult(extracted_content=f"{name}: {said}"[:20_000])

        run.__name__ = name
        tools.action(f"{about} The argument text holds the {field}.")(run)

    for name in wanted:
        add(name)
    return tools


async def main() -> None:
    """One episode."""
    options = json.loads(setting("WEBDS_OPTIONS"))
    work = setting("WEBDS_WORK")
    api = Api(setting("WEBDS_URL"))
    task = await api.call("/task")
    await api.call("/observe")
    reporter = Reporter(api, work)
    llm: Any = ChatOpenAI(
        model=setting("WEBDS_MODEL"),
        base_url=setting("OPENAI_BASE_URL"),
        api_key="kept-by-the-worker",
        temperature=options["temperature"],
        frequency_penalty=None,
        max_retries=0,
        max_completion_tokens=None,
        timeout=options["step_seconds"],
    )
    steps = min(task["budget"]["steps"] or options["steps"], options["steps"])
    agent: Any = Agent(
        task=task["prompt"],
        llm=llm,
        browser=Browser(
            cdp_url=setting("WEBDS_CDP"),
            downloads_path=_OWN_DOWNLOADS,
            keep_alive=True,
            # Else it makes the page 1920 x 1080, where its points lie outside of the episode's window.
            headless=False,
            no_viewport=True,
        ),
        tools=tools_of(api, options["tools"]),
        flash_mode=options["flash"],
        use_vision=options["vision"],
        override_system_message=options["system"] or None,
        extend_system_message=options["instructions"] or None,
        max_actions_per_step=1,
        use_judge=False,
        calculate_cost=False,
        enable_planning=False,
        enable_signal_handler=False,
        directly_open_url=False,
        file_system_path=_FILES,
        llm_timeout=options["step_seconds"],
        step_timeout=2 * options["step_seconds"],
        register_new_step_callback=reporter.chose,
    )
    history = await agent.run(max_steps=steps, on_step_end=reporter.did)
    if history.is_done() and not reporter.over:
        done = {"text": history.final_result(), **((history.last_action() or {}).get("done") or {})}
        own = Path(str(agent.file_system.get_dir()))
        await api.call("/submit", submission(done, task["prompt"], Path(work), own))


if __name__ == "__main__":
    asyncio.run(main())
