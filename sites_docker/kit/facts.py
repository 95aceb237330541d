"""What site.toml says about a site, as its pages need it, and the frozen clock."""

import tomllib
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Clock:
    """The only clock of a site: one instant in UTC that never moves."""

    instant: datetime

    @property
    def today(self) -> str:
        """`24 June 2022`."""
        return f"{self.instant.day} {self.instant:%B %Y}"

    @property
    def iso(self) -> str:
        """`2022-06-24`."""
        return self.instant.date().isoformat()

    @property
    def http(self) -> str:
        """As a Last-Modified header has it."""
        return format_datetime(self.instant.astimezone(UTC), usegmt=True)

    @property
    def zip_stamp(self) -> tuple[int, int, int, int, int, int]:
        """Year to second, for the entries of an archive."""
        moment = self.instant.astimezone(UTC)
        return (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One site.toml. `sources` is `[source]` followed by every `[[more_source]]`."""

    folder: Path
    name: str
    title: str
    canary: str
    sources: tuple[dict[str, Any], ...]
    data: tuple[dict[str, Any], ...]
    clock: Clock
    data_line: str
    """Field `data_line`, or "<origin>, <licence>, from <package> <version>" of each source."""

    @property
    def host(self) -> str:
        return f"{self.name}.test"

    @property
    def footer(self) -> str:
        """The sentence at the foot of every page."""
        return f"Demonstration portal. Data: {self.data_line}. Not an official site."


def read_facts(folder: Path, frozen: datetime | None = None) -> Facts:
    """The facts of the site in `folder`; `frozen` overrides the instant of site.toml. ValueError on a bad canary."""
    table = tomllib.loads((folder / "site.toml").read_text(encoding="utf-8"))
    sources = (table["source"], *table.get("more_source", ()))
    lines = [f"{s['origin']}, {s['licence']}, from {s['package']} {s['version']}" for s in sources]
    return Facts(
        folder=folder,
        name=table["name"],
        title=table["title"],
        canary=str(uuid.UUID(table["canary"])),
        sources=sources,
        data=tuple(table.get("data", ())),
        clock=Clock(frozen or datetime.fromisoformat(table["frozen"])),
        data_line=table.get("data_line", "; ".join(lines)).rstrip("."),
    )
