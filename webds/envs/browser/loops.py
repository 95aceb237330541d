"""Loop hints: an agent that scrolls an endless list, or repeats what changes nothing, is told so and then stopped."""

from webds.codec import canonical, sha256
from webds.envs.browser.refusal import Refused
from webds.types import Action

SCROLL_HINT = 8
SCROLL_MOST = 30
"""Scrolls in a row on one page: an endless list stops here."""
SAME_HINT = 3
SAME_MOST = 12


class Loops:
    """Counts scrolls in a row, and acts in a row that were the same and left the page the same."""

    def __init__(self) -> None:
        self._scrolls = 0
        self._url = ""
        self._heights: list[int] = []
        self._same = 0
        self._last = ""

    def before(self, action: Action, url: str) -> None:
        """Refused where the budget of scrolls on this page, or of vain repeats, is used up."""
        if action.name != "scroll" or url != self._url:
            self._scrolls, self._heights = 0, []
        self._url = url
        if action.name == "scroll" and self._scrolls >= SCROLL_MOST:
            raise Refused(
                f"{SCROLL_MOST} scrolls in a row on this page: the scroll budget is used up. The list may have no end: "
                "use find for a text, table for rows, a filter or search of the page, or hand in that it is not there"
            )
        if self._same >= SAME_MOST and self._key(action) == self._last.partition(" ")[0]:
            raise Refused(f"the same action changed nothing {self._same} times; do something else")

    def after(self, action: Action, url: str, text: str, height: int) -> str:
        """A hint for the observation, or empty."""
        if action.name == "scroll" and url == self._url:
            self._scrolls += 1
            self._heights.append(height)
        mark = f"{self._key(action)} {sha256(text.encode('utf-8', 'replace'))}"
        self._same = self._same + 1 if mark == self._last else 1
        self._last = mark
        if self._scrolls >= SCROLL_HINT:
            grown = self._heights[-1] - self._heights[0]
            more = f"it grew by {grown} pixels meanwhile and may have no end; " if grown > 0 else ""
            return (
                f"hint: {self._scrolls} scrolls in a row on this page, at most {SCROLL_MOST} are taken; {more}"
                "find looks for a text in all that is loaded, table reads rows"
            )
        if self._same >= SAME_HINT:
            return f"hint: this action came {self._same} times and left the page the same each time"
        return ""

    @staticmethod
    def _key(action: Action) -> str:
        return sha256(canonical({"name": action.name, "args": action.args}))
