"""Provider `docker`: the World's entry point in a container without network, each Chromium in one that shares it.

Only the first mounts code, sites and archives; the second sees the browser's own folder and the policy file. Both
come from one image that holds programs and packages and nothing of webds (sites_docker/Dockerfile). Playwright's pipe
needs no relay: descriptors 3 and 4 become stdin and stdout of `docker run -i` outside, and 3 and 4 again inside, so
that a killed worker closes the pipe and Chromium ends. An episode gets a fresh listener and a fresh browser as with
provider `process`; the World's container goes on running. docs/docker.md.
"""

import asyncio
import os
import secrets
import shutil
import ssl
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import webds
import webds_recorder
from webds import jail, scratch
from webds.codec import sha256
from webds.config import is_root
from webds.errors import InfraFault, blame
from webds.tracks.layers import in_force
from webds.tracks.sites import Site
from webds.tracks.world import ProcessWorld
from webds.types import Params

CHECKOUT = Path(webds.__file__).resolve().parents[1]
CHROMIUM = "/usr/lib/chromium/chromium"
POLICIES = "/etc/chromium/policies/managed/webds.json"
_NAME = "webds-world"
_BUILD_SECONDS = 3600

WORLD_LIMITS = ("--memory=2g", "--pids-limit=400")
BROWSER_LIMITS = ("--memory=3g", "--pids-limit=2000")
HARDENING = (
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--security-opt=label=disable",  # SELinux would refuse the mounts; it is no-op elsewhere
    "--tmpfs=/tmp:rw,nosuid,nodev,size=1g,mode=1777",
    "--log-driver=none",  # stdout is a protocol, and would be kept on disk
)
"""Of both containers; compose.yaml says the same (tests/docker)."""


def engine() -> list[str]:
    """argv of a client that names its engine. InfraFault says in one line what to do where none answers."""
    client = shutil.which("docker")
    if client is None:
        raise InfraFault("there is no `docker` program; install Docker Engine, or use --provider process", "docker")
    # The browser's wrapper starts the client with an environment of its own, so the address is asked for once, here.
    address = _say([client, "context", "inspect", "--format", "{{.Endpoints.docker.Host}}"])
    words = [client, "--host", address.strip()] if address.strip() else [client]
    done = subprocess.run(
        [*words, "version", "--format", "{{.Server.Version}}"], capture_output=True, text=True, check=False, timeout=30
    )
    if done.returncode or not done.stdout.strip():
        raise InfraFault(
            f"no Docker engine answers at {address.strip() or 'the default address'}; start one (systemctl start "
            "docker, or Docker Desktop), name it in DOCKER_HOST, or use --provider process",
            "docker",
        )
    return words


def _say(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.stdout if done.returncode == 0 else ""


def image_name(base: str) -> str:
    """`webds-world:<16 hex>` over what the image is made of: Dockerfile, lock and base."""
    parts = [(CHECKOUT / name).read_bytes() for name in ("sites_docker/Dockerfile", "requirements.lock")]
    return f"{_NAME}:{sha256(b''.join([*parts, base.encode()]))[:16]}"


def is_built(client: Sequence[str], image: str) -> bool:
    """Whether the engine has the image."""
    return bool(_say([*client, "image", "inspect", "--format", "{{.Id}}", image]).strip())


def build(client: Sequence[str], base: str) -> str:
    """Build the image if the engine lacks it; its name. InfraFault with the builder's last line."""
    image = image_name(base)
    if is_built(client, image):
        return image
    with scratch.scratch() as place:
        folder = place / "build"
        folder.mkdir()
        shutil.copy(CHECKOUT / "sites_docker" / "Dockerfile", folder)
        shutil.copy(CHECKOUT / "requirements.lock", folder)
        bundle = ssl.get_default_verify_paths().cafile
        if bundle and Path(bundle).is_file():
            shutil.copy(bundle, Path(folder) / "ca-bundle.pem")
        # The host's network: the engine may have no bridge, and only the build needs the package registries.
        words = [*client, "build", "--network=host", "--build-arg", f"BASE={base}", "--tag", image, str(folder)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_BUILD_SECONDS)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise InfraFault(f"the image could not be built from {base}: {' '.join(last)[:400]}", "docker build")
    return image


def mount(source: Path, inside: str = "", *, writable: bool = False) -> str:
    """A --mount option; the same path inside unless another is given. InfraFault: docker cannot say such a path."""
    if "," in str(source):
        raise InfraFault(f"{source}: a path with a comma cannot be mounted into a container", "docker")
    return f"--mount=type=bind,src={source},dst={inside or source}{'' if writable else ',readonly'}"


def user() -> str:
    """Who the containers run as: the owner of what webds writes, and never root where the jail can do without."""
    if is_root() and jail.mechanism() != "none":
        return f"{jail.NOBODY}:{jail.NOBODY}"
    return f"{os.geteuid()}:{os.getegid()}"


class DockerWorld(ProcessWorld):
    """A World whose entry point is a container. `archives` as in ProcessWorld."""

    def __init__(
        self, root: Path, sites: list[Site], client: list[str], image: str, archives: Mapping[str, Path] | None = None
    ) -> None:
        super().__init__(root, sites, "container", archives)
        self._namespace = True
        self._client = client
        self._image = image
        self._name = f"webds-{secrets.token_hex(6)}"
        self._scratch = Path()
        self._count = 0
        folders = [*(archives or {}).values()]
        self._seen = [root / "sites_docker", *(f for f in folders if not f.is_relative_to(root / "sites_docker"))]
        self.facts = {**self.facts, "provider": "docker", "layers": in_force("container", jail.mechanism())}

    async def look(self) -> None:
        """Add to the facts what the image is and which Chromium it holds."""
        shown = [*self._client, "run", "--rm", "--network=none", *HARDENING, self._image, CHROMIUM, "--version"]
        named = [*self._client, "image", "inspect", "--format", "{{.Id}}", self._image]
        chromium, image = await asyncio.gather(asyncio.to_thread(_say, shown), asyncio.to_thread(_say, named))
        self.facts = {**self.facts, "image": image.strip(), "chromium": chromium.strip()}

    def _command(self, scratch: Path) -> list[str]:
        self._scratch = scratch
        (scratch / "logs").mkdir()
        if user().startswith(f"{jail.NOBODY}:"):
            for path in (scratch, scratch / "logs"):
                os.chown(path, jail.NOBODY, jail.NOBODY)
        code = {"webds": Path(webds.__file__).parent, "webds_recorder": Path(webds_recorder.__file__).parent}
        mounts = [mount(path.resolve(), f"/webds/{name}") for name, path in code.items()]
        mounts += [mount(path) for path in self._seen]
        words = [*self._client, "run", "--rm", "--interactive", f"--name={self._name}", f"--user={user()}"]
        words += [*HARDENING, *WORLD_LIMITS, "--network=none", *mounts, mount(scratch, writable=True)]
        return [*words, self._image, "python", "-P", "-m", "webds.tracks.entry"]

    def _enter(self) -> list[str]:
        return []

    def _browser(self) -> list[str]:
        """argv of a Chromium in this World's network; the launcher puts paths for {folder} and {policy}."""
        words = [*self._client, "run", "--rm", "--interactive", f"--user={user()}", *HARDENING, *BROWSER_LIMITS]
        words += [f"--network=container:{self._name}", "--workdir=/tmp", "--env=HOME={folder}"]
        words += [mount(Path("{folder}"), writable=True), mount(Path("{policy}"), POLICIES), self._image]
        return [*words, "sh", "-c", f'exec {CHROMIUM} "$@" 3<&0 4>&1 </dev/null >&2', "chromium"]

    @asynccontextmanager
    async def episode(self, name: str, log: Path) -> AsyncIterator[Params]:
        """As ProcessWorld's. The log is written inside the scratch folder and copied when the listener is closed."""
        self._count += 1
        kept = self._scratch / "logs" / f"{self._count}.jsonl"
        try:
            async with super().episode(name, kept) as access:
                container: Params = {"container": tuple(self._browser())}
                ahead = access.get("ahead")
                yield {**access, **container, "ahead": {**ahead, **container} if isinstance(ahead, Mapping) else None}
        finally:
            if kept.exists():
                shutil.copyfile(kept, log)
                kept.unlink()

    async def stop(self) -> None:
        """End the entry point, which ends its container; remove the container if that did not."""
        await super().stop()
        process = await asyncio.create_subprocess_exec(
            *self._client, "rm", "--force", self._name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        await process.wait()


def prepare(config: Mapping[str, Any], say: Callable[[str], None]) -> None:
    """Before a run: an engine answers, and the image is there, built if need be. config: base. InfraFault otherwise."""
    client, base = engine(), str(config["base"])
    if not is_built(client, image_name(base)):
        say(f"building {image_name(base)} from {base}; this takes some minutes, once")
        build(client, base)


@asynccontextmanager
async def serve(
    root: Path, sites: list[Site], config: Mapping[str, Any], seconds: float, archives: Mapping[str, Path] | None = None
) -> AsyncIterator[DockerWorld]:
    """A started World; its scratch folder and its container go with it."""
    client = await asyncio.to_thread(engine)
    image = image_name(str(config["base"]))
    if not await asyncio.to_thread(is_built, client, image):
        raise InfraFault(f"the engine has no image {image}; `webds run --provider docker` builds it", "docker")
    with tempfile.TemporaryDirectory(prefix="webds-world-", ignore_cleanup_errors=True) as place:
        world = DockerWorld(root, sites, client, image, archives)
        try:
            with blame(InfraFault, "start world"):
                await world.look()
                await world.start(Path(place), seconds)
            yield world
        finally:
            await world.stop()
