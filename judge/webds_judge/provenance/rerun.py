"""The recorded python and sql calls once more, in the sandbox, on the files that the sites had served.

On the files as they are the value has to come out again; on files with other digits or fewer rows, or with the numbers
in the code changed, it has to change: what comes out of anything is not computed from the data.
"""

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from webds.tools.room import Limits
from webds.tools.sandbox import Sandbox
from webds_judge.provenance.altered import DIGITS, ROWS, write
from webds_judge.provenance.literals import shifted

LIMITS = Limits(seconds=20, memory_mb=1024, folder_mb=512)
SHIFTED = "other numbers in the code"
VARIANTS = (DIGITS, *ROWS, SHIFTED)


@dataclass(frozen=True, slots=True)
class Call:
    """A recorded call: its step, `python` or `sql`, and its source."""

    step: int
    kind: str
    source: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call printed, and its error or ""."""

    text: str
    error: str


async def outcomes(calls: Sequence[Call], files: Iterable[Path], variant: str = "") -> list[Outcome]:
    """Every call in order, in one sandbox. `variant`: one of VARIANTS."""
    with TemporaryDirectory(prefix="webds-rerun-") as folder:
        for path in files:
            target = Path(folder) / path.name
            if variant in (DIGITS, *ROWS):
                write(path, target, variant)
            else:
                shutil.copyfile(path, target)
        found = []
        async with Sandbox(Path(folder), LIMITS) as sandbox:
            for call in calls:
                source = shifted(call.source) if variant == SHIFTED and call.kind == "python" else call.source
                result = await (sandbox.python(source) if call.kind == "python" else sandbox.sql(source))
                found.append(Outcome(result.text, result.error))
    return found
