"""Where a run's workers are: processes of this machine, or what an engine by entry-point name (webds.engines) makes.

An engine is a factory that takes config table `engine` and returns a context manager, which yields the function that
makes a worker from its setup and the path of its log (webds.runner.run.Hire). The rest of a run stays the same.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from webds import plugins
from webds.errors import InputFault
from webds.runner.run import Hire

GROUP = "webds.engines"
LOCAL = "local"


def check(name: str) -> str:
    """The name, if there is such an engine here. InputFault lists the known ones."""
    if name not in (LOCAL, *plugins.known(GROUP)):
        raise InputFault(f"no engine {name!r}; known: {', '.join(sorted((LOCAL, *plugins.known(GROUP))))}")
    if name != LOCAL:
        plugins.find(GROUP, name)
    return name


@contextmanager
def engine(config: Mapping[str, Any]) -> Iterator[Hire | None]:
    """The engine that the configuration names, for the length of a run; None: this machine's processes."""
    table = config.get("engine", {})
    name = check(str(table.get("name", LOCAL)))
    if name == LOCAL:
        yield None
        return
    with plugins.make(GROUP, name, table) as hire:
        yield hire
