"""Whether a live episode's site refuses robots, from what its documents got. Pure; docs/live.md says the rule in words.

A site that let the browser in again after a block did not refuse. What counts is how each of the task's own sites
stood last: refused by a hard rule, refused from the first page on, or, for a state that one page may have for reasons
of its own, refused on the start page as well when the harness asks once more.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from webds_recorder.blocked import HARD
from webds_recorder.polite import bare

OURS = "resolver"
"""The rule of a request that failed because this machine has no name server: nobody's block."""


@dataclass(slots=True)
class Site:
    """How one of the task's sites stood. `last` is the rule of its newest document, empty for an honest one."""

    let_in: bool = False
    """Whether any document of it was honest."""
    last: str = ""
    url: str = ""


def same_site(host: str, site: str) -> bool:
    """Whether a host is the site's, lies under it, or is what it lies under (www.bls.gov, bls.gov, data.bls.gov)."""
    one, two = bare(host), bare(site)
    return one == two or one.endswith(f".{two}") or two.endswith(f".{one}")


@dataclass(slots=True)
class Standing:
    """What one episode met. `sites`: hosts of the task, that of the start page first."""

    start: str
    sites: tuple[str, ...]
    met: dict[str, Site] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, start: str, more: Iterable[str]) -> "Standing":
        """For a task that starts at the address `start` and is also on the hosts `more`."""
        return cls(start, tuple(dict.fromkeys((urlsplit(start).hostname or "", *more))))

    def note(self, url: str, rule: str) -> None:
        """A document came (`rule` empty), or was refused or lost by `rule`. Only the task's sites count."""
        if rule:
            self.counts[rule] = self.counts.get(rule, 0) + 1
        host = urlsplit(url).hostname or ""
        site = next((site for site in self.sites if same_site(host, site)), None)
        if site is None:
            return
        stood = self.met.setdefault(site, Site())
        stood.last, stood.url = rule, url
        stood.let_in = stood.let_in or not rule

    def blocked(self) -> Site | None:
        """The first of the task's sites that refused beyond doubt."""
        refusing = (s for _, s in self.doubtful())
        return next((s for s in refusing if s.last in HARD or not s.let_in), None)

    def doubtful(self) -> list[tuple[str, Site]]:
        """(host, how it stood) of sites that refused last and had let the browser in: to be asked once more."""
        return [(host, s) for host, s in self.met.items() if s.last and s.last != OURS]

    def ours(self) -> Site | None:
        """A site that was not reached because of this machine."""
        return next((s for s in self.met.values() if s.last == OURS), None)
