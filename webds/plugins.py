"""Plug-ins by entry-point name; built-ins come through the same door. The value is a factory taking its config."""

from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from webds.errors import InputFault

GROUPS = (
    "webds.suites",
    "webds.tracks",
    "webds.agents",
    "webds.recorders",
    "webds.judges",
    "webds.checks",
    "webds.collects",
    "webds.engines",
)
"""Every entry-point group. The last part is the word that errors use."""

type Factory = Callable[[Mapping[str, Any]], Any]


def known(group: str) -> dict[str, EntryPoint]:
    """Entry points of `group` by name."""
    return {entry.name: entry for entry in entry_points(group=group)}


def find(group: str, name: str) -> Factory:
    """The factory called `name`. InputFault lists the known names."""
    table = known(group)
    if name not in table:
        word = group.rpartition(".")[2].removesuffix("s")
        raise InputFault(f"no {word} {name!r}; known: {', '.join(sorted(table)) or 'none'}")
    try:
        factory: Factory = table[name].load()
    except (ImportError, AttributeError) as error:
        raise InputFault(f"{group} {name!r}: {table[name].value} cannot be loaded: {error}") from error
    return factory


def make(group: str, name: str, config: Mapping[str, Any]) -> Any:
    """The plug-in `name` built from its config table."""
    return find(group, name)(config)
