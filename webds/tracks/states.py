"""State of the sites that have any: a site's app carries it as `app.state.webds_state`, with two methods.

    reset()       back to the state in which every episode begins
    save(path)    write the state as it is now to one file (a SQLite database)

A site without that attribute has no state. Each World makes its own apps, so two Worlds share nothing.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol


class State(Protocol):
    """What a stateful site's app offers."""

    def reset(self) -> None: ...
    def save(self, path: Path) -> None: ...


class States:
    """The states of a World's sites by host."""

    def __init__(self, apps: Mapping[str, Any], folder: Path) -> None:
        """`folder`: where saved states are written, one file a host."""
        held = {host: getattr(getattr(app, "state", None), "webds_state", None) for host, app in apps.items()}
        self._held: dict[str, State] = {host: state for host, state in held.items() if state is not None}
        self._folder = folder

    def reset(self) -> None:
        """Every site as at the start."""
        for state in self._held.values():
            state.reset()

    def save(self, site: str) -> Path:
        """The file with the site's state as it is now. ValueError for a site that has none."""
        host = f"{site}.test"
        if host not in self._held:
            raise ValueError(f"{site}: a site without state; with state: {', '.join(sorted(self._held)) or 'none'}")
        self._folder.mkdir(exist_ok=True)
        path = self._folder / f"{host}.sqlite"
        self._held[host].save(path)
        path.chmod(0o644)
        return path
