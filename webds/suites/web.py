"""Suite `web`: tasks from tasks_public/*/tasks.toml, episodes in a browser with analysis tools beside it."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from webds.envs.browser.actions import tools
from webds.envs.browser.driver import Driver
from webds.envs.browser.launch import BrowserSettings, own
from webds.envs.browser.person import attended
from webds.envs.browser.picture import PictureSettings
from webds.errors import InfraFault, blame
from webds.ports import Environment, Recorder
from webds.suites import taskfiles
from webds.suites.state import Collecting
from webds.tools.folder import sized
from webds.tools.sandbox import Limits, Sandbox
from webds.tools.workbench import TOOLS, Workbench
from webds.types import Params, Task


class Web:
    """webds.ports.Suite. config (see webds.config): root, chromium, what fixes the picture, limits, sandbox."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = config
        viewport = config.get("viewport") or {"width": 1280, "height": 720}
        shot = config.get("screenshot") or {}
        settings = BrowserSettings(
            chromium=str(config.get("chromium", "")),
            width=int(viewport["width"]),
            height=int(viewport["height"]),
            locale=str(config.get("locale", "en-US")),
            zone=str(config.get("zone", "UTC")),
            scheme="dark" if config.get("colour_scheme") == "dark" else "light",
            picture=PictureSettings(
                full_page=bool(shot.get("full_page")),
                marks=bool(shot.get("marks")),
                scale=float(config.get("device_scale", 1)),
            ),
            cdp="cdp" in config.get("agent_needs", ()),
            window="window" in config.get("agent_needs", ()),
        )
        self._driver = Driver(settings, config.get("limits") or {}, ahead=self._ahead())

    def _ahead(self) -> bool:
        """Not with a window: a person would see the next task's while they work on this one."""
        return self._config.get("launch_ahead") is not False and "window" not in self._config.get("agent_needs", ())

    def tasks(self) -> Iterable[Task]:
        """Every task of the checkout's split, or those of the config's task_files where there are any."""
        if files := self._config.get("task_files"):
            return taskfiles.own(files)
        if self._config.get("split") == "private":
            return taskfiles.private(Path(self._config["root"]))
        return [entry.task() for _, entry in taskfiles.entries(Path(self._config["root"]))]

    def needs(self, tasks: Iterable[Task]) -> Params:
        """The sites that these tasks are on, and for the live track where each starts."""
        places = {task.id: (str(task.start.get("url", "")), taskfiles.sites_of(task)) for task in tasks}
        return {
            "sites": tuple(dict.fromkeys(site for _, sites in places.values() for site in sites)),
            "places": {name: {"start": start, "sites": sites} for name, (start, sites) in places.items()},
        }

    def declares(self) -> Params:
        """What an agent gets here: actions and tools by name, kinds of observation."""
        shot = self._config.get("screenshot") or {}
        picture = "screenshot of the whole page" if shot.get("full_page") else "screenshot of the window"
        return {
            "actions": tuple(str(action["name"]) for action in tools()),
            "tools": tuple(str(tool["name"]) for tool in TOOLS),
            "observations": ("outline with tables", picture + (" with marks" if shot.get("marks") else "")),
        }

    @asynccontextmanager
    async def open(self, task: Task, access: Params, recorder: Recorder, work: Path) -> AsyncIterator[Environment]:
        """A fresh browser on the task's start page, with python, sql and files in a sandbox of their own."""
        async with AsyncExitStack() as stack:
            with blame(InfraFault, "open environment"):
                work.mkdir(parents=True, exist_ok=True)
                limits = Limits(**self._config.get("sandbox", {}))
                await stack.enter_async_context(sized(work, limits.folder_mb << 20))
                own(work)
                await self._driver.start()
                url = str(task.start.get("url", ""))
                browser = await stack.enter_async_context(self._driver.open(access, recorder, work, url))
                if "person" in self._config.get("agent_needs", ()):
                    attending = attended(browser.page.context, task.prompt, work)
                    browser.endpoint, _ = await stack.enter_async_context(attending)
                sandbox = await stack.enter_async_context(Sandbox(work, limits))
            bench = Workbench(browser, sandbox, work, recorder.blob)
            yield Collecting(bench, str(access.get("control", ""))) if task.collect else bench

    async def close(self) -> None:
        """End the driver process."""
        await self._driver.close()


def make(config: Mapping[str, Any]) -> Web:
    """Entry point webds.suites: web."""
    return Web(config)
