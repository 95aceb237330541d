"""Which engine a run takes."""

import pytest

from tests.e2e.runs import environment, webds
from webds import engines
from webds.errors import InputFault


def test_local_needs_nothing():
    with engines.engine({}) as hire:
        assert hire is None


def test_an_unknown_engine_lists_the_known_ones():
    with pytest.raises(InputFault, match="no engine 'slurm'; known: local, ray"):
        engines.check("slurm")


def test_an_address_without_an_engine_is_bad_input(tmp_path):
    done = webds("run", "--address", "auto", "--out", str(tmp_path / "run"))
    assert (done.returncode, (tmp_path / "run").exists()) == (2, False)
    assert "--engine ray" in done.stderr


def test_ray_that_is_not_installed_is_one_line(tmp_path):
    (tmp_path / "ray.py").write_text("raise ImportError(\"No module named 'ray'\", name='ray')")
    env = environment(PYTHONPATH=str(tmp_path))
    for words in (("--engine", "ray"), ("--set", "engine.name=ray")):
        done = webds("run", "--agent", "nop", *words, "--out", str(tmp_path / "run"), env=env)
        assert (done.returncode, (tmp_path / "run").exists()) == (2, False)
        assert "Ray is not installed" in done.stderr
        assert "pip install 'webds[ray]'" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
