"""What is on disk, and in which order: after a power cut there is either no evidence or all that it names."""

import os
from pathlib import Path

import pytest

from webds.files import append_line, read_lines, write_atomic
from webds.store import RunFolder, commit
from webds.types import Ending, Evidence, File


@pytest.fixture
def flushed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths in the order in which they were flushed, and renames as `a -> b`, by their last two parts."""
    order: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def note_fsync(handle: int) -> None:
        path = Path(f"/proc/self/fd/{handle}").readlink()
        order.append("/".join(path.parts[-2:]))
        fsync(handle)

    def note_replace(self: Path, target: Path) -> Path:
        order.append(f"-> {target.name}")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(Path, "replace", note_replace)
    return order


def evidence(**more: object) -> Evidence:
    values: dict[str, object] = {"task": "t", "revision": 1, "repeat": 0, "attempt": 1, "agent": "a"}
    return Evidence(**{**values, "ending": Ending.SUBMITTED, **more})  # type: ignore[arg-type] # a mix of fields


def test_a_commit_is_the_last_thing_to_reach_the_disk(tmp_path: Path, flushed: list[str]) -> None:
    run = RunFolder.create(tmp_path / "run", {})
    folder = run.new_try("t", 0)
    (folder / "files").mkdir()
    (folder / "files" / "out.csv").write_text("a\n1\n")
    (folder / "files" / "not-handed-in.bin").write_text("x")
    (folder / "collected").mkdir()
    (folder / "collected" / "forum.sqlite").write_text("state")
    (folder / "requests.jsonl").write_text("{}\n")
    del flushed[:]
    commit(folder, evidence(files=(File(name="out.csv", path="files/out.csv", sha256="", size=4),)))
    renamed = flushed.index("-> evidence.json")
    before, after = flushed[:renamed], flushed[renamed + 1 :]
    assert {
        "files/out.csv",
        "try-1/files",
        "collected/forum.sqlite",
        "try-1/collected",
        "try-1/requests.jsonl",
        "t~0/try-1",
        "episodes/t~0",
        "run/episodes",
    } <= set(before)
    assert "files/not-handed-in.bin" not in flushed
    assert before[-1].startswith("try-1/.evidence.json."), "the content before its name"
    assert after == ["t~0/try-1"], "the name last"
    run.release()


def test_new_folders_and_new_files_are_durable_too(tmp_path: Path, flushed: list[str]) -> None:
    write_atomic(tmp_path / "blobs" / "ab" / "abc", b"x")
    assert flushed[:2] == [f"{tmp_path.parent.name}/{tmp_path.name}", f"{tmp_path.name}/blobs"]
    assert flushed[-1] == "blobs/ab"
    del flushed[:]
    append_line(tmp_path / "log.jsonl", {"n": 1})
    assert flushed == [f"{tmp_path.name}/log.jsonl", f"{tmp_path.parent.name}/{tmp_path.name}"]
    del flushed[:]
    append_line(tmp_path / "log.jsonl", {"n": 2})
    assert flushed == [f"{tmp_path.name}/log.jsonl"]


@pytest.mark.parametrize(
    "torn", ["", '{"n"', '{"n":1}\n{"cut', '{"n":1}\n', "x" * 200_000, '{"n":1}\n' + "x" * 200_000]
)
def test_a_torn_line_goes_when_the_next_is_written(tmp_path: Path, torn: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(torn)
    append_line(path, {"n": 2})
    whole = [{"n": 1}] if torn.startswith('{"n":1}') else []
    assert list(read_lines(path)) == [*whole, {"n": 2}]


def test_what_a_killed_writer_had_not_renamed_is_removed(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run", {})
    folder = run.new_try("t", 0)
    left = [
        run.path / ".run.json.99.part",
        folder / ".evidence.json.99.part",
        folder / "verdicts" / ".tier1.json.99.part",
        run.path / "blobs" / "ab" / ".abc.99.part",
    ]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
    (folder / "files").mkdir()
    half = folder / ".files.part" / "sub"
    half.mkdir(parents=True)
    (half / "kept.csv").write_text("half of a work folder")
    (folder / "files" / ".mine.part").write_text("the agent's own")
    run.release()
    RunFolder.open(run.path).release()
    assert [path for path in left if path.exists()] == []
    assert not (folder / ".files.part").exists()
    assert (folder / "files" / ".mine.part").exists()


def test_a_run_killed_before_run_json_can_begin_again(tmp_path: Path) -> None:
    (tmp_path / "run" / "episodes").mkdir(parents=True)
    run = RunFolder.create(tmp_path / "run", {"id": "x"})
    assert run.in_use()
    run.release()
    assert not run.in_use()
