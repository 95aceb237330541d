"""Files that an agent plants for the harness to run: neither worker, judge nor report runs one (exploit 4).

The sandbox's own interpreters: tests/tools/test_escape.py.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.e2e.runs import MINI, environment, results

NAMES = ("conftest", "sitecustomize", "usercustomize", "json", "asyncio", "pandas", "duckdb", "h2", "random",
         "webds", "webds_judge", "webds_recorder", "playwright", "psutil")  # fmt: skip
SOLUTION = '''
from webds.agents.hand import Hand
from webds.ports import Session

PLANT = """
import os
for name in {names}:
    with open(name + '.py', 'w') as file: file.write("open('{ran}', 'a').write(__name__)")
with open('x.pth', 'w') as file: file.write("import os; open('{ran}', 'a').write('pth')")
for name in ('python', 'python3', 'chromium', 'nsenter', 'bwrap', 'git'):
    with open(name, 'w') as file: file.write('#!/bin/sh\\\\necho shim >> {ran}\\\\n')
    os.chmod(name, 0o755)
print(*sorted(os.listdir()))
"""


async def solve(session: Session) -> None:
    hand = Hand(session)
    await hand.look()
    files = (await hand.python(PLANT)).split()
    await hand.click("link", "Table")
    await hand.submit("144", files)
'''


def test_planted_files_are_evidence_and_nothing_runs_them(tmp_path: Path) -> None:
    root, ran, run = tmp_path / "root", tmp_path / "ran", tmp_path / "run"
    shutil.copytree(MINI, root)
    solution = root / "tasks_public" / "mini" / "solutions" / "mini_square.py"
    solution.write_text(SOLUTION.format(names=NAMES, ran=ran))
    words = ["--agent", "scripted", "--tasks", "mini-square", "--out", str(run)]
    assert webds(tmp_path, "run", *words, "--root", str(root)) == ""
    files = run / "episodes" / "mini-square~0" / "try-1" / "files"
    assert {"conftest.py", "json.py", "webds_judge.py", "x.pth", "python3"} <= {path.name for path in files.iterdir()}
    assert results(run)["episodes"][0]["outcome"] == "pass"
    # The worst place to stand in: everything that is planted is in the current folder.
    assert webds(files, "judge", "run", str(run), "--root", str(root)) == ""
    assert webds(files, "run", *words[:-1], str(tmp_path / "again"), "--root", str(root)) == ""
    assert not ran.exists()


def webds(where: Path, *words: str) -> str:
    """The installed program, started in a folder; what it said where it failed."""
    program = str(Path(sys.executable).with_name("webds"))
    done = subprocess.run([program, *words], cwd=where, capture_output=True, text=True, env=environment(), timeout=200)
    return done.stderr if done.returncode else ""
