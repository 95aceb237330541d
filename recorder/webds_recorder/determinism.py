"""The determinism script: one clock that stands still and one stream of chance, for pages, frames and workers.

`init_script` goes into a browser context (pages and frames), `prelude` before the script of a worker.
"""

import json
from collections.abc import Mapping
from pathlib import Path

_SOURCE = Path(__file__).with_name("determinism.js")


def script(hosts: Mapping[str, int], seed: int, default: int | None = None) -> str:
    """The script as text. `hosts`: host -> frozen instant in ms since 1970; other hosts get `default`, or no change."""
    source = _SOURCE.read_text(encoding="utf-8")
    settings = {"hosts": dict(hosts), "seed": seed, "fallback": default}
    return source.replace("__SETTINGS__", json.dumps(settings, sort_keys=True))


def init_script(hosts: Mapping[str, int], seed: int = 1) -> str:
    """For pages and frames. Frames without a host of their own (about:blank, blob:) take the first host's instant."""
    return script(hosts, seed, next(iter(hosts.values()), None))


def prelude(frozen: int, seed: int = 1) -> str:
    """For a worker's script, on one line, so that its own line numbers move by one only."""
    return " ".join(line.strip() for line in script({}, seed, frozen).splitlines() if line.strip())
