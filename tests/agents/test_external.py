"""Agent `external`: the examples pass the self-test against a scripted endpoint; what sandbox and API refuse."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents import player
from tests.conftest import ROOT
from tests.e2e.runs import environment, webds
from tests.models.endpoint import Said, serving
from webds.store import RunFolder

KEY = "sk-a-key-that-nobody-may-see"


def check(
    out: Path, command: list[str], folder: Path, script: Callable[[dict[str, Any]], Said], **more: Any
) -> tuple[int, list[dict[str, Any]], str]:
    """`webds agents check external --solve`; exit code, rows, what was said."""
    with serving([script]) as endpoint:
        table = {
            "command": command,
            "folder": str(folder),
            "model": "m",
            "base_url": endpoint.url,
            "key_env": "SOME_KEY",
        }
        words = [f"agents.external.{name}={json.dumps(value)}" for name, value in {**table, **more}.items()]
        sets = [word for item in words for word in ("--set", item)]
        env = environment(SOME_KEY=KEY)
        done = webds("agents", "check", "external", "--solve", "--out", str(out), "--json", *sets, root=None, env=env)
        assert set(endpoint.keys) <= {f"Bearer {KEY}"}
    return done.returncode, json.loads(done.stdout) if done.stdout else [], done.stderr


@pytest.mark.parametrize(
    ("command", "example", "script"),
    [
        pytest.param(["python", "{agent}/agent.py"], "python_agent", player.as_text(player.done_so_far), id="python"),
        pytest.param(
            ["node", "{agent}/agent.mjs"],
            "node_agent",
            player.as_text(player.done_so_far),
            id="node",
            marks=pytest.mark.long,
        ),
        pytest.param(
            ["python", "{agent}/agent.py"],
            "mcp_agent",
            player.as_tools(player.tool_results),
            id="mcp",
            marks=pytest.mark.long,
        ),
    ],
)
def test_an_example_passes(command: list[str], example: str, script: Any, tmp_path: Path) -> None:
    code, rows, said = check(tmp_path / "run", command, ROOT / "examples" / example, script)
    assert code == 0, (rows, said)
    for item in RunFolder.view(tmp_path / "run").committed():
        usage: Any = item.evidence.usage
        assert usage["roles"]["act"]["input"] >= 1000 * item.evidence.steps
    assert KEY not in "".join(path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file())


SNOOP = """
import json, os, socket, urllib.error, urllib.request
base = os.environ["WEBDS_URL"]
def call(path, body=None, raw=None):
    data = raw if raw is not None else None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(base + path, data)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
met = {"document": call("/openapi.json")[1]["openapi"], "paths": sorted(call("/openapi.json")[1]["paths"])}
met["bad"] = [call("/act", raw=b)[0] for b in (b"{", b"[]", b'{"name": 1}', b'{"name": "wait", "args": {"x": NaN}}')]
met["nested"] = call("/act", raw=b"[" * 100000)[0]
met["unknown"] = call("/act", {"name": "fly", "args": {}})[1]["refused"]
met["image"] = call("/image/" + "0" * 64)[0]
met["model"] = call("/v1/chat/completions", {"messages": [{"role": "user", "content": "x"}]})[0]
met["env"] = {k: v for k, v in os.environ.items() if "sk-" in v or "KEY" in k}
met["acted"] = call("/acted", {"name": "click", "args": {"x": 1, "y": 1}})[1]["refused"]
met["submit"] = [call("/submit", {"answer": 3})[0], call("/submit", {"answer": json.dumps(met)})[0]]
met["after"] = call("/observe")
open(os.environ["WEBDS_WORK"] + "/met.json", "w").write(json.dumps(met))
"""


def test_what_the_api_refuses(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.mkdir()
    (agent / "agent.py").write_text(SNOOP)
    sets = ('agents.external.command=["python", "{agent}/agent.py"]', f'agents.external.folder="{agent}"')
    words = [word for item in sets for word in ("--set", item)]
    done = webds("run", "--agent", "external", "--tasks", "mini-square", "--out", str(tmp_path / "run"), *words)
    assert done.returncode == 0, done.stderr
    [item] = RunFolder.view(tmp_path / "run").committed()
    met = json.loads((item.folder / "files" / "met.json").read_text())
    assert met["document"] == "3.1.0"
    assert {"/act", "/acted", "/observe", "/submit", "/task"} <= set(met["paths"])
    assert met["bad"] == [400, 400, 400, 400]
    assert met["nested"] == 400
    assert "no action 'fly'" in met["unknown"]
    assert (met["image"], met["model"], met["acted"]) == (404, 404, "")
    assert met["env"] == {"OPENAI_API_KEY": "kept-by-the-worker"}
    assert met["after"][0] == 410
    steps = [json.loads(line) for line in (item.folder / "trajectory.jsonl").read_text().splitlines()]
    assert [(step["did"]["name"], step["by"]) for step in steps] == [
        ("fly", "session"), ("click", "agent"), ("submit", "session"),
    ]  # fmt: skip


ASKS = """
import json, os, urllib.request
asked = {"messages": [{"role": "user", "content": "x"}], "max_tokens": 5, "seed": 1}
urllib.request.urlopen(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(asked).encode()).read()
"""


def test_the_programs_own_limit_stands_alone(tmp_path: Path) -> None:
    """Not beside the run's under its other name, which endpoints refuse; what the run leaves out stays out."""
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "agent.py").write_text(ASKS)
    with serving([{"text": "seven"}]) as endpoint:
        table = {
            "command": '["python", "{agent}/agent.py"]', "folder": f'"{tmp_path / "agent"}"', "model": "m",
            "base_url": endpoint.url, "max_tokens_field": "max_completion_tokens", "leave_out": '["seed"]',
        }  # fmt: skip
        words = [word for name, value in table.items() for word in ("--set", f"agents.external.{name}={value}")]
        done = webds("run", "--agent", "external", "--tasks", "mini-square", "--out", str(tmp_path / "run"), *words)
    assert done.returncode == 0, done.stderr
    [body] = endpoint.seen
    assert {name: body.get(name) for name in ("max_tokens", "max_completion_tokens", "seed")} == {
        "max_tokens": 5, "max_completion_tokens": None, "seed": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("code", "ending", "why"),
    [
        ("import sys; print('no luck'); sys.exit(3)", "agent_fault", "exit code 3: no luck"),
        pytest.param("pass", "gave_up", "left without submit", marks=pytest.mark.long),
        pytest.param(
            "import os, urllib.request as u\n"
            "while True: u.urlopen(os.environ['WEBDS_URL'] + '/act', b'{\"name\": \"reload\", \"args\": {}}').read()",
            "limit",
            "steps",
            marks=pytest.mark.long,
        ),
        pytest.param("import time; time.sleep(600)", "limit", "seconds", marks=pytest.mark.long),
    ],
)
def test_how_a_program_ends(code: str, ending: str, why: str, tmp_path: Path) -> None:
    tasks = Path(__file__).parents[1] / "data/mini/tasks_public/mini/tasks.toml"
    own = tmp_path / "own"
    own.mkdir()
    text = tasks.read_text().replace("seconds = 120", "seconds = 12").replace("steps = 20", "steps = 3")
    (own / "tasks.toml").write_text(text)
    (own / "keys.toml").write_text((tasks.parent / "keys.toml").read_text())
    words = ["--set", f"agents.external.command={json.dumps(['python', '-c', code])}"]
    out = str(tmp_path / "run")
    chosen = ["--tasks", str(own / "tasks.toml"), "--tasks", "mini-square"]
    done = webds("run", "--agent", "external", *chosen, "--out", out, *words)
    assert done.returncode == 0, done.stderr
    [item] = RunFolder.view(tmp_path / "run").committed()
    assert (item.evidence.ending, why in item.evidence.why) == (ending, True), item.evidence


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("command=[]", 'field command: []; wanted a list like ["python", "{agent}/agent.py"]'),
        ('folder="nowhere"', "field folder: nowhere: no such folder"),
        ('folder="."', "field folder: .: holds, or lies in, the checkout's tasks and sites"),
        ('env="x"', "field env: 'x'; wanted a table of texts"),
        ("limits.memory=1", "field limits.memory: unknown; known: cgroup, "),
        ('model="m"', "field base_url: missing"),
    ],
)
def test_bad_settings_are_one_line(word: str, said: str) -> None:
    ok = ["--set", 'agents.external.command="true"']
    done = webds("run", "--agent", "external", *ok, "--set", f"agents.external.{word}", root=ROOT)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
