"""Which pages a crawl opens, decided without a browser: links of a page, the frontier, robots.txt."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from bs4 import BeautifulSoup

AGENT = "webds-freeze"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far a crawl goes. `allow`, `deny`: patterns of whole URLs with `*`; no `allow` means the start's hosts."""

    depth: int = 0
    pages: int = 200
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


def links(html: str, base: str) -> list[str]:
    """Absolute addresses that a page points to, in order, each once, without fragments."""
    soup = BeautifulSoup(html, "lxml")
    root = soup.find("base", href=True)
    start = urljoin(base, str(root["href"])) if root is not None and hasattr(root, "attrs") else base
    return absolute((str(tag["href"]) for tag in soup.select("a[href], area[href]")), start)


def absolute(addresses: Iterable[str], base: str) -> list[str]:
    """Addresses as absolute http(s) URLs without fragments, in order, each once."""
    found = dict[str, None]()
    for address in addresses:
        try:
            url = urldefrag(urljoin(base, address.strip())).url
            parts = urlsplit(url)
        except ValueError:
            continue
        if parts.scheme in ("http", "https") and parts.hostname:
            found[url if parts.path else f"{url}/"] = None
    return list(found)


@dataclass(slots=True)
class Frontier:
    """Pages still to open, breadth first. It can be written down and taken up again."""

    reach: Reach
    hosts: frozenset[str]
    todo: list[tuple[str, int]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    opened: int = 0

    @classmethod
    def of(cls, urls: Iterable[str], reach: Reach) -> "Frontier":
        """A frontier at the start of a crawl."""
        start = absolute(urls, "")
        made = cls(reach=reach, hosts=frozenset(urlsplit(url).netloc for url in start))
        made.todo = [(url, 0) for url in start]
        made.seen = set(start)
        return made

    def next(self) -> tuple[str, int] | None:
        """The page to open now, with its depth; None when done or when the limit of pages is reached."""
        return self.todo[0] if self.todo and self.opened < self.reach.pages else None

    def done(self, found: Iterable[str] = ()) -> None:
        """The page that `next` named is done; `found` are its links."""
        _, depth = self.todo.pop(0)
        self.opened += 1
        if depth >= self.reach.depth:
            return
        for url in found:
            if url not in self.seen and self.wanted(url):
                self.seen.add(url)
                self.todo.append((url, depth + 1))

    def wanted(self, url: str) -> bool:
        """Whether a link is to be followed."""
        if any(fnmatchcase(url, pattern) for pattern in self.reach.deny):
            return False
        if self.reach.allow:
            return any(fnmatchcase(url, pattern) for pattern in self.reach.allow)
        return urlsplit(url).netloc in self.hosts

    def dump(self) -> dict[str, Any]:
        """The state as JSON values."""
        return {"todo": self.todo, "seen": sorted(self.seen), "opened": self.opened, "hosts": sorted(self.hosts)}

    @classmethod
    def load(cls, value: Mapping[str, Any], reach: Reach) -> "Frontier":
        """The state that `dump` wrote."""
        todo = [(str(url), int(depth)) for url, depth in value["todo"]]
        return cls(
            reach=reach, hosts=frozenset(value["hosts"]), todo=todo, seen=set(value["seen"]), opened=value["opened"]
        )


class Robots:
    """robots.txt of the hosts met so far, read as the robot `agent`."""

    def __init__(self, agent: str = AGENT) -> None:
        self._agent = agent
        self._known: dict[str, RobotFileParser] = {}

    @staticmethod
    def address(url: str) -> str:
        """Where the rules for a URL lie."""
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}/robots.txt"

    def knows(self, url: str) -> bool:
        """Whether the rules for a URL are here."""
        return self.address(url) in self._known

    def learn(self, url: str, status: int, text: str) -> None:
        """Rules as served. Forbidden means nothing may be opened; any other failure means that there are no rules."""
        parser = RobotFileParser()
        if status in (401, 403):
            parser.parse(("User-agent: *", "Disallow: /"))
        else:
            parser.parse(text.splitlines() if status == 200 else ())
        self._known[self.address(url)] = parser

    def may(self, url: str) -> bool:
        """Whether a URL may be opened."""
        return self._known[self.address(url)].can_fetch(self._agent, url)

    def delay(self, url: str) -> float:
        """Seconds between pages that the host asks for; 0 where it does not."""
        return float(self._known[self.address(url)].crawl_delay(self._agent) or 0)
