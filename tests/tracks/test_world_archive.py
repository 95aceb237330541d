"""A World whose site is an archive, one whose site is an app, and one that cannot be served."""

import json
from pathlib import Path

import pytest

from tests.recorder.rig import FROZEN, exchange, freeze
from webds.errors import InputFault
from webds.tracks.sites import Site, pick
from webds.tracks.world import namespaces, serve


def site(folder: Path) -> Site:
    return Site(name="site", folder=folder, title="Site", frozen=FROZEN, serve="archive", data=())


def isolation() -> str:
    return "none" if namespaces() else "namespace"


async def fetch(access, url: str) -> tuple[int, str]:
    """One request from inside the world: curl is not everywhere, Python is."""
    import asyncio
    import sys

    script = (
        "import sys, urllib.request as u, urllib.error as e, ssl\n"
        "c = ssl._create_unverified_context()\n"
        "o = u.build_opener(u.ProxyHandler({'http': sys.argv[1], 'https': sys.argv[1]}), u.HTTPSHandler(context=c))\n"
        "try: r = o.open(sys.argv[2], timeout=20)\n"
        "except e.HTTPError as x: r = x\n"
        "print(r.status if hasattr(r, 'status') else r.code, r.read().decode())\n"
    )
    words = [*access["enter"], sys.executable, "-c", script, access["proxy"], url]
    child = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    out, _ = await child.communicate()
    status, _, text = out.decode().strip().partition(" ")
    return int(status), text


async def test_an_archive_answers_and_the_log_says_how(tmp_path: Path, root: Path) -> None:
    archive = freeze(tmp_path / "a", exchange("/p?a=1&b=2", b"frozen"), exchange("https://cdn.test/x.js", b"lib"))
    log = tmp_path / "log.jsonl"
    async with serve(root, [site(tmp_path)], isolation(), 60, {"site": archive}) as world:
        assert world.facts["archives"] == {"site": json.loads((archive / "manifest.json").read_text())["digest"]}
        async with world.episode("one", log) as access:
            assert access["frozen"] == {"site.test": 1656072000000, "cdn.test": 1656072000000}
            assert await fetch(access, "https://site.test/p?b=2&a=1") == (200, "frozen")
            assert await fetch(access, "https://cdn.test/x.js") == (200, "lib")
            assert (await fetch(access, "https://site.test/none"))[0] == 404
            assert (await fetch(access, "https://elsewhere.test/"))[0] == 403
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(r["level"], r["result"], r["outcome"]) for r in rows] == [
        ("canonical", "hit", "served"),
        ("exact", "hit", "served"),
        ("miss", "miss", "served"),
        ("", "blocked", "blocked"),
    ]


async def test_an_app_answers_where_there_is_no_archive(tmp_path: Path, root: Path) -> None:
    mini = root / "tests" / "data" / "mini"
    log = tmp_path / "log.jsonl"
    async with serve(mini, pick(mini, ["mini"]), isolation(), 60) as world, world.episode("one", log) as access:
        assert (await fetch(access, "https://mini.test/scores.csv"))[1].startswith("name,score")
    assert [(r["level"], r["result"]) for r in map(json.loads, log.read_text().splitlines())] == [("app", "hit")]


async def test_an_archive_that_cannot_be_used_is_said_in_one_line(tmp_path: Path, root: Path) -> None:
    archive = freeze(tmp_path / "a", exchange("/", b"x"))
    next(path for path in (archive / "blobs").rglob("*") if path.is_file()).unlink()
    with pytest.raises(InputFault, match="1 blob\\(s\\) missing"):
        async with serve(root, [site(tmp_path)], isolation(), 60, {"site": archive}):
            pass
