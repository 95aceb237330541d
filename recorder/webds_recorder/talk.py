"""One command to a proxy's process and its answer, JSON lines over its pipes."""

import json
from asyncio.subprocess import Process
from collections.abc import Mapping
from typing import Any


async def ask(process: Process | None, command: Mapping[str, Any]) -> dict[str, Any]:
    """ConnectionError where the process has ended. One at a time: the caller keeps others out."""
    assert process is not None
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(command).encode() + b"\n")
    await process.stdin.drain()
    line = await process.stdout.readline()
    if not line:
        raise ConnectionError("the proxy has ended")
    answer: dict[str, Any] = json.loads(line)
    return answer
