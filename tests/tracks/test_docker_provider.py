"""Provider `docker` without an engine: what it says, what it would start. With one: tests/docker (make docker-test)."""

import re
import shlex
import stat
from pathlib import Path

import pytest

from tests.e2e.runs import environment, webds
from webds.envs.browser.launch import BrowserSettings, arguments, write_wrapper
from webds.errors import InfraFault, InputFault
from webds.tracks import docker
from webds.tracks.dockerized import make
from webds.tracks.layers import LAYERS, in_force, missing
from webds.types import Params


def test_one_line_says_what_to_do_where_no_engine_answers(tmp_path: Path) -> None:
    out = tmp_path / "run"
    env = environment(DOCKER_HOST=f"unix://{tmp_path}/nobody")
    done = webds("run", "--provider", "docker", "--out", str(out), env=env)
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert "docker" in line
    assert "--provider process" in line
    assert not out.exists()


def test_an_unknown_provider_lists_the_known_ones(tmp_path: Path) -> None:
    done = webds("run", "--provider", "podman", "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert done.stderr.strip().endswith("'podman'; known: process, docker")
    with pytest.raises(InputFault, match="known: process, docker"):
        make({"root": tmp_path, "isolation": "none", "provider": "podman"})


def test_the_image_is_named_by_what_it_is_made_of() -> None:
    one, other = docker.image_name("debian:trixie-slim"), docker.image_name("debian:sid-slim")
    assert one == docker.image_name("debian:trixie-slim")
    assert one != other
    assert re.fullmatch(r"webds-world:[0-9a-f]{16}", one)


def test_a_path_that_docker_cannot_say_is_named() -> None:
    assert docker.mount(Path("/a b/c"), "/x") == "--mount=type=bind,src=/a b/c,dst=/x,readonly"
    with pytest.raises(InfraFault, match="/a,b: a path with a comma"):
        docker.mount(Path("/a,b"))


def test_the_wrapper_carries_the_pipe_and_fills_in_the_paths(tmp_path: Path) -> None:
    access: Params = {"container": ("docker", "run", "--mount=src={folder}", "{work}", "x {policy}"), "spki": "abc"}
    folder, work = tmp_path / "a b", tmp_path / "work"
    folder.mkdir()
    wrapper, how = write_wrapper(BrowserSettings(chromium=""), access, folder, work)
    assert how == "container"
    assert wrapper.stat().st_mode & stat.S_IXUSR
    words = shlex.split(wrapper.read_text().splitlines()[1])
    assert words == ["exec", "docker", "run", f"--mount=src={folder}", str(work), f"x {folder}/policy.json", "$@",
                     "<&3", ">&4"]  # fmt: skip
    assert "--no-sandbox" in arguments(access)


def test_the_dockerfile_keeps_to_the_classic_builder_and_holds_nothing_of_ours(root: Path) -> None:
    text = (root / "sites_docker" / "Dockerfile").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert "--mount" not in "\n".join(lines)
    assert "<<" not in "\n".join(lines)
    assert [line for line in lines if line.startswith(("COPY", "ADD"))] == [
        "COPY requirements.lock ca-bundle*.pem /build/",
        "COPY --from=packages /opt/webds /opt/webds",
    ]
    assert [line for line in lines if line.startswith("USER")] == ["USER 65534:65534"]
    assert lines[0].startswith("ARG BASE=")


def test_layers_say_what_is_missing() -> None:
    assert missing(in_force("namespace", "bubblewrap")) == []
    assert missing(in_force("container", "none")) == []
    assert missing(in_force("none", "none")) == ["kernel", "policy"]
    assert list(in_force("none", "unshare")) == list(LAYERS)
