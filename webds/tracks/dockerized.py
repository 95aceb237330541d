"""Track `dockerized`: frozen sites; served by provider `process`, or by `docker` on request (docs/docker.md)."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from pathlib import Path
from typing import Any

from webds.errors import InputFault
from webds.ports import World
from webds.tracks import archives, docker, world
from webds.tracks.sites import Site, pick
from webds.types import Params
from webds_recorder.archive import read_manifest

PROVIDERS = ("process", "docker")


class Dockerized:
    """Serves the sites that a suite needs. config: root, isolation, seconds, provider, docker (`base`)."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._root = Path(config["root"])
        self._isolation = str(config["isolation"])
        self._seconds = float(config.get("seconds", 60))
        self._provider = str(config.get("provider", "process"))
        self._docker: Mapping[str, Any] = config.get("docker") or {}
        self._archive = str(config.get("archive") or "")
        if self._provider not in PROVIDERS:
            raise InputFault(f"no provider {self._provider!r}; known: {', '.join(PROVIDERS)}")

    def serve(self, needs: Params) -> AbstractAsyncContextManager[World]:
        """needs: {"sites": (names...)}; an unknown name is an InputFault. A live run's archive serves alone."""
        if self._archive:
            return self._captured(Path(self._archive))
        names = needs["sites"]
        assert isinstance(names, list | tuple)
        sites = pick(self._root, (str(n) for n in names))
        built = archives.folders(self._root, sites)
        if self._provider == "docker":
            return docker.serve(self._root, sites, self._docker, self._seconds, built)
        return world.serve(self._root, sites, self._isolation, self._seconds, built)

    def _captured(self, archive: Path) -> AbstractAsyncContextManager[World]:
        """A World that is what a live run captured (docs/live.md)."""
        if self._provider != "process":
            raise InputFault(f"--archive: served by provider process, not by {self._provider}")
        manifest = read_manifest(archive)
        frozen = datetime.fromisoformat(manifest["frozen"])
        site = Site(name="live", folder=archive, title="Captured", frozen=frozen, serve="archive", data=())
        return world.serve(self._root, [site], self._isolation, self._seconds, {site.name: archive})


def make(config: Mapping[str, Any]) -> Dockerized:
    """Entry point webds.tracks: dockerized."""
    return Dockerized(config)
