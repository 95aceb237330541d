"""What is handed in is queued once, scored by the one process with the key, and tells no more than it may."""

import hashlib
import json
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nacl.public import PrivateKey

from tests.submit.made import HOME, RUN, Checkout, relinked, rewritten, run_of, with_evidence
from webds.cli import main
from webds.errors import InputFault
from webds.seal import box
from webds.store import RunFolder, read_json, write_json
from webds.submit import intake, ladder
from webds.submit.book import Book, add_person, stamp, team_of
from webds.submit.compare import Difference, by_task, compared
from webds.submit.decide import decide
from webds.submit.grading import graded, unsealed
from webds.submit.pack import pack
from webds.submit.replay import settled
from webds.submit.scorer import Scorer

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@pytest.fixture
def book(tmp_path: Path) -> Book:
    made = Book(tmp_path / "board")
    for team in ("team-a", "team-b"):
        add_person(made, "teams", team)
    return made


def bundle_of(checkout: Checkout, folder: Path, run: str = RUN, team: str = "team-a", **said: Any) -> Path:
    """A bundle of a live run: such a run is not replayed, so scoring needs no browser."""
    shutil.rmtree(folder / "run", ignore_errors=True)
    path = run_of(checkout, folder / "run", **said)
    write_json(path / "run.json", {**read_json(path / "run.json"), "id": run, "track": "live"})
    to = folder / f"{run}-{team}.zip"
    to.unlink(missing_ok=True)
    pack(path, team, to)
    return to


def hand_in(book: Book, checkout: Checkout, path: Path, team: str = "team-a", at: datetime = NOW) -> int:
    data = path.read_bytes()
    sha = hashlib.sha256(data).hexdigest()
    intake.begin(book, team, sha, len(data))
    intake.part(book, team, sha)[0].write_bytes(data)
    return intake.take(book, checkout.root, team, sha, book.folder / "scratch", at)


def left(book: Book) -> list[str]:
    return sorted(path.name for place in (book.uploads, book.bundles) for path in place.iterdir())


def scorer(book: Book, checkout: Checkout) -> Scorer:
    return Scorer(book, checkout.root, box.private_key(checkout.key))


@pytest.mark.parametrize(("posted", "passes"), [("12.5", True), ("12.6", False)])
def test_a_private_action_task_is_judged_from_the_bundle_alone(
    checkout: Checkout, tmp_path: Path, posted: str, passes: bool
) -> None:
    folder = run_of(checkout, tmp_path / "run", posted=posted, said="1")
    keys = unsealed(checkout.root, box.private_key(checkout.key))
    words = graded(folder, keys)
    assert {task: word.share for task, word in words.items()} == {"ask": 0, "post": float(passes)}
    assert not list(RunFolder.view(folder).path.glob("episodes/*/*/verdicts/*"))


def test_another_key_scores_nothing(checkout: Checkout, tmp_path: Path) -> None:
    with pytest.raises(InputFault, match="the box does not open"):
        unsealed(checkout.root, PrivateKey.generate())


def test_from_reservation_to_figure(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    intake.reserve(book, "team-a", {"run": RUN, "agent": "hand", "model": "a-model"}, NOW)
    number = hand_in(book, checkout, bundle_of(checkout, tmp_path))
    assert Scorer(book, checkout.root, None).one() == 0, "without the key it stays in the queue"
    assert scorer(book, checkout).one() == number
    assert scorer(book, checkout).one() == 0
    [row] = book.rows("SELECT * FROM submissions JOIN results ON id = submission")
    assert (row["state"], row["level"], row["reserved"], row["n"]) == ("scored", "reported", 1, 2)
    assert row["figure"] == pytest.approx(ladder.step(2))
    assert (row["low"], row["high"], row["detail"], row["cost"]) == (None, None, "{}", None)
    kept = (book.folder / "board.sqlite").read_bytes() + b"".join(p.read_bytes() for p in book.folder.glob("*-wal"))
    assert b"734512" not in kept, "no answer in the books"
    assert left(book) == [f"{row['sha']}.zip"]


def test_who_may_hand_in_what(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    path = bundle_of(checkout, tmp_path)
    with pytest.raises(InputFault, match="was not reserved"):
        hand_in(book, checkout, path)
    assert left(book) == []
    intake.reserve(book, "team-a", {"run": RUN, "agent": "hand", "model": "a-model"}, NOW)
    with pytest.raises(InputFault, match="is reserved already"):
        intake.reserve(book, "team-b", {"run": RUN, "agent": "hand", "model": "a-model"}, NOW)
    with pytest.raises(InputFault, match="belongs to another team"):
        hand_in(book, checkout, path, "team-b")
    theirs = bundle_of(checkout, tmp_path, team="team-b")
    with pytest.raises(InputFault, match="belongs to another team"):
        hand_in(book, checkout, theirs, "team-b")
    assert left(book) == []
    hand_in(book, checkout, path)
    with pytest.raises(InputFault, match="this bundle was handed in already"):
        hand_in(book, checkout, path)
    other = bundle_of(checkout, tmp_path, said="3")
    with pytest.raises(InputFault, match="this run was handed in already"):
        hand_in(book, checkout, other)
    assert len(left(book)) == 1


def test_three_a_week(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    for number in range(4):
        run = f"20261130T10101{number}Z-hand-ab12"
        intake.reserve(book, "team-a", {"run": run, "agent": "hand", "model": "a-model"}, NOW)
        path = bundle_of(checkout, tmp_path, run)
        if number < 3:
            hand_in(book, checkout, path, at=NOW + timedelta(hours=number))
            continue
        with pytest.raises(InputFault, match="3 private submissions a week; the next is taken in 144 hours"):
            hand_in(book, checkout, path, at=NOW + timedelta(hours=24))
        assert hand_in(book, checkout, path, at=NOW + timedelta(days=7, seconds=1))


def test_a_damaged_upload_is_refused_and_gone(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    data = bundle_of(checkout, tmp_path).read_bytes()
    sha = hashlib.sha256(data).hexdigest()
    for wrong, why in ((data[:-1], "is not whole"), (data[:-1] + b"x", "does not match its sha256")):
        intake.begin(book, "team-a", sha, len(data))
        intake.part(book, "team-a", sha)[0].write_bytes(wrong)
        with pytest.raises(InputFault, match=why):
            intake.take(book, checkout.root, "team-a", sha, book.folder / "scratch")
        assert left(book) == []


def test_a_killed_scorer_begins_again(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    intake.reserve(book, "team-a", {"run": RUN, "agent": "hand", "model": "a-model"}, NOW)
    number = hand_in(book, checkout, bundle_of(checkout, tmp_path))
    assert scorer(book, checkout)._claim() is not None  # the state that a kill leaves
    again = scorer(book, checkout)
    assert again.one() == 0
    again.again()
    assert again.one() == number


def test_flags_say_what_to_look_at(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    intake.reserve(
        book, "team-a", {"run": RUN, "agent": "hand", "model": "a-model"}, datetime(2026, 12, 24, tzinfo=UTC)
    )
    number = hand_in(book, checkout, bundle_of(checkout, tmp_path))
    scorer(book, checkout).one()
    texts = [row["text"] for row in book.rows("SELECT text FROM flags WHERE submission = ?", number)]
    assert "ask: began before its id was reserved" in texts
    counted = [text.partition(" (")[0] for text in texts if "unexplained" in text]
    assert counted == [f"{task}: 1 of 1 values of the answer are unexplained" for task in ("ask", "post")]
    assert not [text for text in texts if "734512" in text], "a private answer is in no flag"
    assert "track live, private split: not replayed, so it stays reported" in texts
    with pytest.raises(InputFault, match="needs a reason"):
        decide(book, number, "hide", " ", "me")
    with pytest.raises(InputFault, match="known: keep, hide"):
        decide(book, number, "burn", "why not", "me")
    decide(book, number, "hide", "its times cannot be", "me")
    assert book.rows("SELECT reason FROM decisions")[0]["reason"] == "its times cannot be"


def test_the_ladder() -> None:
    assert ladder.step(50) == pytest.approx(0.1645)
    assert (ladder.step(1), ladder.figure(None, 1.0, 1), ladder.figure(None, 0.0, 1)) == (1.0, 1.0, 0.0)
    assert ladder.figure(None, 0.4, 50) == pytest.approx(0.329)
    assert ladder.figure(0.4, 0.56, 50) is None, "a step above the figure, not above the score behind it"
    assert ladder.figure(0.4, 0.5645, 50) == pytest.approx(0.4935)
    assert ladder.figure(0.4, 1.0, 50) == pytest.approx(0.987)
    assert ladder.period(datetime(2026, 11, 30, tzinfo=UTC)) == "2026-W49"
    tasks = [f"t{n}" for n in range(30)]
    first, second = (ladder.drawn(tasks, week, b"seed") for week in ("2026-W48", "2026-W49"))
    assert (len(first), len(second)) == (20, 20)
    assert first != second
    assert first == ladder.drawn(reversed(tasks), "2026-W48", b"seed")


def test_tokens_are_kept_as_hashes(book: Book) -> None:
    token = add_person(book, "teams", "team-c")
    assert (team_of(book, token), team_of(book, token + "x"), team_of(book, "")) == ("team-c", "", "")
    with book.change() as db:
        assert token not in json.dumps([tuple(row) for row in db.execute("SELECT * FROM teams")])
    with pytest.raises(InputFault, match="is there already"):
        add_person(book, "teams", "team-c")
    assert stamp(NOW) == "2026-11-30T09:00:00.000000+00:00"


def differences(recorded: Path, *replays: Path) -> list[Difference]:
    return list(compared(RunFolder.view(recorded).committed(), *map(by_task, replays)))


def replayed_of(checkout: Checkout, folder: Path, **said: Any) -> Path:
    return run_of(checkout, folder, **said)


def test_a_forged_chain_is_named_by_its_step(checkout: Checkout, tmp_path: Path) -> None:
    """Invented observations, consistent chain: whole as a bundle, and not what the replay shows."""
    from webds.submit.verify import verified

    pack(run_of(checkout, tmp_path / "run"), "team-a", tmp_path / "good.zip")
    steps = "episodes/ask~0/try-1/trajectory.jsonl"

    def invent(found: dict[str, bytes]) -> None:
        def change(number: int, row: dict[str, Any]) -> None:
            if number == 1:
                row["then"]["text"] = "the answer is 734512"
            if number == 2:
                row["saw"]["text"] = "the answer is 734512"

        found[steps], last = relinked(found[steps], change)
        with_evidence(found, "episodes/ask~0/try-1/evidence.json", digests={"trajectory": last})

    honest = replayed_of(checkout, tmp_path / "honest")
    forged = rewritten(tmp_path / "good.zip", tmp_path / "forged.zip", invent)
    for path, wanted in ((tmp_path / "good.zip", []), (forged, [("ask", 1)])):
        with verified(path, tmp_path / "u", checkout.root):
            assert [(item.task, item.step) for item in differences(tmp_path / "u", honest)] == wanted


def test_scrubbed_text_is_no_difference(checkout: Checkout, tmp_path: Path) -> None:
    page = f"log of {HOME}/x line"
    pack(run_of(checkout, tmp_path / "run", page=page), "team-a", tmp_path / "b.zip")
    from webds.submit.verify import verified

    with verified(tmp_path / "b.zip", tmp_path / "u", checkout.root):
        same = run_of(checkout, tmp_path / "same", page=page.replace("somebody", "another"))
        assert (differences(tmp_path / "u", same)) == []
        other = run_of(checkout, tmp_path / "other", page=page.replace("line", "end"))
        assert {item.step for item in differences(tmp_path / "u", other)} == {0}


@pytest.mark.parametrize("page", ["[scrubbed]", "Texas: [scrubbed]", "[scrubbed]a" * 8 + "b"])
def test_scrubbed_is_no_word_for_anything(checkout: Checkout, tmp_path: Path, page: str) -> None:
    """Only what packing would have scrubbed on the replay's own page stands behind it; and no line takes long."""
    run = run_of(checkout, tmp_path / "run", page=page)
    other = run_of(checkout, tmp_path / "other", page="Texas: 51,203 " + "a" * 200)
    begun = time.monotonic()
    assert {(item.task, item.step) for item in differences(run, other)} == {("ask", 0), ("post", 0)}
    assert time.monotonic() - begun < 2


def test_only_what_the_server_s_own_replays_vary_may_differ(checkout: Checkout, tmp_path: Path) -> None:
    run = run_of(checkout, tmp_path / "run", page="token a1b2, ten pages")
    first, second = (
        run_of(checkout, tmp_path / word, page=f"token {word}, ten pages") for word in ("c3d4", "e5f6")
    )  # fmt: skip
    assert {item.task for item in differences(run, first)} == {"ask", "post"}
    assert (differences(run, first, second)) == []
    for page in ("token a1b2, two pages", "token a1b2, ten pages\nand more", "token " + "a" * 200 + ", ten pages"):
        other = run_of(checkout, tmp_path / f"other {len(page)}", page=page)
        assert {item.step for item in differences(other, first, second)} == {0}


def test_the_verbs(checkout: Checkout, book: Book, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> tuple[Any, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(["board", *words])
        out = capsys.readouterr()
        return stop.value.code, out.out, out.err

    assert said("team", str(book.folder), "team-z")[1].startswith("webds-")
    assert said("score", str(book.folder), "--root", str(checkout.root)) == (0, "", "")
    assert "no board's books here" in said("list", str(tmp_path / "nowhere"))[2]
    intake.reserve(book, "team-a", {"run": RUN, "agent": "hand", "model": "a-model"}, NOW)
    number = hand_in(book, checkout, bundle_of(checkout, tmp_path))
    assert json.loads(said("list", str(book.folder), "--json")[1])[0]["id"] == number


def test_where_a_page_was_scrolled_to_is_no_difference(checkout: Checkout, tmp_path: Path) -> None:
    """A pixel, as a browser restores it that goes back; a chart's size and the page's own numbers are compared."""

    def page(top: int, width: int, own: int) -> str:
        chart = f'  [8] chart "Net" (svg, at 670,{-top},{width},151)'
        return f"window: {top} to {top + 720} of 1459 pixels\n{chart}\nat {own},2,3,4"

    run = run_of(checkout, tmp_path / "run", page=page(739, 485, 1))
    for name, shown, steps in (
        ("same", page(738, 485, 1), set()),
        ("wider", page(739, 486, 1), {0}),
        ("other", page(739, 485, 2), {0}),
    ):
        other = run_of(checkout, tmp_path / name, page=shown)
        assert {item.step for item in differences(run, other)} == steps, name


def test_an_episode_has_to_agree_with_one_of_two_replays(checkout: Checkout, tmp_path: Path) -> None:
    run, late, same, other = (
        run_of(checkout, tmp_path / name, page=page)
        for name, page in (("run", "whole"), ("late", "not yet"), ("same", "whole"), ("other", "else\nwhere"))
    )  # fmt: skip
    items = list(RunFolder.view(run).committed())
    for first, second, wrong, of in ((late, same, 0, same), (same, late, 0, same), (late, other, 2, other)):
        found = settled(items, by_task(first), by_task(second))
        assert (len(found.wrong), len(found.unstable)) == (wrong, 0)
        assert {try_.folder.parents[2] for try_ in found.tries.values()} == {of}
