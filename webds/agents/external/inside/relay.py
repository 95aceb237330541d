"""The part of agent `external` that runs in the sandbox: `python relay.py SPEC program words...`.

Stand-alone: standard library only. Offers Unix sockets as addresses on the sandbox's own `lo`, starts the program with
these addresses in its environment, and ends as it ends. SPEC: {"sockets": {name: path}, "env": {NAME: text}}, where
`{name}` in a text becomes `127.0.0.1:port`.
"""

import asyncio
import json
import os
import sys
from contextlib import suppress
from functools import partial

_PIECE = 1 << 16


async def main() -> int:
    """Exit code of the program; 127 where it cannot be started."""
    spec, words = json.loads(sys.argv[1]), sys.argv[2:]
    places = {}
    for name, path in spec["sockets"].items():
        server = await asyncio.start_server(partial(_join, path), "127.0.0.1", 0)
        places[name] = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    for name in spec["env"]:
        value = spec["env"][name]
        for place, address in places.items():
            value = value.replace("{" + place + "}", address)
        os.putenv(name, value)
    try:
        program = await asyncio.create_subprocess_exec(*words, stdin=asyncio.subprocess.DEVNULL)
    except OSError as error:
        print(f"{words[0]}: {error.strerror}", file=sys.stderr)
        return 127
    return await program.wait()


async def _join(path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        inner_reader, inner_writer = await asyncio.open_unix_connection(path)
    except OSError:
        writer.close()
        return
    await asyncio.gather(_copy(reader, inner_writer), _copy(inner_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    with suppress(OSError, RuntimeError):
        if writer.can_write_eof():
            writer.write_eof()


if __name__ == "__main__":
    code = asyncio.run(main())
    sys.exit(code if code >= 0 else 128 - code)
