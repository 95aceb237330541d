"""rubric.toml as records, and which of its criteria a task is asked."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from webds.codec import load, sha256

TIERS = ("easy", "medium", "hard")
_FILE = Path(__file__).with_name("rubric.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One yes-or-no question. `kind` is correct, required or process; `quote` says which answer needs a quote."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}
    name: str
    kind: str
    tiers: tuple[str, ...]
    quote: str
    fields: tuple[str, ...]
    text: str
    needs: str = ""
    """`artefact`: asked only where the task wants a file, a post or another effect."""

    @property
    def outcome(self) -> bool:
        """Whether it is about the result, not the way."""
        return self.kind != "process"

    def backed(self, met: bool) -> bool:
        """Whether the answer `met` needs a quote: what is said to exist has to be shown."""
        return met is (self.quote == "met")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """Anchors by star, and all criteria."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}
    version: int
    anchors: Mapping[str, str]
    criteria: tuple[Criterion, ...]

    def asked(self, tier: str, artefact: bool) -> tuple[Criterion, ...]:
        """The criteria of a difficulty tier."""
        return tuple(
            item for item in self.criteria if tier in item.tiers and (artefact or item.needs != "artefact")
        )  # fmt: skip


@cache
def rubric() -> Rubric:
    """The rubric of this package. InputFault names a wrong field."""
    table = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return load(Rubric, {**table, "criteria": tuple(table["criteria"])}, _FILE.name)


@cache
def rubric_hash() -> str:
    """sha256 of rubric.toml."""
    return sha256(_FILE.read_bytes())
