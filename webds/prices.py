"""What model calls cost: usage records, and a versioned price table. A price that is not there is unknown, never 0.

A usage record counts tokens and calls: `input` (not cached), `cached_input` and `cache_write` are disjoint; `output`
holds the `reasoning` tokens, which are told but not billed again; `dollars` is absent where nobody knows it.

    version = "2026-11-30"
    source = "where the prices were read"
    [models."some-model"]
    input = 1.25            # dollars a million tokens
    cached_input = 0.125
    output = 10.0
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

from webds.codec import load
from webds.config import read_toml
from webds.types import STRICT

BILLED = ("input", "cached_input", "cache_write", "output")
TOKENS = (*BILLED, "reasoning")
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens and calls summed. `dollars` is what is known, of all calls but `unpriced`."""

    tokens: Mapping[str, int] = field(default_factory=dict)
    calls: int = 0
    dollars: float = 0.0
    unpriced: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            tokens={name: self.count(name) + other.count(name) for name in TOKENS},
            calls=self.calls + other.calls,
            dollars=self.dollars + other.dollars,
            unpriced=self.unpriced + other.unpriced,
        )

    def count(self, name: str) -> int:
        """Tokens of one kind."""
        return self.tokens.get(name, 0)

    @property
    def cost(self) -> float | None:
        """Dollars, or None where a call's price is not known, or no call was made."""
        return None if self.unpriced or not self.calls else self.dollars

    def record(self) -> dict[str, Any]:
        """As a usage record again: what was used at all, `dollars` only where it is known; nothing without a call."""
        if not self.calls:
            return {}
        tokens = {name: self.count(name) for name in TOKENS if self.count(name)}
        return {**tokens, "calls": self.calls, **({} if self.cost is None else {"dollars": self.cost})}

    @property
    def text(self) -> str:
        """In words; what is not known says so."""
        if not self.calls:
            return "no model call recorded"
        cached = f" and {self.count('cached_input'):,} cached" if self.count("cached_input") else ""
        wrote = f" and {self.count('cache_write'):,} written to the cache" if self.count("cache_write") else ""
        tokens = f"{self.count('input'):,}{cached}{wrote} tokens in, {self.count('output'):,} out"
        return f"{self.calls:,} {'call' if self.calls == 1 else 'calls'}, {tokens}, {self.money}"

    @property
    def money(self) -> str:
        """The cost in words."""
        if not self.unpriced:
            return dollars(self.dollars) if self.calls else "nothing recorded"
        known = f", {dollars(self.dollars)} for the others" if self.calls > self.unpriced else ""
        return f"cost unknown ({self.unpriced:,} of {self.calls:,} calls without a price{known})"

    def plain(self) -> dict[str, Any]:
        """For JSON; `dollars` is null where it is not known."""
        return {**{name: self.count(name) for name in TOKENS}, "calls": self.calls, "dollars": self.cost}


def dollars(amount: float) -> str:
    """`$0.0042`, `$1.27`: four decimals below a dollar, and never a plain zero for what is not zero."""
    if 0 < amount < 0.00005:
        return "<$0.0001"
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"


def read_usage(record: object) -> Usage:
    """A usage record as it stands in evidence.json or timings.jsonl; what is malformed counts as nothing.

    A record with tokens and no `calls` is one call.
    """
    if not isinstance(record, Mapping):
        return Usage()
    tokens = {name: whole(record.get(name)) for name in TOKENS}
    calls = whole(record.get("calls")) or int(any(tokens.values()) or "dollars" in record)
    paid = record.get("dollars")
    known = isinstance(paid, int | float) and not isinstance(paid, bool) and isfinite(paid) and paid >= 0
    return Usage(
        tokens=tokens, calls=calls, dollars=float(paid) if known and paid else 0.0, unpriced=0 if known else calls
    )


def whole(value: object) -> int:
    """A count from a stranger's record, or 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**53 else 0


def total(parts: Iterable[Usage]) -> Usage:
    """All of them together."""
    found = Usage()
    for part in parts:
        found = found + part
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTable:
    """Dollars a million tokens, by model and kind."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    version: str
    source: str
    models: Mapping[str, Mapping[str, float]]

    def cost(self, model: str, tokens: Mapping[str, float]) -> float | None:
        """Dollars for these tokens, or None where a kind that was used has no price."""
        prices = self.models.get(model, {})
        used = [name for name in BILLED if tokens.get(name)]
        if any(name not in prices for name in used):
            return None
        return sum(prices[name] * tokens[name] for name in used) / _MILLION if used else None


def read_prices(path: Path) -> PriceTable:
    """The table in a TOML file. InputFault names the file and the field."""
    return load(PriceTable, read_toml(path), str(path))
