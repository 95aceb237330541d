"""Loaded by every Python process of a run under test: kills the runner with -9 at one exact flush to disk.

WEBDS_TEST_KILL = "<role>:<count>:<when>": in the process of that role (runner or worker), at its count-th fsync,
before or after it. This is a test's own hook: nothing in the product knows of it.
"""

import os
import signal
from pathlib import Path
from typing import Any

_plan = os.environ.get("WEBDS_TEST_KILL", "")
_words = Path("/proc/self/cmdline").read_bytes().decode(errors="replace").split("\0")
_role = "worker" if "webds.worker" in _words else "runner" if "webds" in _words else ""


def _arm(count: int, when: str) -> None:
    real = os.fsync
    left = [count]

    def fsync(fd: Any) -> None:
        left[0] -= 1
        if left[0] == 0 and when == "before":
            _kill()
        real(fd)
        if left[0] == 0:
            _kill()

    os.fsync = fsync


def _kill() -> None:
    os.kill(os.getppid() if _role == "worker" else os.getpid(), signal.SIGKILL)
    signal.pause()


if _plan:
    _who, _count, _when = _plan.split(":")
    if _who == _role:
        _arm(int(_count), _when)
