"""Nothing leaves the frozen web, and the tools find nothing of the host."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.runs import MINI, environment, webds
from webds import jail
from webds.tracks.world import namespaces

ROOT = Path(__file__).parents[2]


@contextmanager
def tcpdump(into: Path) -> Iterator[None]:
    """Listen on every interface of the host while the block runs."""
    command = ["tcpdump", "-i", "any", "-n", "-l", "-w", str(into), "udp port 53 or host 203.0.113.77"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as dump:
        assert dump.stderr is not None
        for line in dump.stderr:
            if "listening" in line:
                break
        try:
            yield
        finally:
            dump.terminate()
            dump.wait(10)


def test_other_hosts_get_the_block_page_and_are_logged(tmp_path: Path) -> None:
    done = webds("run", "--agent", "scripted", "--tasks", "mini-hostile", "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "run" / "episodes" / "mini-hostile~0" / "try-1"
    rows = [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]
    blocked = {row["url"] for row in rows if row["outcome"] == "blocked"}
    assert "https://tracker.example/pixel.gif" in blocked
    assert any(url.startswith("https://elsewhere.example/page") for url in blocked)
    steps = [json.loads(line) for line in (folder / "trajectory.jsonl").read_text().splitlines()]
    assert "not part of the frozen web" in steps[0]["then"]["text"]
    assert "ERR_BLOCKED_BY_ADMINISTRATOR" in steps[1]["then"]["refused"]
    # What the page asked for by itself (tracker.example) is counted; what the agent asked for flags the run as well.
    findings = json.loads((folder / "evidence.json").read_text())["findings"]
    assert [url.partition("?")[0] for url in findings["outside"]] == [
        "https://elsewhere.example/page", "file:///etc/hostname"]  # fmt: skip
    assert "asked for 2 addresses outside the sites: https://elsewhere.example/page" in findings["flags"][0]
    for page in (tmp_path / "run" / "report.html", folder.parent / "index.html"):
        text = page.read_text()
        assert "lagged" in text
        assert "asked for 2 addresses outside the sites: https://elsewhere.example/page" in text
        assert "<script>window" not in text


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("tcpdump"), reason="needs root and tcpdump")
@pytest.mark.skipif(bool(namespaces()), reason=f"no network namespace here: {namespaces()}")
def test_tcpdump_outside_sees_nothing(tmp_path: Path) -> None:
    with tcpdump(tmp_path / "packets"):
        done = webds("run", "--agent", "scripted", "--tasks", "mini-hostile", "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    facts = json.loads((tmp_path / "run" / "run.json").read_text())["facts"]
    assert facts["isolation"] == "namespace"
    seen = subprocess.run(["tcpdump", "-n", "-r", str(tmp_path / "packets")], capture_output=True, text=True).stdout
    wanted = ("tracker.example", "elsewhere.example", "mini.test", "203.0.113.77")
    assert not [line for line in seen.splitlines() if any(word in line for word in wanted)]


SNOOP = f"""
import os, socket, subprocess
places = [{str(ROOT)!r}, {str(MINI)!r}, '/home', '/etc/hostname', '/etc/shadow', '/var/lib']
print('PLACES', [p for p in places if os.path.exists(p) and (os.path.isfile(p) or os.listdir(p))])
home = {str(Path.home())!r}
# Where the interpreter itself lies in the home folder, its own folders are there and nothing else.
parts = {str(Path(sys.base_prefix).resolve())!r}.split('/')
print('HOME', [f for f in (os.listdir(home) if os.path.isdir(home) else []) if f not in parts])
names = ('keys.toml', 'tasks.toml', 'site.toml', 'site_data.py', 'design.md', 'AGENTS.md')
hits = [os.path.join(d, f) for d, _, fs in os.walk('/') if not d.startswith('/proc') for f in fs if f in names]
print('KEYS', hits)
try:
    import webds
    print('WEBDS', webds.__file__)
except ImportError:
    print('WEBDS none')
def reach(address):
    try:
        socket.create_connection(address, 1).close()
        return 'reached'
    except OSError:
        return 'no'
print('NET', reach(('203.0.113.77', 80)), reach(('127.0.0.1', {{port}})))
try:
    print('DNS', socket.getaddrinfo('mini.test', 443))
except OSError:
    print('DNS no')
words = []
for p in os.listdir('/proc'):
    if p.isdigit():
        words.append(open(f'/proc/{{{{p}}}}/cmdline').read())
print('PROC', [w for w in words if 'webds.' in w or 'webds_' in w or 'chromium' in w])
print('ENV', [k for k in os.environ if 'WEBDS' in k or 'KEY' in k])
"""


@pytest.mark.skipif(jail.mechanism() == "none", reason=f"no sandbox here: {jail.mechanism_reason()}")
def test_python_tool_finds_nothing(tmp_path: Path) -> None:
    listen = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(listen, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().split(" port ")[1].split()[0])
        code = SNOOP.replace("{port}", str(port)).replace("{{p}}", "{p}")
        order = json.dumps({"name": "python", "args": {"code": code}})
        command = [sys.executable, "-m", "webds", "tasks", "open", "mini-mean", "--root", str(MINI)]
        done = subprocess.run(
            command, input=order + "\n", capture_output=True, text=True, env=environment(), timeout=120
        )
        server.terminate()
    said = done.stdout
    for line in ("PLACES []", "HOME []", "KEYS []", "WEBDS none", "NET no no", "DNS no", "PROC []", "ENV []"):
        assert line in said, said[-3000:]


def test_a_run_leaves_no_process_behind(tmp_path: Path) -> None:
    done = webds("run", "--agent", "nop", "--tasks", "mini-square", "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    end = time.monotonic() + 10
    while time.monotonic() < end and (left := _mine(str(tmp_path))):
        time.sleep(0.05)
    assert not left


def _mine(word: str) -> list[str]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if word in words:
            found.append(words)
    return found
