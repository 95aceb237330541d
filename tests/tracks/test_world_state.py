"""State of sites in Worlds: two Worlds share nothing, an episode begins with a clean forum, `save` gives a database."""

import asyncio
import json
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from webds.errors import InfraFault, TaskFault
from webds.suites.state import Collecting
from webds.tracks.sites import pick
from webds.tracks.states import States
from webds.tracks.world import ProcessWorld, namespaces, serve
from webds.types import Action, Collect, Observation, Params, Task

READER = """
import http.cookiejar, json, re, ssl, sys, urllib.parse as p, urllib.request as u
proxy, text = sys.argv[1:]
web = u.build_opener(u.ProxyHandler({"https": proxy}), u.HTTPSHandler(context=ssl._create_unverified_context()),
    u.HTTPCookieProcessor(http.cookiejar.CookieJar()))
def send(path, **fields):
    page = web.open("https://tent-watch.test" + path, timeout=20).read().decode()
    mark = re.search(r'name="form" value="(\\w+)"', page)
    fields |= {"form": mark[1]} if mark else {}
    return web.open("https://tent-watch.test" + path, p.urlencode(fields).encode(), timeout=20).read().decode()
seen = web.open("https://tent-watch.test/forum/threads/2", timeout=20).read().decode()
if text:
    send("/forum/login", name="gasmark_six", password="lemon-curd-47")
    seen = send("/forum/threads/2", body=text)
print(json.dumps(re.findall(r"says [\\w-]+", seen)))
"""
"""Logs in through the proxy and posts, when there is something to say; prints what visitors' posts say."""


class Nothing:
    """An environment that only collects."""

    actions: tuple[Params, ...] = ()
    endpoint = ""

    async def observe(self) -> Observation:
        return Observation()

    async def act(self, action: Action) -> Observation:
        return Observation()

    async def collect(self, task: Task, into: Path) -> Params:
        return {"own": 1}


async def post(access: Params, text: str) -> list[str]:
    enter = access["enter"]
    assert isinstance(enter, tuple)
    words = [*map(str, enter), sys.executable, "-c", READER, str(access["proxy"]), text]
    child = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    out, _ = await child.communicate()
    found: list[str] = json.loads(out)
    return found


async def saved(access: Params, into: Path, **params: str) -> Params:
    collect = (Collect(name="forum", kind="state", params={"site": "tent-watch", **params}),)
    task = Task(id="t", suite="web", revision=1, prompt="p", collect=collect)
    into.mkdir(exist_ok=True)
    return await Collecting(Nothing(), str(access["control"])).collect(task, into)


def bodies(into: Path) -> list[str]:
    with sqlite3.connect(into / "collected" / "forum.sqlite") as base:
        return [row[0] for row in base.execute("SELECT body FROM posts WHERE NOT seed ORDER BY id")]


@asynccontextmanager
async def worlds(root: Path, count: int) -> AsyncIterator[list[ProcessWorld]]:
    isolation = "none" if namespaces() else "namespace"
    async with AsyncExitStack() as stack:
        sites = pick(root, ["tent-watch"])
        starting = [serve(root, sites, isolation, 60) for _ in range(count)]
        yield [await stack.enter_async_context(world) for world in starting]


async def test_two_concurrent_episodes_post_to_one_thread_and_neither_sees_the_other(
    root: Path, tmp_path: Path
) -> None:
    async with worlds(root, 2) as (one, two):
        async with one.episode("a", tmp_path / "a.jsonl") as first, two.episode("b", tmp_path / "b.jsonl") as second:
            posted = await asyncio.gather(post(first, "says ours"), post(second, "says theirs"))
            assert list(posted) == [["says ours"], ["says theirs"]]
            later = await asyncio.gather(post(first, ""), post(second, ""))
            assert list(later) == [["says ours"], ["says theirs"]]
            findings = await saved(first, tmp_path / "one")
            assert findings["own"] == 1
            await saved(second, tmp_path / "two")
        assert (bodies(tmp_path / "one"), bodies(tmp_path / "two")) == (["says ours"], ["says theirs"])
        async with one.episode("c", tmp_path / "c.jsonl") as after:
            assert await post(after, "") == []
            await saved(after, tmp_path / "after")
            assert bodies(tmp_path / "after") == []
            with pytest.raises(InfraFault, match="grid-workbook: a site without state; with state: tent-watch"):
                await saved(after, tmp_path / "none", site="grid-workbook")


async def test_an_unknown_collect_kind_is_the_tasks_fault(tmp_path: Path) -> None:
    task = Task(id="t", suite="web", revision=1, prompt="p", collect=(Collect(name="x", kind="screenshot"),))
    with pytest.raises(TaskFault, match="no collect kind 'screenshot'; known: state"):
        await Collecting(Nothing(), "").collect(task, tmp_path)


def test_sites_without_state_are_left_alone(tmp_path: Path) -> None:
    states = States({"plain.test": object()}, tmp_path / "states")
    states.reset()
    with pytest.raises(ValueError, match="with state: none"):
        states.save("plain")
