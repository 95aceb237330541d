"""What an agent asked for that lies outside its sites: it got nothing, and a person should know that it tried."""

from collections.abc import Callable, Collection, Mapping
from urllib.parse import quote, urljoin, urlsplit

from playwright.async_api import BrowserContext, Error, Response

from webds.types import Action, Params

_KEPT = 20
_PLAIN = "%/:?#[]@!$&'()*+,;=-._~|"
_SHOWN = 120


class Outside:
    """Notes foreign hosts and schemes that are not of the web: actions that name them, and pages that came blocked.

    `hosts`: what the World serves. Empty, or with a star: any host may be asked (a live track), only schemes count.
    """

    def __init__(self, context: BrowserContext, hosts: Collection[str]) -> None:
        self._hosts = frozenset() if "*" in hosts else frozenset(hosts)
        self._met: dict[str, None] = {}
        self.over_cdp: Callable[[], list[str]] = list
        """What the CDP gateway refused so far."""
        context.on("response", self._answered)

    def asked(self, action: Action, base: str) -> None:
        """An action of the agent, before it is done. `base` is what its address is relative to."""
        if not (url := str(action.args.get("url") or "").strip()):
            return
        try:
            whole = urljoin(base, url)
            foreign = self._foreign(whole)
        except ValueError:  # brackets that hold no address
            whole, foreign = url, True
        if foreign:
            self._note(whole)

    def _foreign(self, url: str) -> bool:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https"):
            return url != "about:blank"
        return bool(self._hosts) and (parts.hostname or "").rstrip(".") not in self._hosts

    def _note(self, url: str) -> None:
        """Written as the browser writes it, so that an address that was asked for and came blocked is one."""
        bare = url.startswith("http") and url.count("/") == 2
        self._met[quote(url[:2000], safe=_PLAIN) + ("/" if bare else "")] = None

    def _answered(self, response: Response) -> None:
        """The proxy's block page in a tab: a link or a script led there."""
        if response.headers.get("x-webds") != "blocked" or not response.request.is_navigation_request():
            return
        try:
            inner = response.request.frame.parent_frame is not None
        except Error:  # a window that is only being opened
            inner = False
        if not inner:
            self._note(response.url)

    def findings(self) -> Params:
        """`outside`: the first twenty addresses, `cdp_refused`: the first twenty calls; `flags`: a sentence on each.

        Empty where there was none.
        """
        tried = self.over_cdp()
        cdp: Params = {"cdp_refused": tuple(tried[:_KEPT])} if tried else {}
        flags = (f"tried over CDP what is not given: {tried[0][:_SHOWN]} ({len(tried)} in all)",) if tried else ()
        if not self._met:
            return {**cdp, "flags": flags} if flags else {}
        count, first = len(self._met), next(iter(self._met))
        what = "an address" if count == 1 else f"{count} addresses"
        said = f"asked for {what} outside the sites: {first[:_SHOWN]}{'' if count == 1 else ' and more'}"
        return {**cdp, "outside": tuple(self._met)[:_KEPT], "flags": (said, *flags)}


def hosts_of(access: Params) -> Collection[str]:
    """The hosts that a World serves, as its access names them."""
    frozen = access.get("frozen")
    return tuple(frozen) if isinstance(frozen, Mapping) else ()
