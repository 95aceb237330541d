"""Tent Watch's tasks: references recomputed from pages, claims of seed posts, forum checks against a real forum."""

import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest

from sites_docker.kit.tables import Tables
from sites_docker.tent_watch.store import Store
from sites_docker.tent_watch.wiki import Wiki
from webds.codec import sha256
from webds.types import AnswerKey, Check, Ending, Evidence
from webds_judge.checks import sql
from webds_judge.keys import KeyRing

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "sites_docker" / "tent_watch"
FROZEN = datetime(2020, 5, 2, 10, tzinfo=UTC)
CLAIMS: list[dict[str, Any]] = tomllib.loads(
    (ROOT / "tasks_public/tent_watch/gold/claims.toml").read_text(encoding="utf-8")
)["claim"]


@pytest.fixture(scope="module")
def wiki() -> Wiki:
    return Wiki(FOLDER)


@pytest.fixture(scope="module")
def ring() -> KeyRing:
    return KeyRing(ROOT, strict=False)


def overview_mean(wiki: Wiki) -> tuple[object, object]:
    series = wiki.by_series["6"]
    return round(mean(e.rating.seven for e in series.episodes), 2), series.average


def last_left(wiki: Wiki, number: int) -> list[bool]:
    """Of each episode before the final: did the last in the technical leave?"""
    found = []
    for episode in wiki.by_series[str(number)].episodes[:-1]:
        ranked = [bake for bake in episode.bakes if bake.technical]
        found.append(max(ranked, key=lambda bake: bake.technical or 0).result == "OUT")
    return found


def technical_slip(wiki: Wiki) -> tuple[object, object]:
    return sum(last_left(wiki, 8)), 5


def star_tally(wiki: Wiki) -> tuple[object, object]:
    return sum(bake.result == "STAR BAKER" for bake in wiki.by_baker["10-steph"].bakes), 3


def uplift_thread(wiki: Wiki) -> tuple[object, object]:
    ratings = [e.rating for s in wiki.series[5:] for e in s.episodes]
    gains = [(r.printed_28 - r.seven) * 1000 for r in ratings if r.printed_28 is not None]
    return round(mean(gains), 1), round(sum(gains) / len(ratings), 1)


def iplayer_register(wiki: Wiki) -> tuple[object, object]:
    totals = [sum(e.rating.iplayer or 0 for e in s.episodes) / 1e6 for s in wiki.series]
    return round(totals[6], 3), round(sum(totals), 3)


def usable_28(wiki: Wiki) -> tuple[object, object]:
    filled = [e.rating for e in wiki.episodes if e.rating.printed_28 is not None]
    assert len(filled) == 93
    return sum(r.series > 5 for r in filled), sum((r.printed_28 or 0) >= r.seven for r in filled)


def took_part(bake: Any) -> bool:
    return any((bake.signature, bake.technical, bake.showstopper))


def down_the_field(wiki: Wiki) -> tuple[object, object]:
    shares = []
    for bake in filter(took_part, wiki.by_baker["9-kim-joy"].bakes):
        episode, rank = wiki.by_episode[f"9-{bake.episode}"], bake.technical or 0
        shares.append((rank / sum(map(took_part, episode.bakes)), rank / episode.appeared))
    assert len(shares) == 10
    careful, hasty = (f"{100 * mean(column):.1f}%" for column in zip(*shares, strict=True))
    return careful, hasty


def us_lag(wiki: Wiki) -> tuple[object, object]:
    days: dict[int, list[int]] = {}
    for rating in (e.rating for e in wiki.episodes if e.rating.us):
        us = datetime.strptime(rating.us or "", "%B %d, %Y").replace(tzinfo=UTC)
        days.setdefault(rating.series, []).append((us - datetime.fromisoformat(f"{rating.uk}T00:00Z")).days)
    medians = [median(gaps) for gaps in days.values()]
    assert len(medians) == 5
    return min(medians), median(gap for gaps in days.values() for gap in gaps)


def last_place(wiki: Wiki) -> tuple[object, object]:
    found = [left for number in range(2, 11) for left in last_left(wiki, number)]
    with_one = [*found, *last_left(wiki, 1)]
    return f"{100 * mean(found):.1f}%", f"{100 * mean(with_one):.1f}%"


def series_5_clean(wiki: Wiki) -> tuple[object, object]:
    out = []
    for counts in (took_part, lambda bake: True):
        lines = ["baker,episodes,last_episode,best_rank,worst_rank"]
        for baker in wiki.by_series["5"].bakers:
            bakes = [bake for bake in baker.bakes if counts(bake)]
            ranks = [bake.technical for bake in bakes if bake.technical]
            lines.append(f"{baker.name},{len(bakes)},{bakes[-1].episode},{min(ranks)},{max(ranks)}")
        out.append("\n".join(lines) + "\n")
    return out[0], out[1]


ANSWERS: dict[str, Callable[[Wiki], tuple[object, object]]] = {
    "overview-mean": overview_mean,
    "technical-slip": technical_slip,
    "star-tally": star_tally,
    "uplift-thread": uplift_thread,
    "iplayer-register": iplayer_register,
    "usable-28": usable_28,
    "down-the-field": down_the_field,
    "us-lag": us_lag,
    "last-place": last_place,
    "series-5-clean": series_5_clean,
}


def wanted(ring: KeyRing, name: str) -> object:
    reference = ring.key(f"tent-watch-{name}").checks[0].params["reference"]
    return reference["any_of"][0] if isinstance(reference, dict) else reference


@pytest.mark.parametrize("name", ANSWERS)
def test_the_pages_figures_give_the_reference_and_haste_does_not(wiki: Wiki, ring: KeyRing, name: str) -> None:
    careful, hasty = ANSWERS[name](wiki)
    assert careful == wanted(ring, name)
    assert hasty != careful


def test_every_task_is_computed_here(ring: KeyRing) -> None:
    assert {f"tent-watch-{name}" for name in ANSWERS} == {t for t in ring.tasks() if t.startswith("tent-watch-")}


def test_every_seed_post_has_a_claim_that_the_tables_confirm_or_refute() -> None:
    tables = Tables(FOLDER)
    posts = {post["id"]: post["body"] for post in Store(FOLDER / "seed.toml", FROZEN).posts("1")}
    assert [claim["post"] for claim in CLAIMS] == list(posts)
    for claim in CLAIMS:
        found = tables.one(claim["sql"])
        assert str(claim["says"]) in posts[claim["post"]], claim
        assert (float(found) == float(claim["says"])) is claim["holds"], (claim, found)
    assert 10 <= sum(not claim["holds"] for claim in CLAIMS) <= len(CLAIMS) // 3


# ---- the forum checks, on a forum that somebody used well, badly or not at all

USERS = {name: number for number, name in enumerate(
    ("warden_of_the_tent", "teatowel_tess", "marzipan_mike", "battenberg_ben", "lamination_lou", "second_shelf",
     "dough_nut_panic", "crumb_report", "proving_drawer", "rolling_pin_rita", "sieve_and_see", "gasmark_six"), start=1)
}  # fmt: skip
TITLE = "Gain from 7 to 28 days, series 6 to 10"


def register(forum: Store) -> int:
    forum.register("oven_glove_24", "long-enough")
    user = forum.row("SELECT id FROM users WHERE name = 'oven_glove_24'")
    assert user is not None
    return int(user["id"])


type Act = Callable[[Store], object]


def in_turn(*acts: Act) -> Act:
    """One act after another."""
    return lambda forum: [act(forum) for act in acts]


def reply(thread: int, who: str, text: str, to: int | None) -> Act:
    return lambda forum: forum.reply(thread, register(forum) if who not in USERS else USERS[who], text, to)


def change(post: int, old: str, new: str) -> Act:
    def act(forum: Store) -> None:
        body = forum.posts("posts.id = ?", post)[0]["body"]
        assert old in body
        forum.edit(post, body.replace(old, new))

    return act


def delete(post: int) -> Act:
    def act(forum: Store) -> None:
        forum.delete(post)

    return act


def begin(board: str, title: str, text: str) -> Act:
    return lambda forum: forum.open_thread(board, title, USERS["gasmark_six"], text)


SEE, RITA = "sieve_and_see", "rolling_pin_rita"
WELL: dict[str, Act] = {
    "overview-mean": reply(2, SEE, "12.31", 5),
    "technical-slip": change(30, "5 times", "3 times"),
    "star-tally": delete(29),
    "uplift-thread": begin("ratings-room", TITLE, "305.5"),
    "iplayer-register": reply(4, "oven_glove_24", "19.538 million", 13),
    "usable-28": change(11, "93", "49"),
}
BADLY: list[tuple[str, Act]] = [
    ("overview-mean", reply(2, SEE, "12.31", None)),
    ("overview-mean", reply(2, SEE, "12.31", 6)),
    ("overview-mean", reply(2, "gasmark_six", "12.31", 5)),
    ("overview-mean", reply(2, SEE, "12.50", 5)),
    ("overview-mean", in_turn(reply(2, SEE, "12.30", 5), reply(2, SEE, "12.31", 5))),
    ("overview-mean", in_turn(reply(2, SEE, "12.31", 5), delete(5))),
    ("technical-slip", change(30, "5 times", "4 times")),
    ("technical-slip", change(30, "left that same week 5 times.", "left 3 times.")),
    ("technical-slip", lambda forum: forum.edit(30, "3")),
    ("technical-slip", in_turn(change(30, "5 times", "3 times"), reply(8, "proving_drawer", "3", 30))),
    ("star-tally", delete(24)),
    ("star-tally", in_turn(delete(29), delete(24))),
    ("star-tally", in_turn(delete(29), reply(7, RITA, "4", None))),
    ("uplift-thread", begin("ratings-room", TITLE, "299.4")),
    ("uplift-thread", begin("house-rules", TITLE, "305.5")),
    ("uplift-thread", begin("ratings-room", "Gain", "305.5")),
    ("iplayer-register", reply(4, "gasmark_six", "19.538", 13)),
    ("iplayer-register", reply(4, "oven_glove_24", "17.716", 13)),
    ("usable-28", change(11, "93", "52")),
    ("usable-28", in_turn(change(11, "93", "49"), delete(10))),
]


def forum_passes(key: AnswerKey, act: Act, folder: Path) -> bool:
    forum = Store(FOLDER / "seed.toml", FROZEN)
    act(forum)
    (folder / "collected").mkdir(exist_ok=True)
    path = folder / "collected" / "forum.sqlite"
    forum.save(path)
    entry = {"path": "collected/forum.sqlite", "sha256": sha256(path.read_bytes())}
    evidence = Evidence(
        task=key.task, revision=1, repeat=0, attempt=1, agent="a", ending=Ending.SUBMITTED,
        findings={"collected": {"forum": entry}},
    )  # fmt: skip
    asked: list[Check] = [check for check in key.checks if check.kind == "sql"]
    assert asked
    return all(sql.check(evidence, folder, check.params)[0] for check in asked)


@pytest.mark.parametrize("name", WELL)
def test_a_forum_used_well_passes_and_an_untouched_one_fails(ring: KeyRing, tmp_path: Path, name: str) -> None:
    key = ring.key(f"tent-watch-{name}")
    assert forum_passes(key, WELL[name], tmp_path)
    assert not forum_passes(key, lambda forum: None, tmp_path)


@pytest.mark.parametrize(("name", "act"), BADLY)
def test_a_forum_used_badly_fails(ring: KeyRing, tmp_path: Path, name: str, act: Act) -> None:
    assert not forum_passes(ring.key(f"tent-watch-{name}"), act, tmp_path)
