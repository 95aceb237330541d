"""Agent `llm` in a real run against a scripted endpoint: what it does, what it costs, and how each fault ends."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.runs import results, webds
from tests.models.endpoint import Said, Script, serving
from webds.store import read_lines


def tool(name: str, **args: Any) -> Said:
    return {"calls": [(name, json.dumps(args))], "usage": (1000, 20)}


def play(*moves: Said) -> Callable[[dict[str, Any]], Said]:
    """Plays the moves of an episode in order: which one is due shows from the number of steps in the prompt."""

    def answer(body: dict[str, Any]) -> Said:
        if body.get("tools") and body["tools"][0]["function"]["name"] == "ping":
            return {"calls": [("ping", '{"word": "pong"}')]}
        shown = body["messages"][1]["content"]
        text = shown if isinstance(shown, str) else shown[0]["text"]
        done = sum(f"\n{number}. " in text for number in range(1, 30))
        return moves[min(done, len(moves) - 1)]

    return answer


def run(url: str, out: Path, *words: str, task: str = "mini-square") -> tuple[int, str]:
    sets = ("agents.llm.model=m", f"agents.llm.base_url={url}", "agents.llm.backoff=0.01", "agents.llm.retries=1")
    named = [word for item in sets for word in ("--set", item)]
    done = webds("run", "--agent", "llm", "--tasks", task, "--out", str(out), "--endpoint-wait", "0", *named, *words)
    return done.returncode, done.stdout + done.stderr


def evidence(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(max(out.glob("episodes/*/try-*/evidence.json")).read_text())
    return found


RIGHT = play(tool("table", id="1", match="12"), tool("submit", answer="144"))


def test_it_solves_a_task_and_the_cost_is_known(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('version = "t"\nsource = "invented for this test"\n[models.m]\ninput = 1.0\noutput = 10.0\n')
    with serving([RIGHT]) as endpoint:
        code, said = run(endpoint.url, tmp_path / "run", "--set", f"agents.llm.prices={prices}")
    assert code == 0, said
    assert results(tmp_path / "run")["episodes"][0]["outcome"] == "pass"
    usage = evidence(tmp_path / "run")["usage"]
    # a probe of 100 + 10 tokens, two acts of 1000 + 20: dollars (2100 x 1 + 50 x 10) a million
    assert usage["roles"]["act"] == {"calls": 2, "input": 2000, "output": 40, "dollars": pytest.approx(0.0024)}
    assert usage["dollars"] == pytest.approx(0.0026)
    head = json.loads((tmp_path / "run" / "run.json").read_text())
    assert head["declares"]["prompt"]["name"] == "default"
    assert head["declares"]["model"] == "m"
    steps = [row["usage"].get("calls", 0) for row in read_lines(next((tmp_path / "run").rglob("timings.jsonl")))]
    assert sum(steps) == 3


LONG = pytest.mark.long


@pytest.mark.parametrize("profile", [pytest.param("webarena", marks=LONG), "occam", pytest.param("small", marks=LONG)])
def test_each_profile_solves_it(profile: str, tmp_path: Path) -> None:
    words = {"thought": "the table", "action": {"name": "find", "args": {"text": "144"}}}
    if profile == "small":
        last = {"thought": "", "action": {"name": "submit", "args": {"answer": "144"}}}
        script: Script = [{"text": json.dumps(words)}, {"text": json.dumps(last)}]
    else:
        script = [RIGHT]
    with serving(script) as endpoint:
        code, said = run(endpoint.url, tmp_path / "run", "--set", f"agents.llm.profile={profile}")
        offered = endpoint.seen[0 if profile == "small" else -1]
    assert code == 0, said
    assert results(tmp_path / "run")["episodes"][0]["outcome"] == "pass"
    assert ("response_format" in offered) == (profile == "small")
    if profile == "small":  # what it may click is what it was shown
        actions = offered["response_format"]["json_schema"]["schema"]["properties"]["action"]["anyOf"]
        (click,) = [item for item in actions if item["properties"]["name"]["const"] == "click"]
        ids = click["properties"]["args"]["properties"]["id"]["enum"]
        assert ids == re.findall(r"\[(\d+)\] ", offered["messages"][1]["content"])


PROBED = {"calls": [("ping", '{"word": "pong"}')]}


@pytest.mark.parametrize(
    ("fault", "ending", "calls"),
    [
        ({"calls": [("click", "{not json")]}, "agent_fault", 5),
        pytest.param({"calls": [("fly", "{}")]}, "agent_fault", 5, marks=LONG),
        pytest.param({"text": "I think I should look at the table."}, "agent_fault", 5, marks=LONG),
        pytest.param({"refusal": "I cannot help with that."}, "gave_up", 5, marks=LONG),
        ({"status": 400, "body": {"error": {"message": "context length exceeded"}}}, "agent_fault", 0),
        pytest.param({"status": 402}, "infra", 0, marks=LONG),
        ({"status": 500}, "infra", 0),
        pytest.param({"status": 429, "headers": {"retry-after": "0.01"}}, "infra", 0, marks=LONG),
        pytest.param({"text": "half", "cut": 2}, "infra", 0, marks=LONG),
        pytest.param({"body": {"choices": []}}, "infra", 0, marks=LONG),
        pytest.param({"raw": 'data: {"choices": [{"del\n\n', "type": "text/event-stream"}, "infra", 2, marks=LONG),
        pytest.param({"text": "z" * 300_000}, "agent_fault", 5, marks=LONG),
        pytest.param({"hang": 30}, "infra", 0, marks=LONG),
    ],
    ids=lambda value: str(value)[:30],
)
def test_each_fault_ends_as_it_should(fault: Said, ending: str, calls: int, tmp_path: Path) -> None:
    with serving([PROBED, fault]) as endpoint:
        code, said = run(endpoint.url, tmp_path / "run", "--set", "agents.llm.first=0.5")
    assert "Traceback" not in said
    found = evidence(tmp_path / "run")
    assert found["ending"] == ending, found["why"]
    assert found["usage"].get("roles", {}).get("act", {}).get("calls", 0) >= calls
    assert code in (0, 3)


def test_wrong_ids_are_told_to_the_model(tmp_path: Path) -> None:
    with serving([play(tool("click", id="9999"), tool("submit", answer="144"))]) as endpoint:
        code, said = run(endpoint.url, tmp_path / "run")
        assert "refused" in endpoint.seen[-1]["messages"][1]["content"]
    assert code == 0, said
    assert results(tmp_path / "run")["episodes"][0]["outcome"] == "pass"


@pytest.mark.parametrize("episodes", [2, pytest.param(10, marks=LONG)])
def test_a_cassette_repeats_episodes_without_an_endpoint(episodes: int, tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    ten = ("--repeat", str(episodes))
    with serving([RIGHT]) as endpoint:
        code, said = run(endpoint.url, tmp_path / "first", "--record-model", str(tape), *ten)
    assert code == 0, said
    code, said = run("http://127.0.0.1:9/v1", tmp_path / "again", "--replay-model", str(tape), *ten)
    assert code == 0, said
    hashes = [
        sorted(
            json.loads(file.read_text())["digests"]["trajectory"] for file in (tmp_path / run).rglob("evidence.json")
        )
        for run in ("first", "again")
    ]
    assert len(hashes[0]) == episodes
    assert hashes[0] == hashes[1]


def test_bad_settings_are_one_line(tmp_path: Path) -> None:
    done = webds("run", "--agent", "llm", "--tasks", "mini-square", "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "agents.llm: field model: missing" in done.stderr
    code, said = run("http://127.0.0.1:9/v1", tmp_path / "run", "--set", "agents.llm.profile=big")
    assert code == 2
    assert "known: default, webarena, occam, small" in said
