"""Element ids: handed out in page order, never twice in an episode, good for as long as the element lives."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Error, Frame, Locator, Page

from webds.envs.browser.engine import ASK_SECONDS, answered, ask, selector
from webds.envs.browser.refusal import Refused


@dataclass(frozen=True, slots=True)
class Target:
    """An element to act on. `state`: tag, type, href, disabled, readonly, visible, editable, box (see walker.js)."""

    id: str
    frame: Frame
    locator: Locator
    state: dict[str, Any]


class Ids:
    """Knows the next free id, and which frame each id that was shown belongs to."""

    def __init__(self) -> None:
        self.next = 1
        self._owner: dict[str, Frame] = {}

    async def ask(self, frame: Frame, operation: str, seconds: float = ASK_SECONDS, **args: Any) -> Any:
        """An operation that may hand out ids."""
        answer = await answered(frame, operation, seconds, first=self.next, **args)
        self.next = max(self.next, int(answer["next"]))
        return answer["value"]

    def owned(self, frame: Frame, ids: Iterable[str]) -> None:
        """These ids are elements of `frame`."""
        self._owner.update(dict.fromkeys(ids, frame))

    async def locate(self, page: Page, wanted: str) -> Target:
        """The live element with this id. Refused with the reason if there is none."""
        if not wanted.isdecimal():
            raise Refused(f"{wanted[:40]!r} is no id; ids are the numbers in [ ] in the observation")
        known = self._owner.get(wanted)
        frames = [known] if known in page.frames else list(page.frames)
        for frame in frames:
            try:
                state = await ask(frame, "state", 5, id=wanted)
            except Error:
                continue
            if state["is"] == "here":
                return Target(wanted, frame, frame.locator(selector(wanted)), state)
            if state["is"] == "gone":
                raise Refused(f"element [{wanted}] has left the page; observe again for current ids")
        if int(wanted) < self.next:
            raise Refused(f"element [{wanted}] belonged to a page that is no longer shown; use ids of this observation")
        raise Refused(f"no element [{wanted}] on this page; use an id from the latest observation")
