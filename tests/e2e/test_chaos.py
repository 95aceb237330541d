"""200 episodes at concurrency 4 under thirty kills of runner, workers, browsers and proxies: nothing is lost."""

import json
import random
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.chaos import Chaos, clock, mounts
from tests.e2e.runs import log, results
from webds.scratch import processes

SEED = 20261130
KILLS = 30
REPEAT = 100
WORDS = ["--agent", "scripted", "--tasks", "mini-square,mini-hostile", "--repeat", str(REPEAT), "--concurrency", "4"]


def ledger(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "ledger.json").read_text())
    return found


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_thirty_kills_over_two_hundred_episodes(tmp_path: Path) -> None:
    folders = [Path(tempfile.mkdtemp(prefix="wdc-")) for _ in range(2)]  # short: a socket's path has 108 bytes
    calm, wild = (
        Chaos(tmp_path / name, place, WORDS, random.Random(SEED))
        for name, place in zip(("calm", "wild"), folders, strict=True)
    )
    try:
        began = clock()
        assert calm.go(0) == 0
        calm_took, began = clock() - began, clock()
        assert wild.go(KILLS) == 0
        wild_took = clock() - began
        left = [process.cmdline()[:3] for folder in folders for process in processes(folder)]
        mounted = mounts(tmp_path, *folders)
        rest = [path.name for folder in folders for path in folder.iterdir()]
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    committed = Counter(
        (e["task"], e["repeat"]) for e in log(wild.run) if e["event"] == "commit" and e["ending"] != "infra"
    )
    infra = sum(e["event"] == "commit" and e["ending"] == "infra" for e in log(wild.run))
    lost = 2 * REPEAT - len(committed)
    repeated = sum(count > 1 for count in committed.values())
    print(
        f"\n{2 * REPEAT} episodes, {sum(wild.kills.values())} kills {dict(sorted(wild.kills.items()))}, "
        f"{wild.starts} starts, {infra} tries broken, {ledger(wild.run)['cut_off']} cut off; lost {lost}, "
        f"repeated {repeated}, processes left {len(left)}, folders left {len(rest)}, mounts left "
        f"{len(mounted)}; {calm_took:.0f} s undisturbed, {wild_took:.0f} s disturbed"
    )
    assert sum(wild.kills.values()) == KILLS
    assert results(wild.run) == results(calm.run)
    assert {row["outcome"] for row in results(wild.run)["episodes"]} == {"pass"}
    assert (lost, repeated, left, rest, mounted) == (0, 0, [], [], set())
