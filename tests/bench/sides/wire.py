"""How a contender talks to the bench: one JSON line in, one out. Standard library only: it runs in any environment.

in:  {"do": "open", "url": ...}    {"do": "step", "link": ...}    {"do": "reset", "url": ...}
out: {"seconds": wall clock of the whole step, "chars": characters of text handed to the model, "links": ...}
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

type Do = Callable[[str], Awaitable[str]]


async def serve(open_: Do, step: Do, reset: Do | None = None) -> None:
    """Answer until the input ends. Whatever the library prints goes to stderr."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print(json.dumps({"ready": True}), file=out, flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        asked: dict[str, Any] = json.loads(line)
        doing = {"open": open_, "step": step, "reset": reset}[asked["do"]]
        assert doing is not None
        began = time.perf_counter()
        try:
            text = await doing(asked.get("link") or asked.get("url"))
            answer = {"seconds": time.perf_counter() - began, "chars": len(text), "bytes": len(text.encode())}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:300], "seconds": time.perf_counter() - began}
        print(json.dumps(answer), file=out, flush=True)
