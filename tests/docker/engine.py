"""A Docker engine for the tests: one that answers already, or, as root on Debian, one of the tests' own.

Its own engine has its own data root, exec root, socket and pid file in a folder that is removed at the end, no bridge,
and touches neither iptables nor forwarding: containers have no network, and builds use the host's.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

PACKAGES = {"dockerd": "docker" + ".io", "debootstrap": "debootstrap", "docker-compose": "docker-compose"}
RELEASE, LOCAL_BASE = "trixie", "webds-base:trixie"
PUBLIC_BASE = "debian:trixie-slim"
START_SECONDS = 60


@dataclass(frozen=True)
class Engine:
    """`address` is for DOCKER_HOST, empty for the client's default; `base` what images are built from."""

    address: str
    base: str

    def docker(self, *words: str) -> str:
        """Output of one docker command."""
        host = ["--host", self.address] if self.address else []
        done = subprocess.run(["docker", *host, *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()


def answers(address: str = "") -> bool:
    if not shutil.which("docker"):
        return False
    host = ["--host", address] if address else []
    done = subprocess.run(["docker", *host, "version", "--format", "{{.Server.Version}}"], capture_output=True)
    return done.returncode == 0 and bool(done.stdout.strip())


def refusal() -> str:
    """Why there can be no engine here, in one line; empty where there can."""
    if answers():
        return ""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "no engine answers, and only root on Linux can start one"
    if not shutil.which("dockerd") and not shutil.which("apt-get"):
        return "no engine answers, dockerd is missing and there is no apt-get"
    return ""


def install() -> None:
    """Debian's engine, compose and debootstrap, where they are missing. No service is started: it has no systemd."""
    missing = [package for program, package in PACKAGES.items() if not shutil.which(program)]
    if missing:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "-q", "update"], check=True, env=quiet)
        words = ["apt-get", "-q", "-y", "--no-install-recommends", "install", *missing]
        subprocess.run(words, check=True, env=quiet)


@contextmanager
def daemon(folder: Path) -> Iterator[str]:
    """dockerd by hand; its address."""
    address = f"unix://{folder}/socket"
    words = ["dockerd", "--data-root", str(folder / "data"), "--exec-root", str(folder / "exec"), "--host", address]
    words += ["--pidfile", str(folder / "pid"), "--bridge=none", "--iptables=false", "--ip6tables=false"]
    words += ["--ip-forward=false", "--ip-masq=false"]
    with (folder / "log").open("w") as log, subprocess.Popen(words, stdout=log, stderr=log) as process:
        try:
            end = time.monotonic() + START_SECONDS
            while not answers(address):
                assert process.poll() is None, (folder / "log").read_text()[-2000:]
                assert time.monotonic() < end, "dockerd does not answer"
                time.sleep(0.2)
            yield address
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def make_base(engine: Engine, folder: Path) -> None:
    """The smallest Debian from its own archive, imported: there may be no hub to pull from."""
    target = folder / "base"
    subprocess.run(["debootstrap", "--variant=minbase", RELEASE, str(target)], check=True, stdout=subprocess.DEVNULL)
    with subprocess.Popen(["tar", "-C", str(target), "-c", "."], stdout=subprocess.PIPE) as tar:
        host = ["--host", engine.address]
        subprocess.run(["docker", *host, "import", "-", engine.base], stdin=tar.stdout, check=True, capture_output=True)
    shutil.rmtree(target)


def unmount(folder: Path) -> None:
    """What the daemon left mounted below the folder, deepest first."""
    lines = Path("/proc/self/mounts").read_text().splitlines()
    points = [line.split()[1] for line in lines]
    for point in sorted((p for p in points if p.startswith(f"{folder}/")), reverse=True):
        subprocess.run(["umount", "--lazy", point], check=False)


@contextmanager
def engine() -> Iterator[Engine]:
    """An engine that answers. WEBDS_DOCKER_BASE names a base where the public one cannot be pulled."""
    if answers():
        yield Engine(os.environ.get("DOCKER_HOST", ""), os.environ.get("WEBDS_DOCKER_BASE", PUBLIC_BASE))
        return
    install()
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="webds-docker-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        stack.callback(unmount, folder)
        own = Engine(stack.enter_context(daemon(folder)), LOCAL_BASE)
        began = time.monotonic()
        make_base(own, folder)
        print(f"\nbase {LOCAL_BASE} made in {time.monotonic() - began:.0f} s")
        yield own
