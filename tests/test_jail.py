"""The jail, by each mechanism that this host allows: what is inside, what is not, and how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from webds import jail
from webds.errors import InfraFault
from webds.jail import Jail

REAL = ("bubblewrap", "unshare")


@pytest.fixture(params=REAL)
def how(request):
    """A mechanism by name; skipped with the host's own reason where it does not work."""
    if reason := jail.refusal(request.param):
        pytest.skip(f"{request.param}: {reason}")
    return request.param


def shell(how: str, script: str, **fields: Any) -> subprocess.CompletedProcess[str]:
    fields.setdefault("read_only", jail.system_paths())
    argv = jail.command(Jail(**fields), ["/bin/sh", "-c", script], how)
    return subprocess.run(argv, capture_output=True, text=True, timeout=30)


def test_the_reason_is_always_said():
    assert jail.mechanism() in jail.MECHANISMS
    assert jail.mechanism_reason()


def test_only_what_was_listed_is_there(how, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("hello")
    pair = (str(tmp_path / "in"), "/data/deep/in")
    done = shell(how, "cat /data/deep/in/a.txt; ls /", read_only=(*jail.system_paths(), pair))
    assert done.stdout.startswith("hello"), done.stderr
    allowed = {"data", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "dev", "proc", "tmp"}
    assert set(done.stdout.removeprefix("hello").split()) <= allowed


def test_host_files_are_absent(how):
    paths = ["/etc/hostname", "/etc/passwd", "/etc/shadow", "/root", "/home", "/var", "/sys", "/run", "/mnt"]
    done = shell(how, "for f; do test -e $f && echo $f; done".replace("for f", f"for f in {' '.join(paths)}"))
    assert done.stdout == ""


def test_writes_only_where_allowed(how, tmp_path):
    tmp_path.chmod(0o777)
    script = "touch /x /usr/x /etc/x /dev/x /proc/x 2>/dev/null; touch /out/y /tmp/z /dev/shm/s && echo ok"
    done = shell(how, script, writable=((str(tmp_path), "/out"),))
    assert done.stdout == "ok\n", done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["y"]
    assert not Path("/usr/x").exists()


def test_a_read_only_pair_covers_the_mounts_below_it(how, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    below = tmp_path / "below"
    below.mkdir()
    argv = jail.command(Jail(read_only=(*jail.system_paths(), (str(tmp_path), "/d")), uid=None),
                        ["/bin/sh", "-c", "touch /d/below/x || echo refused"], how)  # fmt: skip
    outer = ["unshare", "--mount", "/bin/sh", "-c", f'mount -t tmpfs none "{below}" && exec "$@"', "sh", *argv]
    assert subprocess.run(outer, capture_output=True, text=True).stdout == "refused\n"


def test_hidden_folders_are_empty_and_deeper_pairs_show(how, tmp_path):
    tmp_path.chmod(0o755)
    for name in ("seen", "secret"):
        (tmp_path / "repo" / name).mkdir(parents=True)
        (tmp_path / "repo" / name / "f").write_text("x")
    repo = str(tmp_path / "repo")
    pairs = (*jail.system_paths(), (str(tmp_path), str(tmp_path)), (repo + "/seen", repo + "/seen"))
    # The mount point inside a hidden folder has to be made by the jail itself.
    done = shell(how, f"find {repo} -type f", read_only=pairs, hidden=(repo,))
    assert done.stdout.split() == [repo + "/seen/f"], done.stderr


def test_no_network_not_even_the_hosts_loopback(how):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached"
        fields = Jail(read_only=jail.system_paths())
        done = subprocess.run(jail.command(fields, ["/bin/bash", "-c", script], how), capture_output=True, text=True)
        assert done.stdout == ""
        assert "refused" in done.stderr
        kept = Jail(read_only=jail.system_paths(), network="keep")
        done = subprocess.run(jail.command(kept, ["/bin/bash", "-c", script], how), capture_output=True, text=True)
        assert done.stdout == "reached\n", done.stderr


def test_no_other_process_environment_or_host_path_in_proc(how, monkeypatch):
    monkeypatch.setenv("WEBDS_TEST_SECRET", "do-not-leak")
    script = "cat /proc/[0-9]*/environ 2>/dev/null; cat /proc/1/cmdline; echo; ls -d /proc/[0-9]* | wc -l; env"
    done = shell(how, script)
    assert "do-not-leak" not in done.stdout
    assert str(Path(jail.__file__).parent) not in done.stdout
    count = next(line for line in done.stdout.splitlines() if line.strip().isdigit())
    assert int(count) <= 4


def test_no_privilege_is_left(how):
    done = shell(how, "id -u; id -G; grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status; umount /usr || echo kept")
    lines = done.stdout.split()
    assert lines[0] == "65534"
    assert "0000000000000000" in lines[lines.index("CapEff:") + 1]
    assert lines[lines.index("NoNewPrivs:") + 1] == "1"
    assert lines[-1] == "kept"


def test_inherited_descriptors_stay_open_and_end_with_the_program(how):
    """The way Playwright's pipe reaches Chromium: a keeper process must not hold a copy of it."""
    here, there = socket.socketpair()
    number = there.fileno()
    script = f"read -u {number} x; echo got $x >&{number}; exec {number}>&-; read wait"
    argv = jail.command(Jail(read_only=jail.system_paths()), ["/bin/bash", "-c", script], how)
    with here, subprocess.Popen(argv, pass_fds=[number], stdin=subprocess.PIPE) as child:
        there.close()
        here.settimeout(20)
        here.sendall(b"hi\n")
        assert here.recv(100) == b"got hi\n"
        assert here.recv(100) == b""
        assert child.poll() is None


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -9 $$", 137)])
def test_exit_codes_come_through(how, script, code):
    assert shell(how, script).returncode == code


def test_it_dies_with_its_parent(how):
    """The starter is killed with -9; the program inside held a pipe, which must end."""
    argv = jail.command(Jail(read_only=jail.system_paths()), ["/bin/sh", "-c", "echo up; sleep 600 & wait"], how)
    code = f"import json, subprocess; subprocess.run(json.loads({json.dumps(json.dumps(argv))}))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as starter:
        assert starter.stdout
        output = starter.stdout
        assert output.readline() == b"up\n"
        starter.send_signal(signal.SIGKILL)
        rest: list[bytes] = []
        reader = threading.Thread(target=lambda: rest.append(output.read()))
        reader.start()
        reader.join(timeout=20)
        assert rest == [b""]


def test_a_fork_bomb_is_bounded(how):
    script = "i=0; while [ $i -lt 200 ]; do sleep 30 & i=$((i+1)); done; echo all"
    done = shell(how, script, processes=20, uid=jail.unused_uid())
    assert "all" not in done.stdout
    assert "fork" in done.stderr.lower()


def test_memory_and_scratch_are_bounded(how):
    done = shell(
        how, "head -c 50000000 /dev/zero > /tmp/big; wc -c < /tmp/big; ulimit -d", scratch=1 << 20, memory=1 << 28
    )
    assert done.stdout.split() == [str(1 << 20), str(1 << 18)]


def test_a_missing_source_is_an_infra_fault(tmp_path):
    with pytest.raises(InfraFault, match="does not exist"):
        jail.command(Jail(read_only=((str(tmp_path / "no"), "/no"),)), ["true"])


def test_without_a_mechanism_it_runs_plainly(tmp_path):
    done = shell("none", "pwd; echo $A$HOME", cwd=str(tmp_path), env={"A": "b"})
    assert done.stdout.split() == [str(tmp_path), "b"]


def test_a_failure_inside_is_one_line(how):
    done = subprocess.run(jail.command(Jail(read_only=jail.system_paths()), ["/no/such/program"], how),
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode != 0
    assert len(done.stderr.strip().splitlines()) == 1
