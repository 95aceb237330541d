"""The client against a scripted endpoint: what is billed, what is tried again, and who is to blame."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.models.endpoint import Script, serving
from webds.errors import AgentFault, EndpointFault, InputFault, LimitReached
from webds.meter import Meter, metering
from webds.models import client, probe
from webds.models.client import Model
from webds.models.settings import read
from webds.prices import read_usage
from webds.types import Budget

ASK = ({"role": "user", "content": "How many?"},)
PRICES = """
version = "2026-11-30"
source = "invented for this test"
[models.m]
input = 2.0
cached_input = 0.5
output = 8.0
"""


def model(url: str, **more: Any) -> Model:
    return Model(
        read({"model": "m", "base_url": url, "backoff": 0.01, "retries": 2, **more}, "agents.llm"), "agents.llm"
    )


async def asked(script: Script, meter: Meter | None = None, **more: Any) -> tuple[str, int, Meter]:
    meter = meter or Meter(Budget(), "t~0/1")
    with serving(script) as endpoint, metering(meter):
        try:
            reply = await model(endpoint.url, **more).ask(ASK)
            return reply.text, len(endpoint.seen), meter
        finally:
            await client.close()


@pytest.mark.parametrize("stream", [True, False])
async def test_tokens_and_dollars(tmp_path: Path, stream: bool) -> None:
    (tmp_path / "prices.toml").write_text(PRICES)
    text, _, meter = await asked(
        [{"text": "seven", "usage": (1000, 250)}], stream=stream, prices=str(tmp_path / "prices.toml")
    )
    assert text == "seven"
    # 1000 x 2.0 + 250 x 8.0 dollars a million
    assert meter.total["dollars"] == pytest.approx(0.004)
    assert (meter.total["input"], meter.total["output"], meter.total["calls"]) == (1000, 250, 1)
    assert meter.total["roles"]["act"]["output"] == 250


async def test_an_unknown_price_is_unknown() -> None:
    _, _, meter = await asked([{"text": "seven"}])
    assert "dollars" not in meter.total
    assert meter.total["input"] == 100


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 500},
        {"status": 503},
        {"status": 429, "headers": {"retry-after": "0.01"}},
        {"text": "half of an answer", "cut": 4},
        {"drop": True, "text": "half of an answer", "cut": 4},
        {"body": {"choices": []}},
        {"body": {"error": {"message": "overloaded"}}},
    ],
    ids=lambda fault: str(fault)[:24],
)
@pytest.mark.parametrize("stream", [True, False])
async def test_a_passing_fault_is_tried_again(fault: dict[str, Any], stream: bool) -> None:
    if "cut" in fault and not stream:
        pytest.skip("only a stream can be cut in its middle and be read so far")
    text, calls, _ = await asked([fault, {"text": "seven"}], stream=stream)
    assert (text, calls) == ("seven", 2)


@pytest.mark.parametrize(
    ("fault", "calls"),
    [
        ({"status": 500}, 3),
        ({"status": 402}, 1),
        ({"status": 401}, 1),
        ({"status": 429, "headers": {"retry-after": "900"}}, 1),
        ({"text": "half", "cut": 2}, 3),
        ({"body": {"choices": []}}, 3),
        ({"hang": 5}, 3),
    ],
    ids=lambda value: str(value)[:24],
)
async def test_an_endpoint_that_stays_broken(fault: dict[str, Any], calls: int) -> None:
    with serving([fault]) as endpoint:
        with pytest.raises(EndpointFault) as caught:
            # Long enough that a busy machine's answer is no hang, short where a hang is what is played.
            await model(endpoint.url, first=1 if "hang" in fault else 30).ask(ASK)
        await client.close()
        assert len(endpoint.seen) == calls
    assert "model m" in str(caught.value)


async def test_nobody_listens() -> None:
    with pytest.raises(EndpointFault):
        await model("http://127.0.0.1:9/v1", retries=1).ask(ASK)
    await client.close()


async def test_a_wrong_request_is_the_agents_fault() -> None:
    with serving([{"status": 400, "body": {"error": {"message": "exceeds the available context size"}}}]) as endpoint:
        with pytest.raises(AgentFault, match="context size"):
            await model(endpoint.url).ask(ASK)
        await client.close()
        assert len(endpoint.seen) == 1


async def test_a_cut_reply_is_billed_by_its_length() -> None:
    _, _, meter = await asked([{"text": "x" * 400, "cut": 400}, {"text": "seven"}])
    assert meter.total["output"] == 110
    assert meter.total["estimated"] is True
    assert "dollars" not in meter.total


async def test_a_call_that_the_episode_did_not_wait_for_is_billed_by_its_length() -> None:
    meter = Meter(Budget(), "t~0/1")
    with serving([{"hang": 5}]) as endpoint:
        with metering(meter):
            asking = asyncio.create_task(model(endpoint.url).ask(ASK))
            while not endpoint.seen:
                await asyncio.sleep(0.01)
            asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await client.close()
    sent = len(str(ASK)) // 4
    assert meter.total["roles"]["act"] == {"calls": 1, "input": sent, "estimated": True}


@pytest.mark.parametrize("stream", [True, False])
async def test_a_call_that_its_own_patience_ended_is_billed_by_its_length(stream: bool) -> None:
    """The endpoint was at work: two tries that hung are paid for beside the one that was answered."""
    meter = Meter(Budget(), "t~0/1")
    with serving([{"hang": 20}, {"hang": 20}, {"text": "at last"}]) as endpoint:
        with metering(meter):
            reply = await model(endpoint.url, first=2, whole=2 if not stream else 30, stream=stream).ask(ASK)
        await client.close()
    assert reply.text == "at last"
    assert (meter.total["calls"], meter.total["estimated"]) == (3, True)
    assert read_usage(meter.total).cost is None, "what they cost is not known"


async def test_a_machine_that_was_never_reached_is_not_billed() -> None:
    meter = Meter(Budget(), "t~0/1")
    with metering(meter), pytest.raises(EndpointFault):
        await model("http://127.0.0.1:9/v1", retries=1).ask(ASK)
    await client.close()
    assert meter.total == {}


async def test_a_flood_is_cut() -> None:
    with serving([{"text": "y" * 5000}]) as endpoint:
        reply = await model(endpoint.url, reply_chars=1000).ask(ASK)
        await client.close()
    assert reply.finish == "length"


@pytest.mark.parametrize(("budget", "which"), [(Budget(tokens=110), "tokens"), (Budget(tokens=200), "")])
async def test_tokens_are_a_limit(budget: Budget, which: str) -> None:
    meter = Meter(budget, "t~0/1")
    await asked([{"text": "seven"}], meter)
    if which:
        with pytest.raises(LimitReached) as caught:
            await asked([{"text": "seven"}], meter)
        assert caught.value.which == which
    else:
        await asked([{"text": "seven"}], meter)


async def test_the_key_is_sent_and_never_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-0123456789abcdef"
    monkeypatch.setenv("WEBDS_TEST_KEY", secret)
    tape = tmp_path / "tape.jsonl"
    leaky = {"status": 401, "body": {"error": {"message": f"bad key {secret}"}}}
    with serving([{"text": f"your key is {secret}"}, leaky]) as endpoint:
        asked_model = model(endpoint.url, key_env="WEBDS_TEST_KEY", record=str(tape))
        await asked_model.ask(ASK)
        with pytest.raises(EndpointFault) as caught:
            await asked_model.ask(ASK)
        await client.close()
        assert endpoint.keys == [f"Bearer {secret}"] * 2
    assert secret not in str(caught.value)
    assert secret not in tape.read_text()


async def test_a_missing_key_and_model_are_bad_input() -> None:
    with pytest.raises(InputFault, match="WEBDS_NO_SUCH_KEY"):
        model("http://127.0.0.1:9/v1", key_env="WEBDS_NO_SUCH_KEY")
    with pytest.raises(InputFault, match="base_url"):
        read({"model": "m"}, "agents.llm")
    with pytest.raises(InputFault, match="wanted http"):
        read({"model": "m", "base_url": "ftp://x"}, "agents.llm")


async def test_a_cassette_answers_without_an_endpoint(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    for scope, text in (("a~0/1", "first of a"), ("a~0/2", "again a"), ("b~0/1", "first of b")):
        await asked([{"text": text, "usage": (7, 3)}], Meter(Budget(), scope), record=str(tape))
    gone = {"replay": str(tape)}
    for scope, text in (("a~0/1", "again a"), ("b~0/5", "first of b"), ("c~0/1", "again a")):
        meter = Meter(Budget(), scope)
        with metering(meter):
            reply = await model("http://127.0.0.1:9/v1", **gone).ask(ASK)
        assert reply.text == text
        assert meter.total["input"] == 7
    with pytest.raises(InputFault, match=r"tape\.jsonl: no recorded reply"):
        await model("http://127.0.0.1:9/v1", **gone).ask(({"role": "user", "content": "another"},))
    await client.close()


async def test_a_broken_cassette_names_its_line(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    tape.write_text(json.dumps({"key": "k", "scope": "", "attempt": "", "reply": {}}) + "\nnot json\n")
    with pytest.raises(InputFault, match=r"tape\.jsonl: line 2"):
        await model("http://127.0.0.1:9/v1", replay=str(tape)).ask(ASK)


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ([{"calls": [("ping", '{"word": "pong"}')]}], "tools"),
        ([{"text": "I would call it"}, {"text": '{"word": "pong"}'}], "schema"),
        ([{"status": 400}, {"text": '{"word": "pong"}'}], "schema"),
        ([{"status": 400}, {"status": 400}], "text"),
        ([{"text": "no"}, {"text": "no"}], "text"),
    ],
)
async def test_the_probe(script: Script, found: str) -> None:
    meter = Meter(Budget())
    with serving(script) as endpoint, metering(meter):
        assert await probe.dialect(model(endpoint.url)) == found
        assert await probe.dialect(model(endpoint.url)) == found
        await client.close()
        assert len(endpoint.seen) == len(script)


async def test_requests_a_minute_are_kept() -> None:
    with serving([{"text": "seven"}]) as endpoint:
        slow = model(endpoint.url, requests=1200)  # one in 50 ms
        import time

        begun = time.monotonic()
        for _ in range(4):
            await slow.ask(ASK)
        await client.close()
    assert time.monotonic() - begun >= 0.15


async def test_what_is_known_binds_though_a_call_has_no_price() -> None:
    meter = Meter(Budget(dollars=0.5))
    meter.charge("act", {"input": 10, "calls": 1})  # a reply that was cut: nobody knows its price
    meter.check()
    meter.charge("act", {"input": 10, "calls": 1, "dollars": 0.5})
    assert "dollars" not in meter.total  # unknown stays unknown
    with pytest.raises(LimitReached, match="dollars"):
        meter.check()
