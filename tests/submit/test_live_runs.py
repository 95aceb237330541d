"""Live runs, here against a local origin: replayed from what they captured, or *reported* with the reason."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_live import CHALLENGE
from tests.submit.arena import RUN, TEAM, Mini, detail, said
from tests.submit.made import members, rewritten
from tests.submit.test_bundle import fuzz
from tests.tracks.liverig import Web, live, tasks_file
from webds.errors import InputFault
from webds.submit.pack import pack
from webds.submit.scorer import OWN_CAPTURE
from webds.submit.verify import expected, verified

pytestmark = pytest.mark.long
ARCHIVE = "episodes/mini-mean~0/try-1/archive"


def handed_in(mini: Mini, folder: Path, *words: str, tasks: tuple[str, ...] = ("mini-mean",), **ways: Any) -> Path:
    """The bundle of a live run; `ways`: what is wrong with the origin."""
    web, number = Web(folder), len(list(folder.glob("*.zip")))
    name = RUN.format(agent="scripted", number=number)
    mini.reserve(name, "public")
    run = folder / f"live{number}"
    own = tasks_file(folder / "own", *tasks, root=mini.root)
    with web.origin("mini", **ways):
        done = live(web, own, run, "--reserved", name, *words, root=mini.root)
    assert done.returncode == 0, done.stderr
    pack(run, TEAM, run.with_suffix(".zip"))
    return run.with_suffix(".zip")


def test_with_its_capture_it_is_replayed_and_without_it_stays_reported(tmp_path: Path) -> None:
    mini = Mini(tmp_path)
    path = handed_in(mini, tmp_path, "--capture")  # the origin is gone when the server replays
    row = mini.score(path)
    assert (row["state"], row["track"], row["level"]) == ("scored", "live", "replayed"), row
    assert detail(row) == {"mini-mean": ["pass"]}
    assert said(row, "level") == [OWN_CAPTURE]
    assert said(row, "unexplained") == []

    row = mini.score(handed_in(mini, tmp_path))
    assert (row["state"], row["level"]) == ("scored", "reported"), row
    why = "track live: mini-mean has no archive (--capture): not replayed, so it stays reported"
    assert said(row, "level") == [why]

    wrong = {
        "a page of the archive": (other_page, "the bytes do not match the name"),
        "a blob that is gone": (without_a_blob, "missing"),
        "a stranger's index": (view, "not an index as webds writes it"),
        "a surplus blob": (surplus, "is not in its archive"),
        "an archive of another track": (frozen(mini), "only a live run has them"),
    }
    for name, (change, why) in wrong.items():
        forged = rewritten(path, tmp_path / "forged.zip", change)
        with pytest.raises(InputFault, match=why) as caught, verified(forged, tmp_path / "u", mini.root):
            pass
        assert str(tmp_path) not in str(caught.value), name
        assert not (tmp_path / "u").exists()

    (tmp_path / "fuzz").mkdir()
    refused = fuzz(mini.root, path, tmp_path / "fuzz", 300, 5)
    print(f"\n300 mutated live bundles: {refused} refused, none crashed")
    assert refused > 180


def test_what_a_site_refused_is_left_blocked_and_flagged(tmp_path: Path) -> None:
    mini, refusal = Mini(tmp_path), {"only": "/", "status": 200, "page": CHALLENGE}
    row = mini.score(handed_in(mini, tmp_path, "--capture", tasks=("mini-square", "mini-mean"), block=refusal))
    assert (row["state"], row["level"]) == ("scored", "replayed"), row
    assert detail(row) == {"mini-mean": ["pass"], "mini-square": ["blocked"]}
    assert (row["figure"], row["n"]) == (1.0, 1)
    why = "live site: captcha: https://mini.test/, by the run's own word: no replay shows it"
    assert said(row, "blocked") == [f"mini-square: {why}"]


def blobs(found: dict[str, bytes]) -> list[str]:
    return [name for name in found if name.startswith(f"{ARCHIVE}/blobs/")]


def other_page(found: dict[str, bytes]) -> None:
    found[blobs(found)[0]] += b" and more"


def without_a_blob(found: dict[str, bytes]) -> None:
    del found[blobs(found)[0]]


def surplus(found: dict[str, bytes]) -> None:
    found[f"{ARCHIVE}/blobs/00/{'0' * 64}"] = b"1"


def frozen(mini: Mini) -> Callable[[dict[str, bytes]], None]:
    def change(found: dict[str, bytes]) -> None:
        value = json.loads(found["bundle.json"])
        head = {**value["head"], "track": "dockerized"}
        sites = dict(expected(mini.root, "public").sites)
        found["bundle.json"] = json.dumps({**value, "head": head, "sites": sites}).encode()

    return change


def view(found: dict[str, bytes]) -> None:
    """The table as a view that never ends."""
    with closing(sqlite3.connect(":memory:")) as index:
        index.deserialize(found[f"{ARCHIVE}/index.sqlite"])
        names = ", ".join(f"n AS {name}" for (_, name, *_) in index.execute("PRAGMA table_info(exchange)"))
        endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
        index.executescript(f"DROP TABLE exchange; CREATE VIEW exchange AS {endless} SELECT {names} FROM c;")
        found[f"{ARCHIVE}/index.sqlite"] = index.serialize()


def test_what_was_packed_names_no_place(tmp_path: Path) -> None:
    mini = Mini(tmp_path)
    found = members(handed_in(mini, tmp_path, "--capture"))
    assert f"{ARCHIVE}/provenance.json" not in found
    assert not [name for name, data in found.items() if str(tmp_path).encode() in data]
