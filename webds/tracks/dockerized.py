"""Track `dockerized`: frozen sites; provider `process` by default (docs/decisions say what a provider is)."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from webds.ports import World
from webds.tracks import world
from webds.tracks.sites import pick
from webds.types import Params


class Dockerized:
    """Serves the sites that a suite needs. config: root, isolation (`namespace` or `none`), seconds."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._root = Path(config["root"])
        self._isolation = str(config["isolation"])
        self._seconds = float(config.get("seconds", 60))

    def serve(self, needs: Params) -> AbstractAsyncContextManager[World]:
        """needs: {"sites": (names...)}; an unknown name is an InputFault."""
        names = needs["sites"]
        assert isinstance(names, list | tuple)
        return world.serve(self._root, pick(self._root, (str(n) for n in names)), self._isolation, self._seconds)


def make(config: Mapping[str, Any]) -> Dockerized:
    """Entry point webds.tracks: dockerized."""
    return Dockerized(config)
