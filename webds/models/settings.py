"""Which model to ask, where, and within which limits: a table of the configuration, checked before a run starts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

from webds import config as settings
from webds.codec import load
from webds.errors import InputFault
from webds.prices import PriceTable, read_prices
from webds.types import STRICT, Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model at one address. Times in seconds, rates a minute; 0 means no limit."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    model: str
    base_url: str
    key_env: str = ""
    """Name of the environment variable that holds the key; the key itself is never written anywhere."""
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int = 2048
    """Of a reply; 0: no limit is sent."""
    max_tokens_field: str = "max_tokens"
    """The limit's name in the request body: newer models want max_completion_tokens."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Further fields of the request body, as the endpoint wants them."""
    leave_out: tuple[str, ...] = ()
    """Fields of the request body that are never sent, whoever set them: for endpoints that refuse them."""
    stream: bool = True
    dialect: str = ""
    """tools, schema or text; empty: found by a probe."""
    connect: float = 10
    first: float = 120
    whole: float = 600
    retries: int = 4
    backoff: float = 1
    """First wait before a retry; it doubles, up to 30 s. A Retry-After is believed up to `patience`."""
    patience: float = 120
    requests: float = 0
    tokens: float = 0
    parallel: int = 0
    reply_chars: int = 200_000
    prices: str = ""
    record: str = ""
    replay: str = ""
    """A cassette to write, or to answer from without any endpoint."""

    @property
    def sampling(self) -> dict[str, Json]:
        """What a reader needs to repeat a call, and what a cassette's key is made of beside the messages."""
        named = {"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed}
        said: dict[str, Json] = {name: value for name, value in named.items() if value is not None}
        longest: dict[str, Json] = {self.max_tokens_field: self.max_tokens} if self.max_tokens else {}
        sent = {**said, **longest, **self.extra}
        return {name: value for name, value in sent.items() if name not in self.leave_out}


FIELDS = frozenset(item.name for item in fields(Endpoint))
DIALECTS = ("", "tools", "schema", "text")


def read(table: Mapping[str, Any], where: str) -> Endpoint:
    """The endpoint of a config table; other fields are left to others. InputFault names the field."""
    for name in ("model", "base_url"):
        if not table.get(name) or not isinstance(table[name], str):
            raise InputFault(f"{where}: field {name}: missing; name it with --set {where}.{name}=... (docs/models.md)")
    found = load(Endpoint, {name: value for name, value in table.items() if name in FIELDS}, where)
    if not found.base_url.startswith(("http://", "https://")):
        raise InputFault(f"{where}: field base_url: {found.base_url!r}; wanted http://... or https://...")
    if found.dialect not in DIALECTS:
        raise InputFault(f"{where}: field dialect: {found.dialect!r}; known: tools, schema, text")
    _check_body(found, where)
    if found.replay and not Path(found.replay).is_file():
        raise InputFault(f"{where}: field replay: {found.replay}: no such file")
    return found


def _check_body(found: Endpoint, where: str) -> None:
    if found.max_tokens < 0:
        raise InputFault(f"{where}: field max_tokens: {found.max_tokens}; wanted 0 (no limit is sent) or more")
    if not found.max_tokens_field:
        raise InputFault(f"{where}: field max_tokens_field: empty; wanted a name (max_tokens=0 sends no limit)")
    if always := {"model", "messages", "stream"} & set(found.leave_out):
        raise InputFault(f"{where}: field leave_out: {min(always)} is always sent (stream=false asks for no stream)")


def key(endpoint: Endpoint, where: str) -> str:
    """The key's value; `none` where the endpoint needs none. InputFault where the variable is not set."""
    if endpoint.replay or not endpoint.key_env:
        return "none"
    found = settings.secret(endpoint.key_env)
    if not found:
        raise InputFault(f"{where}: field key_env: the environment has no variable {endpoint.key_env}")
    return found


def prices(endpoint: Endpoint) -> PriceTable | None:
    """The price table that the endpoint names."""
    return read_prices(Path(endpoint.prices)) if endpoint.prices else None


def declared(endpoint: Endpoint) -> dict[str, Any]:
    """What run.json says of an endpoint: the model, how it is sampled, and the price table's version if any."""
    table = prices(endpoint)
    found: dict[str, Any] = {"model": endpoint.model, "sampling": dict(endpoint.sampling)}
    return {**found, "prices": table.version} if table else found
