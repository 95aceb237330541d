"""Control groups of jails, where this host lets us make any; where it does not, the reason is a line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from webds import jail, jail_groups
from webds.jail_groups import CONTROLLERS, PREFIX, Groups


def group(controller: str) -> jail_groups.Place:
    """The place of a controller; skipped with the host's own reason where there is none."""
    found, refused = jail_groups.places()
    if controller not in found:
        pytest.skip(f"{controller}: {refused[controller]}")
    return found[controller]


def run(groups: Groups, code: str) -> subprocess.CompletedProcess[str]:
    spec = jail.Jail(read_only=jail.system_paths(), groups=groups.doors, uid=jail.unused_uid())
    return subprocess.run(jail.command(spec, ["/bin/sh", "-c", code]), capture_output=True, text=True, timeout=60)


def test_each_controller_has_a_place_or_a_reason():
    found, refused = jail_groups.places()
    assert found.keys() | refused.keys() == set(CONTROLLERS)
    assert found.keys() & refused.keys() == set()
    assert all(refused.values())


def test_a_group_that_is_not_there_is_a_reason():
    refused = jail_groups.places("/no-such-group")[1]
    assert set(refused) == set(CONTROLLERS)
    assert "no-such-group" in refused["pids"] or "mounted" in refused["pids"] or "Linux" in refused["pids"]


def test_processes_are_capped_and_counted():
    place = group("pids")
    groups = Groups({"pids": 12})
    done = run(groups, "i=0; while [ $i -lt 30 ]; do sleep 20 & i=$((i+1)); done; echo all")
    assert "all" not in done.stdout
    assert groups.met("pids") > 0
    assert groups.met("memory") == 0
    groups.close()
    assert not list(place.folder.glob(f"{PREFIX}{os.getpid()}-*"))


def test_memory_is_capped_over_all_processes():
    group("memory")
    groups = Groups({"memory": 48 << 20})
    code = (
        "import os, time\nfor _ in range(3):\n    if os.fork() == 0: x = bytearray(b'x') * (30 << 20); time.sleep(9)\n"
    )
    done = run(groups, f'exec /usr/bin/python3 -c "{code}[os.wait() for _ in range(3)]"')
    assert groups.met("memory") > 0, done
    groups.close()


def test_closing_kills_what_is_inside():
    group("pids")
    groups = Groups({"pids": 50})
    words = ["/bin/sh", "-c", f"echo 0 > {groups.doors[0]}; echo in; exec sleep 600"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        groups.close()
        assert process.wait(timeout=10) == -9
    groups.close()


def test_what_a_killed_owner_left_is_swept():
    place = group("pids")
    code = (
        "import os\nfrom webds.jail_groups import Groups\n"
        "print(Groups({'pids': 9}).doors[0], flush=True)\nos.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    left = Path(done.stdout.strip()).parent
    assert left.is_dir()
    mine = Groups({"pids": 9})
    jail_groups.sweep(place.folder)
    assert not left.exists()
    assert Path(mine.doors[0]).exists()
    mine.close()


def test_an_owner_that_nobody_has_waited_for_is_dead():
    """Where the first process reaps late, what a killed owner left would stay, and go unnamed with some later jail."""
    place = group("pids")
    code = (
        "import os\nfrom webds.jail_groups import Groups\nprint(Groups({'pids': 9}).doors[0], flush=True)\nos._exit(0)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout
        left = Path(owner.stdout.readline().strip()).parent
        os.waitid(os.P_PID, owner.pid, os.WEXITED | os.WNOWAIT)
        assert Path("/proc", str(owner.pid)).exists()
        assert left in jail_groups.sweep(place.folder)
    assert not left.exists()
