"""Front ends of the replay bench as child processes: ours, a bare Master, mitmproxy's own replay, pywb, the origin."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.recorder.rig import free_port, proxy

HERE = Path(__file__).parent


@dataclass(slots=True)
class Front:
    """A running front end. `ready` in seconds from start to the first answer that it could give. The origin has no
    `proxy`: the browser is told its `port` instead."""

    name: str
    pid: int
    proxy: str
    ca: Path
    ready: float
    port: int = 0

    def cpu(self) -> float:
        """CPU seconds so far, threads and children too. To the nanosecond: `stat` counts in ticks of 10 ms."""
        threads = [file for pid in _family(self.pid) for file in Path(f"/proc/{pid}/task").glob("*/schedstat")]
        return sum(int(file.read_text().split()[0]) for file in threads) / 1e9

    def memory(self) -> float:
        """Resident MB."""
        return int(_stat(self.pid)[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _stat(pid: int) -> list[str]:
    """The fields of /proc/<pid>/stat after the program's name."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _family(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        for file in Path(f"/proc/{parent}/task").glob("*/children"):
            found += map(int, file.read_text().split())
    return found


@asynccontextmanager
async def ours(folder: Path, archive: Path) -> AsyncIterator[Front]:
    """The product's proxy over one archive."""
    began = time.perf_counter()
    port = free_port()
    async with proxy(folder / "ours", archive) as made:
        assert made.ready["ready"], made.ready
        ready = time.perf_counter() - began
        log = str(folder / "ours.jsonl")
        done = await made.ask(do="open", address=["127.0.0.1", port], name="bench", log=log)
        assert done["ok"]
        yield Front("ours", made.process.pid, f"http://127.0.0.1:{port}", folder / "ours" / "ca", ready)


@asynccontextmanager
async def child(name: str, words: list[str], ca: Path) -> AsyncIterator[Front]:
    """A front end that listens on the port that stands as PORT in its words."""
    port = free_port()
    began = time.perf_counter()
    line = [word.replace("PORT", str(port)) for word in words]
    process = await asyncio.create_subprocess_exec(
        *line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=HERE.parents[1]
    )
    try:
        for _ in range(3000):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.returncode is not None:
                raise RuntimeError(f"{name} ended with {process.returncode}")
            await asyncio.sleep(0.02)
        yield Front(name, process.pid, f"http://127.0.0.1:{port}", ca, time.perf_counter() - began, port)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def origin(folder: Path, pages: int) -> list[str]:
    """Words of the site itself, over https."""
    return [sys.executable, "-m", "tests.bench.replay_origin", str(pages), str(folder / "origin" / "ca"), "PORT"]


def bare(folder: Path, archive: Path) -> list[str]:
    """Words of the bare five-addon Master that answers from memory."""
    (folder / "bare" / "ca").mkdir(parents=True, exist_ok=True)
    return [sys.executable, str(HERE / "replay_bare.py"), str(archive), str(folder / "bare" / "ca"), "PORT"]


def stock(folder: Path, flows: Path, *, reuse: bool = True) -> list[str]:
    """Words of mitmdump with server_replay; `reuse`: an answer may be given more than once."""
    tool = Path(sys.executable).with_name("mitmdump")
    options = (
        f"server_replay_reuse={str(reuse).lower()}",
        "server_replay_extra=404",
        "server_replay_refresh=false",
        "keepserving=true",
        f"confdir={folder}/stock",
    )
    sets = [word for option in options for word in ("--set", option)]
    return [str(tool), "-q", "-p", "PORT", "--server-replay", str(flows), "--set", "connection_strategy=lazy", *sets]


def flows_of(archive: Path, out: Path) -> Path:
    """The archive as mitmproxy's flow file, for its own replay."""
    words = [sys.executable, str(HERE / "replay_flows.py"), str(archive), str(out)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-800:])
    return out


def show(row: dict[str, object]) -> None:
    """One line of the bench."""
    print(json.dumps(row, sort_keys=True), flush=True)
