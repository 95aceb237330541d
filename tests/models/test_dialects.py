"""Replies in odd forms, endpoints that tell no usage, fields that some refuse, and waits told as a date."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from tests.models.endpoint import Said, serving
from tests.models.test_client import ASK, asked, model
from webds.errors import AgentFault, EndpointFault, InputFault, LimitReached
from webds.meter import Meter, metering
from webds.models import client
from webds.models.settings import read
from webds.types import Budget


def whole(message: dict[str, Any], **more: Any) -> Said:
    """A body with one choice."""
    return {"body": {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], **more}}


def events(*rows: object) -> Said:
    """A stream of these events; a text stands as it is."""
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    return {"raw": "".join(f"data: {line}\n\n" for line in (*lines, "[DONE]")), "type": "text/event-stream"}


def piece(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """An event with one choice."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


CALL: dict[str, Any] = {"id": 7, "type": "function", "function": {"name": "click", "arguments": {"id": "1"}}}
USAGE = {"prompt_tokens": 10, "completion_tokens": 3}
NO_REPLY = [
    pytest.param(False, {"raw": "<html>please log in</html>", "type": "text/html"}, id="a page"),
    pytest.param(False, {"raw": "upstream busy"}, id="plain text"),
    pytest.param(False, {"raw": b"\xff\xfe\x00"}, id="bytes"),
    pytest.param(False, {"raw": "[" * 100_000}, id="deep"),
    pytest.param(False, {"body": {"choices": [None]}}, id="no choice"),
    pytest.param(False, {"body": {"choices": "none"}}, id="choices as text"),
    pytest.param(False, {"body": {"choices": {"0": {}}}}, id="choices as a table"),
    pytest.param(False, whole({"content": 42}), id="content as a number"),
    pytest.param(False, whole({"tool_calls": ["click"]}), id="calls as texts"),
    pytest.param(False, whole({"tool_calls": [{"index": "first", "function": {}}]}), id="index as a word"),
    pytest.param(True, events(piece({"content": "a"}), '{"choices": [{"del'), id="a broken event"),
    pytest.param(True, events([1, 2]), id="an event that is a list"),
    pytest.param(True, events({"choices": [None]}), id="an event without a choice"),
]


@pytest.mark.parametrize(("stream", "fault"), NO_REPLY)
async def test_a_reply_in_no_known_form_is_the_endpoints_fault(stream: bool, fault: Said) -> None:
    """Never the agent's: tried again, billed each time, and told in one line."""
    meter = Meter(Budget(), "t~0/1")
    with serving([fault]) as endpoint, metering(meter):
        with pytest.raises(EndpointFault, match="no known form"):
            await model(endpoint.url, stream=stream).ask(ASK)
        await client.close()
        assert len(endpoint.seen) == 3
    assert (meter.total["calls"], meter.total["estimated"]) == (3, True)
    text, calls, _ = await asked([fault, {"text": "seven"}], stream=stream)
    assert (text, calls) == ("seven", 2)


PARTS = [{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "se"}, "ven"]
ODD = [
    (False, whole({"content": PARTS})),
    (True, events(piece({"content": PARTS}), piece({}, "stop"))),
    (False, whole({"content": "seven"}, usage={**USAGE, "prompt_tokens_details": [], "completion_tokens_details": 1})),
    (False, {"body": {"choices": [{"message": {"content": "seven"}, "finish_reason": "stop", "logprobs": {
        "content": [{"token": "seven", "top_logprobs": [{"token": "seven", "logprob": None}]}]}}]}}),
]  # fmt: skip


@pytest.mark.parametrize(("stream", "said"), ODD, ids=("parts", "parts streamed", "usage", "logprobs"))
async def test_dialects_that_are_read(stream: bool, said: Said) -> None:
    text, calls, _ = await asked([said], stream=stream)
    assert (text, calls) == ("seven", 1)


@pytest.mark.parametrize("stream", [True, False])
async def test_arguments_as_an_object(stream: bool) -> None:
    said = events(piece({"tool_calls": [{"index": 0, **CALL}]}), piece({}, "tool_calls"))
    with serving([said if stream else whole({"content": None, "tool_calls": [CALL]})]) as endpoint:
        reply = await model(endpoint.url, stream=stream).ask(ASK)
        await client.close()
    assert [(call.id, call.name, json.loads(call.arguments)) for call in reply.calls] == [("7", "click", {"id": "1"})]


@pytest.mark.parametrize("stream", [True, False])
async def test_tokens_are_a_limit_where_the_endpoint_tells_none(stream: bool) -> None:
    """1,000 tokens: the second call of 2,000 characters ends them, 500 estimated tokens each."""
    meter = Meter(Budget(tokens=1000), "t~0/1")
    with serving([{"text": "word " * 100, "usage": None}]) as endpoint, metering(meter):
        asking = model(endpoint.url, stream=stream)
        for _ in range(2):
            await asking.ask([{"role": "user", "content": "hello " * 250}])
        with pytest.raises(LimitReached, match="tokens"):
            await asking.ask(ASK)
        await client.close()
        assert len(endpoint.seen) == 2
    assert (meter.total["output"], meter.total["estimated"]) == (250, True)
    assert "dollars" not in meter.total


async def test_a_usage_that_tells_half_is_estimated() -> None:
    _, _, meter = await asked([{"text": "x" * 400, "usage": (50, 0)}], stream=False)
    assert (meter.total["output"], meter.total["estimated"]) == (100, True)


async def test_a_reply_without_an_end_costs_what_it_told() -> None:
    cut = {"body": {"choices": [{"message": {"content": "x"}}], "usage": USAGE}}
    _, _, meter = await asked([cut, {"text": "seven"}], stream=False)
    assert (meter.total["input"], meter.total["output"], meter.total["calls"]) == (110, 13, 2)
    assert "estimated" not in meter.total


async def test_a_picture_is_estimated_as_a_picture() -> None:
    """Its bytes are no words: a screenshot of 400 kB would else count 100,000 tokens."""
    meter = Meter(Budget(), "t~0/1")
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400_000}}
    with serving([{"text": "seven", "usage": None}]) as endpoint, metering(meter):
        await model(endpoint.url).ask([{"role": "user", "content": [image]}])
        await client.close()
    assert 1000 <= meter.total["input"] < 1100


def _refusing(*fields: str) -> Any:
    def answer(body: dict[str, Any]) -> Said:
        for name in fields:
            if name in body:
                return {"status": 400, "body": {"error": {"message": f"Unsupported parameter: '{name}'"}}}
        return {"text": "seven", "usage": None}

    return answer


@pytest.mark.parametrize(
    "mended",
    [
        {"max_tokens": 0},
        {"max_tokens_field": "max_completion_tokens"},
        {"leave_out": ("max_tokens",)},
    ],
)
async def test_an_endpoint_that_refuses_max_tokens(mended: dict[str, Any]) -> None:
    with serving([_refusing("max_tokens")]) as endpoint:
        with pytest.raises(AgentFault, match="max_tokens"):
            await model(endpoint.url).ask(ASK)
        assert (await model(endpoint.url, **mended).ask(ASK)).text == "seven"
        await client.close()
    assert endpoint.seen[-1].get("max_completion_tokens") == (2048 if "max_tokens_field" in mended else None)


async def test_what_is_left_out_is_not_sent_whoever_sets_it() -> None:
    refused = ("temperature", "seed", "stream_options", "tool_choice")
    with serving([_refusing(*refused)]) as endpoint:
        asking = model(endpoint.url, temperature=0, leave_out=refused)
        assert (await asking.ask(ASK, seed=3, tool_choice="required")).text == "seven"
        await client.close()
    assert asking.endpoint.sampling == {"max_tokens": 2048}


@pytest.mark.parametrize(
    ("field", "value"),
    [("max_tokens", -1), ("max_tokens_field", ""), ("leave_out", ("messages",)), ("leave_out", "seed")],
)
def test_a_wrong_setting_is_named(field: str, value: object) -> None:
    with pytest.raises(InputFault, match=field):
        read({"model": "m", "base_url": "http://127.0.0.1:9/v1", field: value}, "agents.llm")


def _later(seconds: float) -> Said:
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)
    return {"status": 429, "headers": {"retry-after": until}}


async def test_a_moment_that_is_over_is_no_wait() -> None:
    text, calls, _ = await asked([_later(-5), {"text": "seven"}], backoff=20)
    assert (text, calls) == ("seven", 2)


async def test_a_moment_beyond_our_patience_ends_it_at_once() -> None:
    with serving([_later(3600)]) as endpoint:
        with pytest.raises(EndpointFault, match=r"asks to wait 3[56]\d\d"):
            await model(endpoint.url, patience=9).ask(ASK)
        await client.close()
        assert len(endpoint.seen) == 1


async def test_a_wait_that_is_no_time_is_none() -> None:
    text, calls, _ = await asked([{"status": 429, "headers": {"retry-after": "soon"}}, {"text": "seven"}])
    assert (text, calls) == ("seven", 2)
