"""T21: an agent with python, HTTP API and CDP reads no key, reference, host file, other episode or outside host."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.runs import MINI, environment, webds
from webds import jail
from webds.store import RunFolder, read_lines

SECRET = "the-reference-that-nobody-may-read"
KEY = "sk-the-key-that-nobody-may-read"
pytestmark = pytest.mark.skipif(jail.mechanism() == "none", reason="this host allows no sandbox")


@pytest.fixture
def canary() -> Iterator[tuple[int, list[str]]]:
    """A server on the host's loopback; the paths that it was asked for."""
    asked: list[str] = []

    class Heard(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(SECRET.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Heard)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1], asked
    server.shutdown()
    server.server_close()
    thread.join(10)


def test_a_hostile_agent_reads_nothing(tmp_path: Path, canary: tuple[int, list[str]]) -> None:
    own, agent, out = tmp_path / "own", tmp_path / "agent", tmp_path / "run"
    for folder in (own, agent):
        folder.mkdir()
    tasks = (MINI / "tasks_public/mini/tasks.toml").read_text().partition('[[task]]\nid = "mini-mean"')[0]
    (own / "tasks.toml").write_text(tasks.replace("seconds = 120", "seconds = 200").replace("steps = 20", "steps = 40"))
    key = '[[key]]\ntask = "mini-square"\nrevision = 1\n[[key.checks]]\nname = "answer"\nkind = "answer"\n'
    (own / "keys.toml").write_text(f'{key}[key.checks.params]\ntype = "string"\nreference = "{SECRET}"\n')
    (agent / "agent.py").write_text((Path(__file__).parent / "hostile_agent.py").read_text())
    other = out / "blobs" / "ab"
    files = [str(own / "keys.toml"), str(out / "run.json"), str(MINI / "sites_docker/mini/app.py"), "/etc/shadow"]
    wanted: dict[str, Any] = {"files": files, "port": canary[0], "digest": "ab" * 32}
    table = {
        "command": ["python", "{agent}/agent.py"],
        "folder": str(agent),
        "cdp": True,
        "env": {"HOSTILE_WANTED": json.dumps(wanted)},
        "model": "m",
        "base_url": f"http://127.0.0.1:{canary[0]}/v1",
        "key_env": "SOME_KEY",
    }
    sets = [word for name, value in table.items() for word in ("--set", f"agents.external.{name}={_toml(value)}")]
    chosen = ("--tasks", str(own / "tasks.toml"), "--out", str(out))
    done = webds("run", "--agent", "external", *chosen, *sets, env=environment(SOME_KEY=KEY))
    assert done.returncode == 0, done.stderr
    [item] = RunFolder.view(out).committed()
    log = (item.folder / "agent.log").read_text()
    assert (item.evidence.ending, item.evidence.answer) == ("submitted", "done"), log
    assert not other.exists() or not (other / wanted["digest"]).exists()
    _nothing_was_read(json.loads((item.folder / "files" / "met.json").read_text()), canary[1])
    _each_try_is_in_the_log(item.folder, item.evidence.findings)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {json.dumps(text)}" for name, text in value.items()) + "}"
    return json.dumps(value)


def _nothing_was_read(met: dict[str, Any], asked: list[str]) -> None:
    text = json.dumps(met)
    assert SECRET not in text
    assert KEY not in text
    assert "root:" not in json.dumps([met["files"], met["python"], met["page"]])
    assert "Mini fixture site" not in text
    assert asked == []
    assert set(met["files"].values()) <= {"FileNotFoundError", "PermissionError"}
    assert "CONNECTED" not in met["python"]
    assert (met["other picture"], met["paths"]) == (404, [404, 404, 404, 404])
    assert met["folders"]["/run/webds"] == ["/run/webds/api", "/run/webds/cdp"]
    assert met["targets"] == ["https://elsewhere.example/steal"]  # its own page, as the last goto left it
    refused = [name for name, answer in met.items() if isinstance(answer, dict) and "not given here" in str(answer)]
    assert len(refused) == 11, refused
    assert all(answer[0] for name, answer in met.items() if name.startswith("goto "))


def _each_try_is_in_the_log(folder: Path, findings: Any) -> None:
    tried = " ".join(findings["cdp_refused"])
    for word in ("createBrowserContext", "createTarget", "Page.navigate", "setFileInputFiles", "loadNetworkResource",
                 "Browser.close", "Tethering.bind", "sendMessageToTarget"):  # fmt: skip
        assert word in tried
    assert {"file:///etc/passwd", "chrome://version", "https://elsewhere.example/steal"} <= set(findings["outside"])
    assert len(findings["flags"]) == 2
    blocked = {row["url"] for row in read_lines(folder / "requests.jsonl")}
    assert any("elsewhere.example" in url for url in blocked)
    assert any("169.254.169.254" in url for url in blocked)
    acts = [row["did"] for row in read_lines(folder / "trajectory.jsonl")]
    assert [act["args"].get("url", "")[:5] for act in acts][:2] == ["file:", "file:"]
    assert "canary" in (folder / "agent.log").read_text()
