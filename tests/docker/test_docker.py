"""The provider `docker` against a real engine (make docker-test): same verdicts, closed containers, nothing left."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import async_playwright

from tests.docker.engine import Engine, engine, refusal
from tests.e2e.runs import MINI, environment
from tests.tracks.hostile import ROOT as HOSTILE
from webds.envs.browser.launch import BrowserSettings, launched
from webds.tracks import docker
from webds.tracks.sites import pick

pytestmark = [
    pytest.mark.extra,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(bool(refusal()), reason=f"docker: {refusal()}"),
]
CHECKOUT = Path(__file__).resolve().parents[2]
ARCHIVED = ("air-and-ice", "contagion-ledger", "fever-line-list", "matchday-archive")
TAKEN = {**dict.fromkeys(ARCHIVED, 1), "grid-workbook": 3, "tent-watch": 3}
"""Tasks of each site that are run, the first of its file: sites that an archive answers for, a site with an app, and
one with a state, whose first tasks write into a forum."""


def tasks_of(site: str) -> list[dict[str, Any]]:
    file = CHECKOUT / "tasks_public" / site.replace("-", "_") / "tasks.toml"
    return list(tomllib.loads(file.read_text(encoding="utf-8"))["task"])[: TAKEN[site]]


TASKS = [task for site in TAKEN for task in tasks_of(site)]
FORUM = [task["id"] for task in TASKS if task.get("collect")]


@pytest.fixture(scope="module")
def there() -> Iterator[Engine]:
    """The engine with the image built."""
    with engine() as found:
        old = os.environ.get("DOCKER_HOST")
        os.environ["DOCKER_HOST"] = found.address
        if not found.address:
            del os.environ["DOCKER_HOST"]
        began = time.monotonic()
        docker.prepare({"base": found.base}, lambda line: print(f"\n{line}"))
        image = docker.image_name(found.base)
        size = int(found.docker("image", "inspect", "--format", "{{.Size}}", image)) / 1e9
        print(f"\nimage {image}: ready after {time.monotonic() - began:.0f} s, {size:.2f} GB")
        yield found
        os.environ.pop("DOCKER_HOST", None)
        if old is not None:
            os.environ["DOCKER_HOST"] = old


def words(there: Engine, provider: str) -> list[str]:
    return ["--provider", provider, "--set", f'docker.base="{there.base}"']


def webds(there: Engine, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = environment(**({"DOCKER_HOST": there.address} if there.address else {}))
    command = [sys.executable, "-m", "webds", "run", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=1500)


def outcomes(run: Path) -> dict[str, tuple[Any, ...]]:
    """Task -> (outcome, ending, verdict of tier 1)."""
    rows = json.loads((run / "results.json").read_text())["episodes"]
    found = {}
    for row in rows:
        verdict = json.loads((run / "episodes" / f"{row['task']}~0" / "try-1" / "verdicts" / "tier1.json").read_text())
        found[row["task"]] = (row["outcome"], row["ending"], verdict.get("passed"))
    return found


def rows_of(run: Path, task: str) -> list[str]:
    """Threads and posts of the forum's collected database as text; sessions hold chance."""
    evidence = run / "episodes" / f"{task}~0" / "try-1"
    saved = evidence / json.loads((evidence / "evidence.json").read_text())["findings"]["collected"]["forum"]["path"]
    with closing(sqlite3.connect(saved)) as base:
        return [f"{row}" for name in ("threads", "posts") for row in base.execute(f"SELECT * FROM {name} ORDER BY id")]


def test_ten_episodes_have_the_verdicts_of_the_process_provider(there: Engine, tmp_path: Path) -> None:
    met, seconds = {}, {}
    for provider in ("process", "docker"):
        began = time.monotonic()
        run = tmp_path / provider
        tasks = [word for task in TASKS for word in ("--tasks", task["id"])]
        done = webds(there, "--agent", "oracle", *tasks, "--out", str(run), *words(there, provider))
        assert done.returncode == 0, done.stderr
        met[provider], seconds[provider] = outcomes(run), time.monotonic() - began
    facts = json.loads((tmp_path / "docker" / "run.json").read_text())["facts"]
    print(f"\n{len(met['docker'])} episodes; seconds: { {k: round(v) for k, v in seconds.items()} }; {facts}")
    for task, word in met["docker"].items():
        print(f"  {task}: {word}")
    assert len(met["docker"]) == 10
    assert met["docker"] == met["process"]
    assert facts["provider"] == "docker"
    assert facts["isolation"] == "container"
    assert facts["layers"]["kernel"] == "container"
    assert set(ARCHIVED) <= set(facts["archives"])
    assert len(FORUM) >= 1
    for task in FORUM:
        posts = [rows_of(tmp_path / provider, task) for provider in ("process", "docker")]
        assert posts[0]
        assert posts[0] == posts[1], task
    assert there.docker("ps", "--all", "--quiet", "--filter", "name=webds-") == ""


def test_agents_that_fail_fail_in_both(there: Engine, tmp_path: Path) -> None:
    met = {}
    for provider in ("process", "docker"):
        run = tmp_path / provider
        done = webds(there, "--agent", "nop", "--root", str(MINI), "--out", str(run), *words(there, provider))
        assert done.returncode == 0, done.stderr
        met[provider] = outcomes(run)
    assert met["docker"] == met["process"]
    assert {word[0] for word in met["docker"].values()} == {"fail"}


def test_a_hostile_page_gets_no_further_than_with_the_process_provider(there: Engine, tmp_path: Path) -> None:
    asked = {}
    for provider in ("process", "docker"):
        run = tmp_path / provider
        done = webds(there, "--agent", "scripted", "--root", str(HOSTILE), "--out", str(run), *words(there, provider))
        assert done.returncode == 0, done.stderr
        assert outcomes(run) == {"hostile-ways-out": ("pass", "submitted", True)}
        log = run / "episodes" / "hostile-ways-out~0" / "try-1" / "requests.jsonl"
        rows = [json.loads(line) for line in log.read_text().splitlines()]
        asked[provider] = {row["url"] for row in rows if row["outcome"] == "blocked" and "favicon" not in row["url"]}
    assert asked["docker"] == asked["process"]
    assert len(asked["docker"]) > 30


LOOK = """
import json, os, socket
def refused(what):
    try:
        what()
    except OSError as error:
        return error.strerror or str(error)
    return 'DONE'
names = ('keys.toml', 'tasks.toml', 'site.toml', 'reference.json')
walk = [(d, f) for d, _, fs in os.walk('/') if not d.startswith(('/proc', '/sys')) for f in fs]
found = [os.path.join(d, f) for d, f in walk if f in names]
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
print(json.dumps({
    'uid': os.getuid(), 'links': sorted(os.listdir('/sys/class/net')), 'found': sorted(found),
    'caps': status['CapBnd'].strip(), 'no_new_privs': status['NoNewPrivs'].strip(),
    'write': [refused(lambda p=p: open(p, 'w')) for p in ('/x', '/usr/x', '/webds/x', '/etc/x')],
    'connect': refused(lambda: socket.create_connection(('203.0.113.8', 80), 2)),
    'name': refused(lambda: socket.getaddrinfo('mini.test', 443)),
}))
"""


async def test_both_containers_are_closed(there: Engine, tmp_path: Path) -> None:
    sites = pick(MINI, ["mini"])
    async with (
        docker.serve(MINI, sites, {"base": there.base}, 60) as world,
        world.episode("look~0/1", tmp_path / "requests.jsonl") as access,
        async_playwright() as playwright,
        launched(playwright, BrowserSettings(chromium=""), access, tmp_path / "b") as context,
    ):
        await context.pages[0].goto("https://mini.test/")
        assert await context.pages[0].title() == "Mini home"
        ids = there.docker("ps", "--quiet", "--no-trunc", "--filter", "ancestor=" + docker.image_name(there.base))
        known = {i: json.loads(there.docker("inspect", i))[0] for i in ids.split()}
        seen = {i: json.loads(there.docker("exec", i, "python", "-c", LOOK)) for i in known}
    assert len(known) == 2
    for what in known.values():
        assert what["HostConfig"]["ReadonlyRootfs"]
        assert what["HostConfig"]["CapDrop"] == ["ALL"]
        assert not what["HostConfig"]["Privileged"]
    for look in seen.values():
        assert look["uid"] != 0
        assert look["links"] == ["lo"]
        assert int(look["caps"], 16) == 0
        assert look["no_new_privs"] == "1"
        assert all("Read-only" in said or "denied" in said.lower() for said in look["write"]), look["write"]
        assert "DONE" not in (look["connect"], look["name"])
    browser = next(i for i, w in known.items() if w["HostConfig"]["NetworkMode"].startswith("container:"))
    (world_id,) = set(known) - {browser}
    assert known[browser]["HostConfig"]["NetworkMode"] == f"container:{world_id}"
    assert known[world_id]["HostConfig"]["NetworkMode"] == "none"
    assert {m["Destination"] for m in known[browser]["Mounts"]} == {str(tmp_path / "b"), docker.POLICIES}
    assert seen[browser]["found"] == []
    # The package holds the self-test of agents, a site of three pages with its keys: no task of any suite is in it.
    of_suites = [name for name in seen[world_id]["found"] if not name.startswith("/webds/webds/agents/fixture/")]
    assert of_suites == [str(MINI / "sites_docker" / "mini" / "site.toml")]
    (writable,) = [m["Destination"] for m in known[world_id]["Mounts"] if m["RW"]]
    assert Path(writable).name.startswith("webds-world-")
    assert (tmp_path / "requests.jsonl").read_text().count("https://mini.test/")


def test_a_killed_run_leaves_no_container(there: Engine, tmp_path: Path) -> None:
    env = environment(DOCKER_HOST=there.address) if there.address else environment()
    command = [sys.executable, "-m", "webds", "run", "--agent", "scripted", "--root", str(MINI), "--repeat", "20"]
    command += ["--out", str(tmp_path / "run"), *words(there, "docker")]
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        wait(lambda: len(there.docker("ps", "--quiet").split()) >= 2, "no containers")
        run.send_signal(signal.SIGKILL)
    wait(lambda: not there.docker("ps", "--all", "--quiet", "--filter", "name=webds-"), "a container is left")


def wait(until: Any, what: str) -> None:
    end = time.monotonic() + 60
    while not until():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def compose() -> list[str]:
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    done = subprocess.run(["docker", "compose", "version"], capture_output=True)
    return ["docker", "compose"] if done.returncode == 0 else []


@pytest.mark.parametrize("service", ["world", "browser"])
def test_compose_says_what_the_provider_does(there: Engine, service: str) -> None:
    if not compose():
        pytest.skip("docker: compose is not installed")
    env = {**os.environ, "WEBDS_WORLD_IMAGE": docker.image_name(there.base), "WEBDS_WORLD_BASE": there.base}
    base = [*compose(), "-f", str(CHECKOUT / "sites_docker" / "compose.yaml")]
    if service == "world":
        site = {"name": "grid-workbook", "folder": "/webds/sites_docker/grid_workbook", "archive": ""}
        first = {"root": "/webds", "sites": [{**site, "frozen": "2022-06-24T12:00:00+00:00"}], "scratch": "/tmp"}
        command = [*base, "run", "--rm", "-T", "world"]
        done = subprocess.run(
            command, input=json.dumps({**first, "namespace": True}) + "\n", capture_output=True, text=True, env=env
        )
        assert json.loads(done.stdout.splitlines()[0])["ready"] is True, done.stderr
    else:
        shown = subprocess.run([*base, "config"], capture_output=True, text=True, env=env, check=True).stdout
        assert shown.count("read_only: true") == 2
        assert "network_mode: none" in shown
        assert "network_mode: service:world" in shown
    text = (CHECKOUT / "sites_docker" / "compose.yaml").read_text()
    for option in docker.HARDENING:
        value = option.partition("=")[2].removeprefix("/tmp:")
        assert text.count(value or "read_only: true") >= 2, option
    for limits in (docker.WORLD_LIMITS, docker.BROWSER_LIMITS):
        memory, processes = (word.partition("=")[2] for word in limits)
        assert f"mem_limit: {memory}\n    pids_limit: {processes}\n" in text
