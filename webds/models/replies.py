"""What an endpoint said, read out of its chunks or its one body. Nothing is believed to be there."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from webds.errors import one_line
from webds.prices import TOKENS, PriceTable, whole


class Unreadable(Exception):
    """No choice, no end, no known form, or an error in a body that came with status 200. `begun`: a model may have
    worked on it, so that it is billed."""

    def __init__(self, why: str, *, begun: bool) -> None:
        super().__init__(why)
        self.begun = begun


@contextmanager
def reading() -> Iterator[None]:
    """Around code that reads a reply: what a reply in no known form makes of it becomes Unreadable."""
    try:
        yield
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        why = f"the reply is in no known form ({one_line(error, 200)})"
        raise Unreadable(why, begun=True) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call as the model wrote it: `arguments` is text that may be anything."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's answer. `finish` is the endpoint's word (stop, length, tool_calls, content_filter)."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""
    refusal: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    logprobs: tuple[Mapping[str, float], ...] = ()
    """For each token of the text its likeliest alternatives, where they were asked for."""

    def plain(self) -> dict[str, Any]:
        """For a cassette."""
        return asdict(self)

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> "Reply":
        """From a cassette."""
        calls = tuple(Call(**call) for call in row.get("calls", ()))
        return cls(**{**row, "calls": calls, "logprobs": tuple(row.get("logprobs", ()))})


@dataclass(slots=True)
class Parts:
    """A reply while it comes in."""

    text: str = ""
    refusal: str = ""
    finish: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    logprobs: list[Mapping[str, float]] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Characters so far."""
        return len(self.text) + len(self.refusal) + sum(len(call["arguments"]) for call in self.calls.values())

    def add(self, chunk: Mapping[str, Any], parts: str) -> None:
        """A chunk (`parts` is delta) or a whole body (message). Unreadable if it holds an error."""
        if chunk.get("error"):
            why = f"the endpoint answered with an error: {json.dumps(chunk['error'])[:300]}"
            raise Unreadable(why, begun=bool(self.size or self.usage))
        with reading():
            self.usage = dict(_table(chunk.get("usage"))) or self.usage
            for choice in (chunk.get("choices") or ())[:1]:
                self._choice(choice, choice.get(parts) or {})

    def _choice(self, choice: Mapping[str, Any], said: Mapping[str, Any]) -> None:
        self.text += _text(said.get("content"))
        self.refusal += said.get("refusal") or ""
        self.finish = choice.get("finish_reason") or self.finish
        for place, call in enumerate(said.get("tool_calls") or ()):
            number = call.get("index")
            self._call(place if number is None else int(number), call)
        for token in ((choice.get("logprobs") or {}).get("content")) or ():
            tops = token.get("top_logprobs") or ()
            self.logprobs.append({str(top["token"]): float(top["logprob"]) for top in tops if _is_told(top)})

    def _call(self, number: int, call: Mapping[str, Any]) -> None:
        known = self.calls.setdefault(number, {"id": "", "name": "", "arguments": ""})
        function = call.get("function") or {}
        known["id"] = str(call.get("id") or known["id"])
        known["name"] += function.get("name") or ""
        arguments = function.get("arguments") or ""
        known["arguments"] += arguments if isinstance(arguments, str) else json.dumps(arguments)

    def reply(self, model: str, prices: PriceTable | None, sent: int) -> Reply:
        """The whole of it, after `sent` characters. Unreadable where the endpoint never said that it had finished."""
        if not self.finish:
            why = "the reply was cut off" if self.size else "the reply has no choice in it"
            raise Unreadable(why, begun=bool(self.size or self.usage))
        calls = tuple(Call(**self.calls[number]) for number in sorted(self.calls))
        return Reply(
            text=self.text,
            calls=calls,
            finish=self.finish,
            refusal=self.refusal,
            usage=self.used(model, prices, sent),
            logprobs=tuple(self.logprobs),
        )

    def used(self, model: str, prices: PriceTable | None, sent: int) -> dict[str, Any]:
        """The usage record: as the endpoint told it; where it told none, tokens by length, `estimated`, no price."""
        if whole(self.usage.get("prompt_tokens")) and (whole(self.usage.get("completion_tokens")) or not self.size):
            return usage_record(self.usage, model, prices)
        return {"input": sent // 4, "output": self.size // 4, "calls": 1, "estimated": True}


def _text(content: object) -> str:
    """The text of a message, which some endpoints send in parts; other parts (reasoning, pictures) are no answer."""
    if isinstance(content, list):
        return "".join(part if isinstance(part, str) else part.get("text") or "" for part in content)
    if content is None or isinstance(content, str):
        return content or ""
    raise TypeError(f"content is {type(content).__name__}")


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_told(top: Mapping[str, Any]) -> bool:
    return isinstance(top.get("logprob"), int | float)


def usage_record(usage: Mapping[str, Any], model: str, prices: PriceTable | None) -> dict[str, Any]:
    """webds.prices' record of an OpenAI `usage` object: `input` without what came from the cache."""
    told, wrote = _table(usage.get("prompt_tokens_details")), _table(usage.get("completion_tokens_details"))
    cached, written = whole(told.get("cached_tokens")), whole(told.get("cache_write_tokens"))
    counts = {
        "input": max(0, whole(usage.get("prompt_tokens")) - cached - written),
        "cached_input": cached,
        "cache_write": written,
        "output": whole(usage.get("completion_tokens")),
        "reasoning": whole(wrote.get("reasoning_tokens")),
    }
    record: dict[str, Any] = {name: counts[name] for name in TOKENS if counts[name]}
    record["calls"] = 1
    price = prices.cost(model, counts) if prices and record.keys() > {"calls"} else None
    return record if price is None else {**record, "dollars": price}
