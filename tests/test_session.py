"""Session and episode on the toy environment: triplets, budgets, faults that are never zeros."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.toy import Counter, Toy, ToyWorld, task
from webds.codec import load
from webds.episode import Spec, run
from webds.errors import EndpointFault, LimitReached, PortClosed
from webds.ports import Session
from webds.session import ANSWER_CHARS, EpisodeSession, Face, monotonic
from webds.store import read_lines
from webds.types import Action, Ending, Evidence, Step, Task
from webds_recorder.trajectory import TrajectoryRecorder, check_chain

type Solve = Callable[[Session], Coroutine[Any, Any, None]]
THREE = Action(name="add", args={"by": 3})


class Scripted:
    """An agent made of a function."""

    def __init__(self, solve: Solve) -> None:
        self.solve = solve


async def episode(tmp_path: Path, solve: Solve, about: Task | None = None) -> Evidence:
    recorder = TrajectoryRecorder(tmp_path, tmp_path / "blobs")
    spec = Spec(task=about or task("t"), repeat=0, attempt=1, folder=tmp_path)
    return await run(spec, Toy(), ToyWorld(), Scripted(solve), recorder, "test")


async def test_triplets_are_linked_and_saw_is_the_last_then(tmp_path: Path) -> None:
    async def solve(session: Session) -> None:
        await session.act(THREE)
        await session.act(Action(name="nonsense"))
        await session.submit("3")

    evidence = await episode(tmp_path, solve)
    steps = [load(Step, row, "test") for row in read_lines(tmp_path / "trajectory.jsonl")]
    assert [step.did.name for step in steps] == ["add", "nonsense", "submit"]
    assert steps[0].then == steps[1].saw
    assert steps[1].then.refused
    assert (evidence.ending, evidence.answer, evidence.steps) == (Ending.SUBMITTED, "3", 3)
    assert evidence.findings["value"] == 3
    assert check_chain(tmp_path, str(evidence.digests["trajectory"])) == ""


async def test_a_changed_step_breaks_the_chain(tmp_path: Path) -> None:
    async def solve(session: Session) -> None:
        await session.act(THREE)
        await session.act(THREE)

    evidence = await episode(tmp_path, solve)
    file = tmp_path / "trajectory.jsonl"
    file.write_text(file.read_text().replace('"by":3', '"by":4', 1))
    assert "step 1" in check_chain(tmp_path, str(evidence.digests["trajectory"]))


@pytest.mark.parametrize(
    ("budget", "which"),
    [({"steps": 2}, "steps"), ({"seconds": 0.05}, "seconds")],
)
async def test_a_budget_ends_the_episode_as_a_limit(tmp_path: Path, budget: dict[str, float], which: str) -> None:
    async def solve(session: Session) -> None:
        while True:
            await session.act(THREE)
            await asyncio.sleep(0)

    evidence = await episode(tmp_path, solve, task("t", **budget))
    assert (evidence.ending, evidence.why) == (Ending.LIMIT, which)


async def test_an_agent_that_swallows_the_limit_does_not_get_round_it(tmp_path: Path) -> None:
    async def solve(session: Session) -> None:
        for _ in range(10):
            try:
                await session.act(THREE)
            except LimitReached:
                continue

    evidence = await episode(tmp_path, solve, task("t", steps=2))
    assert (evidence.ending, evidence.steps) == (Ending.LIMIT, 2)


async def test_who_is_to_blame(tmp_path: Path) -> None:
    async def broken_agent(session: Session) -> None:
        raise KeyError("no such thing")

    async def breaks_the_world(session: Session) -> None:
        await session.act(Action(name="add", args={"by": 666}))

    async def hides_that(session: Session) -> None:
        try:
            await session.act(Action(name="add", args={"by": 666}))
        except Exception:
            return

    async def no_endpoint(session: Session) -> None:
        raise EndpointFault("refused")

    async def leaves(session: Session) -> None:
        await session.observe()

    endings = {}
    for number, solve in enumerate((broken_agent, breaks_the_world, hides_that, no_endpoint, leaves)):
        folder = tmp_path / str(number)
        folder.mkdir()
        endings[solve.__name__] = (await episode(folder, solve)).ending
    assert endings == {
        "broken_agent": Ending.AGENT_FAULT,
        "breaks_the_world": Ending.INFRA,
        "hides_that": Ending.INFRA,
        "no_endpoint": Ending.INFRA,
        "leaves": Ending.GAVE_UP,
    }


async def test_after_submit_nothing_is_taken(tmp_path: Path) -> None:
    async def solve(session: Session) -> None:
        await session.submit("first")
        with pytest.raises(PortClosed):
            await session.act(THREE)
        with pytest.raises(PortClosed):
            await session.submit("second")

    evidence = await episode(tmp_path, solve)
    assert (evidence.answer, evidence.steps) == ("first", 1)


async def test_a_huge_answer_is_cut_for_the_judge_and_kept_whole(tmp_path: Path) -> None:
    async def solve(session: Session) -> None:
        await session.submit("a" * 50_000_000)

    evidence = await episode(tmp_path, solve)
    assert len(evidence.answer) == ANSWER_CHARS
    name = str(evidence.findings["answer_whole"])
    assert (tmp_path / "blobs" / name[:2] / name).stat().st_size == 50_000_000


async def test_submitted_files_stay_in_the_work_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("not yours")

    async def solve(session: Session) -> None:
        work = tmp_path / "files"
        (work / "result.csv").write_text("a\n1\n")
        (work / "link.csv").symlink_to(tmp_path / "secret.txt")
        await session.submit("", ["result.csv", "link.csv", "../secret.txt", "absent.csv"])

    evidence = await episode(tmp_path, solve)
    assert [file.name for file in evidence.files] == ["result.csv"]
    assert set(evidence.findings["missing_files"]) == {"link.csv", "../secret.txt", "absent.csv"}  # type: ignore[arg-type]


def test_an_agent_holds_a_facet(tmp_path: Path) -> None:
    session = EpisodeSession(task("t"), Counter(), TrajectoryRecorder(tmp_path, tmp_path), monotonic)
    names = {name for name in dir(Face(session)) if not name.startswith("__")}
    protocol = {name for name in dir(Session) if not name.startswith("_")}
    assert names == protocol
