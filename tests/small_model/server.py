"""The model's server as a child process for the length of a block."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.small_model.place import HOME, Unavailable
from tests.small_model.weights import python, weights

MODEL = "local"
_SERVE = Path(__file__).with_name("serve.py")
_PATIENCE = 20
"""Seconds for it to end."""


def threads() -> int:
    """Half the cores: the browser needs some, and llama.cpp's threads stall together when one of them waits."""
    return max(1, (os.cpu_count() or 1) // 2)


@contextmanager
def serving(home: Path = HOME, port: int = 0) -> Iterator[str]:
    """Address of a running server, `http://127.0.0.1:PORT`; port 0: a free one. Unavailable says why there is none."""
    command = [str(python(home)), "-I", str(_SERVE), str(weights(home)), str(threads()), str(port)]
    log = home / "server.log"
    with log.open("wb") as words:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words, text=True)
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        address = child.stdout.readline().strip()
        if not address:
            child.wait(_PATIENCE)
            last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["no word of it"]
            raise Unavailable(f"the model's server did not start: {last[-1]} (exit {child.returncode}, {log})")
        yield address
    finally:
        child.stdin.close()
        try:
            child.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()
