"""What the live track's tests share: local origins behind a test resolver, a task file of one's own, and the run."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.e2e.runs import MINI, environment, webds
from tests.tracks.origin import authority
from webds.store import Committed, RunFolder

NEVER_LATE = "[default]\ndelay = 0.0\nper_minute = 6000\nburst = 200\nrobots = 'respect'\n"


class Web:
    """The whole net, as far as a live run can see: `table` is the resolver's, name -> address:port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table: dict[str, str] = {}
        self.ca = authority(folder)
        self.policy(NEVER_LATE)

    def policy(self, text: str) -> None:
        (self.folder / "sites.toml").write_text(text)

    def sets(self) -> list[str]:
        """`--set` words of a run on this net."""
        table = "".join(f'"{name}" = "{place}"\n' for name, place in self.table.items())
        (self.folder / "resolver.toml").write_text(table or '"nobody.test" = "127.0.0.1:9"\n')
        values = {"resolver": "resolver.toml", "sites": "sites.toml", "ca": "ca.pem"}
        words = [f'live.{name}="{self.folder / file}"' for name, file in values.items()]
        return [word for pair in words for word in ("--set", pair)]

    def asked(self, site: str) -> list[dict[str, Any]]:
        """What an origin was asked."""
        file = self.folder / f"{site}.asked"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    @contextmanager
    def origin(self, site: str, root: Path = MINI, **ways: Any) -> Iterator[None]:
        """A site as a live origin for the length of a block."""
        before, address = dict(self.table), f"127.0.0.{2 + len(self.table)}"
        with socket.create_server((address, 0)) as free:
            port = int(free.getsockname()[1])
        config = {
            "root": str(root), "site": site, "address": address, "port": port, "ca": str(self.folder), "ways": ways,
            "asked": str(self.folder / f"{site}.asked"),
        }  # fmt: skip
        command = [sys.executable, "-m", "tests.tracks.origin", json.dumps(config)]
        child = subprocess.Popen(command, cwd=ROOT, env=environment())
        try:
            _listening(child, address, port)
            self.table[f"{site}.test"] = f"{address}:{port}"
            yield
        finally:
            self.table = before
            child.kill()
            child.wait()


def _listening(child: subprocess.Popen[bytes], address: str, port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and child.poll() is None:
        try:
            with socket.create_connection((address, port), 1):
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"the origin did not come up: exit {child.poll()}")


def tasks_file(folder: Path, *ids: str, root: Path = MINI, keys: bool = True, **starts: str) -> Path:
    """Some of a root's tasks as a file of the user's own, with their keys beside it. `starts`: id -> other start."""
    folder.mkdir(exist_ok=True)
    wanted = set(ids)
    for name, field in (("tasks.toml", "id"), ("keys.toml", "task")):
        text = ""
        for file in sorted((root / "tasks_public").glob(f"*/{name}")):
            mark = "[[task]]" if name == "tasks.toml" else "[[key]]"
            for part in file.read_text().split(f"{mark}\n")[1:]:
                found = part.split(f'{field} = "', 1)[1].split('"', 1)[0]
                text += f"{mark}\n{part}" if found in wanted else ""
        if name == "tasks.toml" or keys:
            (folder / name).write_text(text)
    for number, start in starts.items():
        file = folder / "tasks.toml"
        head, _, tail = file.read_text().partition(f'id = "{number.replace("_", "-")}"')
        before, _, after = tail.partition('start = { url = "')
        file.write_text(
            f'{head}id = "{number.replace("_", "-")}"{before}start = {{ url = "{start}"{after.partition(chr(34))[2]}'
        )
    return folder / "tasks.toml"


def live(web: Web, tasks: Path, run: Path, *words: str, root: Path = MINI) -> subprocess.CompletedProcess[str]:
    """`webds run --track live` on this net."""
    return webds("run", "--track", "live", "--tasks", str(tasks), "--out", str(run), *web.sets(), *words, root=root)


def tries(run: Path) -> dict[str, Committed]:
    """Task -> its last committed try."""
    return {item.evidence.task: item for item in RunFolder.view(run).committed()}


def rows(item: Committed) -> list[dict[str, Any]]:
    """The request log of a try."""
    return [json.loads(line) for line in (item.folder / "requests.jsonl").read_text().splitlines()]


@contextmanager
def origins(web: Web, root: Path, **sites: dict[str, Any]) -> Iterator[None]:
    """Several origins; a site's name with _ for -."""
    with ExitStack() as stack:
        for site, ways in sites.items():
            stack.enter_context(web.origin(site.replace("_", "-"), root, **ways))
        yield
