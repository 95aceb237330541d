"""Where the values of many answers come from, for another process that holds keys and runs nobody's code.

    python -m webds_judge.provenance

Standard input has a JSON line for each try: {"folder": DIR, "unsteady": [steps whose output differs from itself]}.
Standard output gets one for each, in order: {"values": [{"value", "word", "why", "step"}]} or {"fault": why}.
"""

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from webds.codec import plain
from webds.errors import Fault, InfraFault, InputFault, blame
from webds.store import read_try
from webds_judge.provenance.trace import origins
from webds_judge.rubric.record import Record

SECONDS = 600.0
"""For the calls of one try."""


async def main() -> None:
    """Until the input ends. A try that takes too long is a fault of its own, and the next one is looked at."""
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(await _row(Path(asked["folder"]), frozenset(asked["unsteady"]))), flush=True)


async def _row(folder: Path, unsteady: frozenset[int]) -> dict[str, Any]:
    try:
        with blame(InfraFault, "provenance"), suppress(TimeoutError):
            async with asyncio.timeout(SECONDS):
                return {"values": plain(await origins(Record(read_try(folder).evidence, folder), unsteady))}
    except (Fault, InputFault) as fault:
        return {"fault": str(fault)}
    return {"fault": f"its calls take over {SECONDS:g} s"}


if __name__ == "__main__":
    asyncio.run(main())
