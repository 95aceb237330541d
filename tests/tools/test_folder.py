"""The work folder's size, in a process with mounts of its own, as a worker is."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from webds import jail
from webds.tools.folder import is_sized, sized

START = """
import asyncio, json, os, sys
from pathlib import Path
from webds import jail
from webds.tools.folder import is_sized, sized
from webds.tools.sandbox import Limits, Sandbox
assert jail.own_mounts()
work = Path(sys.argv[1])
limits = Limits(seconds=60, file_mb=64, folder_mb=8, processes=20)
async def main():
    said = []
    async with sized(work, limits.folder_mb << 20) as yes, Sandbox(work, limits) as box:
        said += [yes, is_sized(work)]
        for code in json.loads(sys.argv[2]):
            if code == "kill":
                os.kill(os.getpid(), 9)
            result = await box.python(code)
            said.append(result.error or result.text.strip())
    print(json.dumps([*said, is_sized(work)]))
asyncio.run(main())
"""


def inside(work: Path, *codes: str) -> list[Any]:
    """Before, what each call of the python tool said, and after."""
    if os.geteuid() != 0:
        pytest.skip("not root: no mounts of one's own")
    words = [sys.executable, "-c", START, str(work), json.dumps(codes)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


FILL = """
import errno
def fill(name, mb):
    try:
        with open(name, 'wb') as file:
            for _ in range(mb): file.write(bytes(1 << 20))
    except OSError as error:
        return errno.errorcode[error.errno]
fill('one', 6), fill('two', 100), open('/tmp/ok', 'w').write('x')
"""
EMPTY = "import os\nfor n in os.listdir(): os.remove(n)\nopen('a', 'w').write('kept')"


def test_a_full_folder_is_an_error_of_the_code_and_costs_no_state(tmp_path):
    work = tmp_path / "files"
    work.mkdir()
    assert inside(work, FILL, EMPTY) == [True, True, "(None, 'ENOSPC', 1)", "4", False]
    assert [(path.name, path.read_text()) for path in work.iterdir()] == [("a", "kept")]


LEAVE = """
import os
os.makedirs('deep/er')
open('deep/er/a.csv', 'w').write('x')
os.symlink('/etc/hostname', 'link')
os.mkfifo('pipe')
with open('sparse', 'wb') as file:
    file.truncate(60 << 20)
    file.seek(30 << 20)
    file.write(b'middle')
names = 0
try:
    for names in range(10_000): open(f'n{names}', 'w').close()
except OSError as error:
    print(error.errno == 28, names < 1000)
for n in os.listdir():
    if n.startswith('n'): os.remove(n)
os.chmod('deep', 0)
"""


def test_files_reach_the_disk_and_nothing_else_does(tmp_path):
    work = tmp_path / "files"
    work.mkdir()
    assert inside(work, LEAVE)[2] == "True True"
    found = {str(path.relative_to(work)) for path in work.rglob("*")}
    assert found == {"deep", "deep/er", "deep/er/a.csv", "sparse"}
    sparse = work / "sparse"
    assert sparse.stat().st_size == 60 << 20
    assert sparse.stat().st_blocks * 512 < 1 << 20
    assert sparse.read_bytes()[30 << 20 :][:6] == b"middle"
    assert [path.name for path in tmp_path.iterdir()] == ["files"]


def test_a_kill_leaves_no_mount(tmp_path):
    work = tmp_path / "files"
    work.mkdir()
    with pytest.raises(AssertionError):
        inside(work, "1", "kill")
    assert not is_sized(work)
    assert str(tmp_path) not in Path("/proc/self/mountinfo").read_text()


async def test_without_mounts_of_its_own_a_folder_stays_as_it_is(tmp_path):
    assert not jail.has_own_mounts()
    async with sized(tmp_path, 1 << 20) as yes:
        assert not yes
        await asyncio.to_thread((tmp_path / "a").write_bytes, bytes(2 << 20))
    assert (tmp_path / "a").stat().st_size == 2 << 20
