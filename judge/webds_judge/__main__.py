"""The judge as a process of its own: JSON lines on stdin, JSON lines on stdout, one reply a request, until EOF.

{"grade": "<try folder>"} -> {"graded": folder, "kind": "verdict" | "ungraded", "passed": bool | null, "why": text};
                             a try with a verdict and no key any more keeps it: {"error": "<one line>", "kept": true}
{"key": "<task id>"}      -> {"key": <AnswerKey>}     only with --key-given (the oracle agent)
anything else             -> {"error": "<one line>"}

python -m webds_judge --root DIR [--keys FILE ...] [--key-given]
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from webds.codec import canonical, loads, plain
from webds.errors import Fault, InputFault, WebdsError, blame
from webds.store import read_try, write_verdict
from webds.types import Json, Ungraded, Verdict
from webds_judge.grade import NAME, TypedJudge, without_key
from webds_judge.keys import KeyRing

LONGEST_LINE = 1 << 20
"""A request over this many bytes is refused."""


def reply(ring: KeyRing, key_given: bool, line: bytes) -> Json:
    """The reply to one request line; bad input and faults become {"error": one line}."""
    try:
        with blame(Fault, "request"):
            return _answer(ring, key_given, loads(line, "request"))
    except WebdsError as error:
        return {"error": " ".join(str(error).split())[:1000]}


def _answer(ring: KeyRing, key_given: bool, request: object) -> Json:
    if not isinstance(request, dict) or len(request) != 1:
        raise InputFault('request: one field is needed; known: {"grade": folder}, {"key": task}')
    verb, value = next(iter(request.items()))
    if verb not in ("grade", "key") or not isinstance(value, str):
        raise InputFault(f"request: {verb!r:.80}; known: grade (a folder), key (a task id)")
    if verb == "grade":
        return _graded(ring, Path(value))
    if not key_given:
        raise InputFault("request: keys are only given to a judge started with --key-given")
    return {"key": plain(ring.key(value))}


def _graded(ring: KeyRing, folder: Path) -> Json:
    if not folder.is_absolute() or not (folder / "evidence.json").is_file():
        raise InputFault(f"request: {str(folder)!r:.300} is no absolute path of a committed try")
    tried = read_try(folder)
    try:
        key = ring.key(tried.evidence.task)
    except InputFault as error:
        if isinstance(tried.verdicts.get(NAME), Verdict):
            return {"error": f"no key any more, its verdict stays: {error}", "kept": True}
        verdict: Verdict | Ungraded = without_key(tried.evidence, folder, str(error))
    else:
        verdict = TypedJudge().judged(tried.evidence, folder, key)
    write_verdict(folder, verdict)
    is_verdict = isinstance(verdict, Verdict)
    passed = verdict.passed if isinstance(verdict, Verdict) else None
    return {
        "graded": str(folder),
        "kind": "verdict" if is_verdict else "ungraded",
        "passed": passed,
        "why": verdict.why,
    }


def _requests(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines, an overlong one cut (and so refused as bad JSON) without being held in memory."""
    while line := stream.readline(LONGEST_LINE):
        while not line.endswith(b"\n") and (rest := stream.readline(LONGEST_LINE)):
            line = b"overlong\n" if rest.endswith(b"\n") else b"overlong"
        if line.strip():
            yield line


def main(arguments: list[str] | None = None) -> int:
    """Serve until EOF. Faults of key files go to stderr; a try whose key cannot be had is Ungraded(blame="key")."""
    parser = argparse.ArgumentParser(prog="python -m webds_judge", description="Grade tries: JSON lines in and out.")
    parser.add_argument("--root", type=Path, required=True, help="folder that holds tasks_public")
    parser.add_argument("--key-given", action="store_true", help="also answer {'key': task}, for the oracle agent")
    parser.add_argument("--keys", type=Path, action="append", default=[], help="a keys.toml in place of the root's")
    options = parser.parse_args(arguments)
    ring = KeyRing(options.root, strict=False, files=options.keys)
    for fault in ring.faults:
        print(fault, file=sys.stderr)
    for line in _requests(sys.stdin.buffer):
        sys.stdout.buffer.write(canonical(reply(ring, options.key_given, line)) + b"\n")
        sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
