"""The program inside the sandbox: answers requests until its input ends. Stand-alone, never imported by webds.

Descriptors at the start: 0 requests, 1 answers, 2 output. 0 and 1 move to private numbers that child processes do
not inherit, so printing, to whatever stream, can only ever reach the output. Requests and answers are JSON with its
length in four bytes before it. After a call the request's `end` mark is written to the output, so that the
reader outside knows that it has everything.
"""

import importlib
import io
import json
import os
import re
import struct
import sys
import traceback
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

HEAD = struct.Struct(">I")
CELL = "<cell "
ERROR_CHARS = 4000

type Work = Callable[[Mapping[str, Any]], None]


class Caught:
    """A block whose error is data: whatever the agent's code raises, also SystemExit, is its result."""

    error: BaseException | None = None

    def __enter__(self) -> "Caught":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        self.error = error
        return True


def main() -> None:
    """Load the wanted kinds of work (their module names are the arguments), then serve."""
    requests, answers, output = os.dup(0), os.dup(1), os.dup(2)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - one line, no import
        os.dup2(nothing.fileno(), 0)
    works: dict[str, Work] = {"hello": lambda _: None}
    works |= {name: importlib.import_module(name).run for name in sys.argv[1:]}
    del sys.path[0]  # from here on `import` finds packages, then the work folder, never these scripts
    sys.path.append(os.getcwd())  # noqa: PTH109
    sys.argv = [""]
    mine = os.getpid()
    while request := receive(requests):
        redirect(output)
        with Caught() as caught:
            works[request["do"]](request)
        with Caught():
            sys.stdout.flush()
        if os.getpid() != mine:
            os._exit(0)  # the agent's code forked, and this is the copy
        os.write(output, request["end"].encode())
        send(answers, {"error": describe(caught.error)})


def redirect(output: int) -> None:
    """Streams made anew for each call, because the code of the last call may have closed or replaced them."""
    for number in (1, 2):
        os.dup2(output, number)
    stream = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), "utf-8", "backslashreplace", write_through=True)
    sys.stdout = sys.stderr = stream


def receive(source: int) -> dict[str, Any] | None:
    """The next request, or None at the end of the input."""
    head = read(source, HEAD.size)
    request: dict[str, Any] | None = json.loads(read(source, HEAD.unpack(head)[0])) if head else None
    return request


def read(source: int, size: int) -> bytes:
    """Exactly `size` bytes, or nothing where the input has ended."""
    data = b""
    while len(data) < size:
        piece = os.read(source, size - len(data))
        if not piece:
            return b""
        data += piece
    return data


def send(target: int, answer: Mapping[str, Any]) -> None:
    """One answer."""
    body = json.dumps(answer).encode()
    data = HEAD.pack(len(body)) + body
    while data:
        data = data[os.write(target, data) :]


def describe(error: BaseException | None) -> str:
    """A short traceback: the agent's own lines, then the error; no library frames and no machine paths."""
    if error is None:
        return ""
    if type(error).__name__ == "Refused":
        return cut(str(error))
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if is_own(frame.filename)]
    lines = [where(frame) for frame in own[-10:]]
    last = "".join(traceback.format_exception_only(error)).strip()
    last = re.sub(r'File "<(cell \d+)>"', r"\1", last)  # a SyntaxError names its place itself
    text = "\n".join([*(["Traceback (most recent call last):"] if lines else []), *lines, last])
    return cut(clean(text))


def cut(text: str) -> str:
    """At most ERROR_CHARS characters, and a word where some are missing."""
    return text if len(text) <= ERROR_CHARS else f"{text[:ERROR_CHARS]}\n[error cut]"


def is_own(filename: str) -> bool:
    """Whether a frame is the agent's: typed in a call, or a file of the work folder."""
    return filename.startswith((CELL, os.getcwd() + os.sep))  # noqa: PTH109


def where(frame: traceback.FrameSummary) -> str:
    """`cell 3, line 2, in f` and the line."""
    name = frame.filename.strip("<>") if frame.filename.startswith(CELL) else os.path.relpath(frame.filename)
    inside = "" if frame.name == "<module>" else f", in {frame.name}"
    return f"  {name}, line {frame.lineno}{inside}" + (f"\n    {frame.line}" if frame.line else "")


def clean(text: str) -> str:
    """The interpreter's place on the machine is nobody's business."""
    for prefix in sorted({sys.prefix, sys.base_prefix}, key=len, reverse=True):
        text = text.replace(prefix, "<python>") if len(prefix) > 4 else text
    return text


if __name__ == "__main__":
    main()
