"""What actions may use of the environment, and the shape of an action."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from playwright.async_api import Page

from webds.envs.browser.dialogs import Dialogs
from webds.envs.browser.downloads import Downloads
from webds.envs.browser.ids import Ids, Target
from webds.envs.browser.places import Places
from webds.types import Params

ACT_SECONDS = 6.0
"""How long an element may take to become ready for an act; after that the act is refused."""


class Hands(Protocol):
    """The browser as the actions see it."""

    page: Page
    seconds: float
    work: Path
    ids: Ids
    dialogs: Dialogs
    downloads: Downloads
    places: Places

    async def target(self, wanted: object) -> Target:
        """The live element with this id, or Refused."""
        ...

    async def do(self, act: Awaitable[None]) -> None:
        """Something that may load a page, start a file or open a dialog."""
        ...

    async def each(self, operation: str, **args: Any) -> list[tuple[Any, Any]]:
        """(frame, answer) of an operation in every frame that answers."""
        ...

    async def settle(self) -> str: ...
    async def save(self, url: str) -> str: ...
    async def arrived(self, hint: str, seconds: float) -> str: ...
    async def lend(self, path: Path) -> Path: ...
    def base(self) -> str: ...
    def expect(self) -> None: ...
    def tabs(self) -> list[Page]: ...
    async def show(self, page: Page) -> None: ...
    async def open(self) -> Page: ...


type Act = Callable[[Hands, Params], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """An action: its function, JSON schema, description, and whether it only reads (the page stays as it was)."""

    act: Act
    schema: Params
    text: str
    reads: bool = False
