"""Archives built by several processes at once, from a folder in which modules of the same names as ours' lie."""

import importlib
import subprocess
import sys
import time
from pathlib import Path

import pytest

from webds.tracks import archives
from webds.tracks.build import digest_of
from webds.tracks.sites import pick

SITES = ("first-site", "second-site")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Two sites that run from archives, made of the kit's skeleton."""
    new = importlib.import_module("sites_docker.kit.new")
    for number, name in enumerate(SITES):
        new.new_site(tmp_path, name, name, number, "tests")
        file = tmp_path / "sites_docker" / name.replace("-", "_") / "site.toml"
        file.write_text(file.read_text("utf-8").replace('serve = "app"', 'serve = "archive"'), "utf-8")
    return tmp_path


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder to stand in, with modules that end every program that takes them."""
    folder = tmp_path / "planted"
    folder.mkdir()
    for name in ("h2", "random", "tempfile", "lxml", "httpx", "multiprocessing"):
        (folder / f"{name}.py").write_text("raise SystemExit('a planted module was run')\n", "utf-8")
    return folder


def builder(checkout: Path, where: Path, *names: str) -> subprocess.Popen[str]:
    program = str(Path(sys.executable).with_name("webds"))
    words = [program, "sites", "build", *names, "--root", str(checkout)]
    pipe = subprocess.PIPE
    return subprocess.Popen(words, cwd=where, stdout=pipe, stderr=pipe, text=True)


def test_two_processes_build_the_same_archives_at_once(checkout: Path, planted: Path) -> None:
    both = [builder(checkout, planted, *names) for names in (SITES, SITES[::-1])]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    sites = pick(checkout, SITES)
    assert all(digest_of(archives.folder_of(checkout, name)) for name in SITES)
    assert [item.fresh for item in archives.ensure(checkout, sites, print)] == [False, False]
    # Who came second waited, and built nothing again.
    assert sum(out.count("built first-site") for out, _ in said) == 1
    assert sorted(path.name for path in archives.folder_of(checkout, "").iterdir()) == sorted(
        f"{name}{suffix}" for name in SITES for suffix in ("", ".key", ".lock")
    )


def test_a_builder_that_was_killed_holds_nobody_up(checkout: Path, tmp_path: Path) -> None:
    first = builder(checkout, tmp_path, SITES[0])
    place = archives.folder_of(checkout, SITES[0])
    while not place.with_suffix(".lock").exists():
        assert first.poll() is None
        time.sleep(0.02)
    first.kill()
    first.communicate()
    second = builder(checkout, tmp_path, SITES[0])
    second.communicate(timeout=120)
    assert second.returncode == 0
    assert digest_of(place)


def test_a_changed_archive_is_seen_where_the_pins_are_strict(checkout: Path) -> None:
    """Its manifest still says the pinned digest: only who reads every byte knows better."""
    site = pick(checkout, SITES[:1])
    archives.lock(checkout, archives.ensure(checkout, site, print))
    page = max((archives.folder_of(checkout, SITES[0]) / "blobs").rglob("*"), key=lambda file: file.stat().st_size)
    page.write_bytes(page.read_bytes() + b"<!-- changed -->")
    changed, said = page.read_bytes(), list[str]()
    assert [(item.fresh, item.warning) for item in archives.ensure(checkout, site, print)] == [(False, "")]
    assert page.read_bytes() == changed
    built = archives.ensure(checkout, site, said.append, whole=True)
    assert [(item.fresh, item.warning) for item in built] == [(True, "")]
    assert "changed since it was made, so it is made anew" in said[0]
    assert page.read_bytes() + b"<!-- changed -->" == changed
    assert [item.fresh for item in archives.ensure(checkout, site, said.append, whole=True)] == [False]
