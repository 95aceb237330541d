"""How long the command line takes to come up, against an empty app, interleaved so that both meet the same machine."""

import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

EMPTY = Path(__file__).with_name("empty_app.py")
COMMANDS: Mapping[str, Sequence[str]] = {
    "empty typer and rich app --help": (sys.executable, str(EMPTY), "--help"),
    "webds --help": (sys.executable, "-c", "from webds.cli import main; main()", "--help"),
    "import webds": (sys.executable, "-c", "import webds"),
    "bare interpreter": (sys.executable, "-c", ""),
}


def seconds(command: Sequence[str]) -> float:
    """Wall-clock seconds of one call. CalledProcessError if it fails."""
    began = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def medians(rounds: int = 7) -> dict[str, float]:
    """Median seconds of each command over `rounds`, after one call of each that fills the caches."""
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for turn in range(rounds + 1):
        for name, command in COMMANDS.items():
            spent = seconds(command)
            if turn:
                taken[name].append(spent)
    return {name: statistics.median(values) for name, values in taken.items()}


def help_ratio(found: Mapping[str, float]) -> float:
    """`webds --help` over the empty app: the bar is 1.3."""
    return found["webds --help"] / found["empty typer and rich app --help"]
