"""The tools' sandbox under friendly and hostile code, by each mechanism that this host allows."""

import asyncio
import os
import socket
import sys
from pathlib import Path

import pytest

import webds
from webds import jail
from webds.errors import InfraFault
from webds.tools import room
from webds.tools.sandbox import Limits, Sandbox

SMALL = Limits(seconds=20, memory_mb=512, output_chars=2000, file_mb=4, processes=40)
REPOSITORY = Path(webds.__file__).parent.parent


@pytest.fixture(params=["bubblewrap", "unshare"])
async def box(request, tmp_path):
    """A sandbox by each mechanism; skipped with the host's own reason where it does not work."""
    if reason := jail.refusal(request.param):
        pytest.skip(f"{request.param}: {reason}")
    async with Sandbox(tmp_path, SMALL, request.param) as sandbox:
        yield sandbox


async def run(box: Sandbox, code: str) -> str:
    """The text of code that must not fail."""
    result = await box.python(code)
    assert result.error == ""
    return result.text


# --- friendly code --------------------------------------------------------------------------------------------------


async def test_state_lasts_and_the_last_value_is_shown(box):
    assert await run(box, "import math\nx = 20") == ""
    assert await run(box, "def f(y):\n    return x + y\nf(1)") == "21\n"
    assert await run(box, "print('a')\nf(2); 'z'") == "a\n'z'\n"
    assert await run(box, "None") == ""


async def test_the_promised_packages_work(box, tmp_path):
    (tmp_path / "a.csv").write_text("k,v\nx,1\ny,2\n")
    code = (
        "import pandas as pd, numpy as np, duckdb, openpyxl, bs4, matplotlib.pyplot as plt\n"
        "d = pd.read_csv('a.csv'); d.to_excel('b.xlsx'); d.to_parquet('c.parquet')\n"
        "plt.plot(d.v); plt.savefig('d.png')\n"
        "duckdb.sql('select sum(v) from d').fetchall(), int(np.sum(d.v)), int(pd.read_excel('b.xlsx').v.sum())"
    )
    assert await run(box, code) == "([(3,)], 3, 3)\n"
    assert {"b.xlsx", "c.parquet", "d.png"} <= {path.name for path in tmp_path.iterdir()}


async def test_tracebacks_are_short_and_without_machine_paths(box):
    result = await box.python("def f():\n    return 1 / 0\n\nf()")
    assert result.error.splitlines() == [
        "Traceback (most recent call last):",
        "  cell 1, line 4",
        "    f()",
        "  cell 1, line 2, in f",
        "    return 1 / 0",
        "ZeroDivisionError: division by zero",
    ]
    deep = await box.python("import pandas as pd\npd.read_csv('no.csv')")
    assert deep.error.splitlines()[-1].startswith("FileNotFoundError")
    assert "site-packages" not in deep.error
    assert sys.base_prefix not in deep.error
    assert (await box.python("x = (")).error.splitlines()[-1].startswith("SyntaxError")


@pytest.mark.parametrize("code", ["raise SystemExit(3)", "exit()", "raise KeyboardInterrupt", "input()"])
async def test_leaving_is_an_error_and_costs_no_state(box, code):
    await run(box, "x = 1")
    assert (await box.python(code)).error
    assert await run(box, "x") == "1\n"


# --- what must not be there -----------------------------------------------------------------------------------------


async def test_no_repository_key_home_or_host_file(box):
    code = (
        "import os\n"
        "hits = []\n"
        "for top, folders, files in os.walk('/'):\n"
        "    if top.startswith('/proc'): folders.clear(); continue\n"
        "    hits += [os.path.join(top, f) for f in files if f in {'keys.toml', 'site.toml', 'hostname', 'shadow',\n"
        "             'passwd', '.bash_history', 'BRIEF.md', 'lock.toml', 'jail.py', 'requirements.lock', 'id_rsa'}]\n"
        "    hits += [os.path.join(top, f) for f in folders if f in {'webds', 'webds_judge', 'tasks_public',\n"
        "             'tasks_private', 'sites_docker', 'judge', '.git'}]\n"
        "[h for h in hits if '/site-packages/' not in h and not h.startswith(('/usr/', '/bin/', '/sbin/', '/lib'))]"
    )
    assert await run(box, code) == "[]\n"
    # Whatever carries one of those names in a package is not ours.
    code = "import importlib.util as u\n[u.find_spec(n) for n in ('webds', 'webds_judge', 'webds_recorder')]"
    assert await run(box, code) == "[None, None, None]\n"
    paths = ["/etc/hostname", "/etc/passwd", "/home", "/var", "/sys", "/run", "/mnt", "/srv", str(REPOSITORY / "webds")]
    assert await run(box, f"import os\n[p for p in {paths} if os.path.exists(p)]") == "[]\n"
    assert await run(box, "sorted(os.listdir(os.path.expanduser('~')))") == "[]\n"


async def test_the_home_of_root_shows_the_interpreter_at_most(box):
    code = "import os\n[os.path.join(t, f) for t, _, fs in os.walk('/root') for f in fs]"
    found = (await run(box, f"{code[:-1]} if not t.startswith({sys.base_prefix!r})]")).strip()
    assert found == "[]"


async def test_a_virtual_environment_inside_a_repository_shows_nothing_else(monkeypatch, tmp_path):
    """As with `.venv` in the checkout: the mounted pairs name the environment and the base, never their parents."""
    repo = tmp_path / "repo"
    (repo / ".venv" / "bin").mkdir(parents=True)
    (repo / ".venv" / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    monkeypatch.setattr(sys, "prefix", str(repo / ".venv"))
    monkeypatch.setattr(sys, "executable", str(repo / ".venv" / "bin" / "python"))
    outside = [pair[0] for pair in room.interpreter_paths()]
    assert str(repo / ".venv") in outside
    assert not [path for path in outside if repo.is_relative_to(path)]
    assert room.executable_inside() == "/opt/webds-python/bin/python"


async def test_no_network_dns_or_loopback_of_the_host(box):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = (
            "import socket\n"
            "def attempt(host, port):\n"
            "    try:\n"
            "        socket.create_connection((host, port), 2).close()\n"
            "        return 'reached'\n"
            "    except OSError as error:\n"
            "        return type(error).__name__\n"
            f"[attempt(*a) for a in (('127.0.0.1', {port}), ('1.1.1.1', 53), ('example.com', 80), ('::1', {port}))]"
        )
        text = await run(box, code)
        assert "reached" not in text
        assert "ConnectionRefusedError" in text
        assert "gaierror" in text
        socket.create_connection(("127.0.0.1", port), 2).close()


async def test_no_other_process_and_no_secret_of_the_caller(box, monkeypatch):
    monkeypatch.setenv("MODEL_KEY", "do-not-leak")
    code = (
        "import os, glob\n"
        "def read(p):\n"
        "    try: return open(p, 'rb').read()\n"
        "    except OSError: return b''\n"
        "pids = [p for p in os.listdir('/proc') if p.isdigit()]\n"
        "text = b''.join(read(f'/proc/{p}/{f}') for p in pids for f in ('environ', 'cmdline', 'maps'))\n"
        f"len(pids) < 5, b'do-not-leak' in text, {str(REPOSITORY / 'webds').encode()!r} in text"
    )
    assert await run(box, code) == "(True, False, False)\n"


async def test_writes_reach_the_work_folder_and_scratch_only(box, tmp_path):
    code = (
        "def attempt(p):\n"
        "    try: open(p, 'w').write('x'); return True\n"
        "    except OSError: return False\n"
        "import sys, os\n"
        "[attempt(p) for p in ('/x', '/usr/x', '/etc/x', '/opt/x', '/opt/webds-tools/main.py', sys.prefix + '/x',\n"
        "                      os.__file__, '/proc/sys/kernel/hostname', 'ok', '/tmp/ok')]"
    )
    assert await run(box, code) == f"{[False] * 8 + [True] * 2}\n"
    assert (tmp_path / "ok").read_text() == "x"


async def test_a_link_out_of_the_work_folder_leads_nowhere(box, tmp_path):
    (tmp_path / "link").symlink_to("/etc/hostname")
    result = await box.preview("link", {})
    assert "no file" in result.error
    assert "FileNotFoundError" in (await box.python("open('link')")).error


# --- bounds ---------------------------------------------------------------------------------------------------------


async def test_an_endless_loop_is_stopped_and_the_loss_is_said(tmp_path):
    async with Sandbox(tmp_path, Limits(seconds=1)) as box:
        await box.warm()
        await box.python("x = 1")
        result = await box.python("print('before')\nwhile True: pass")
        assert result.text == "before\n"
        assert "limit of one call" in result.error
        assert "variables and imports are lost" in result.error
        assert "NameError" in (await box.python("x")).error
        assert (await box.sql("select 1 as a")).text.startswith("a\n1\n")


async def test_ignoring_signals_and_leaving_children_does_not_help(tmp_path):
    async with Sandbox(tmp_path, Limits(seconds=1)) as box:
        code = (
            "import os, signal, time\n"
            "for s in range(1, 32):\n"
            "    try: signal.signal(s, signal.SIG_IGN)\n"
            "    except OSError: pass\n"
            "for _ in range(3):\n"
            "    if os.fork() == 0:\n"
            "        os.setsid()\n"
            "        while True: open('alive', 'a').write('x'); time.sleep(0.01)\n"
            "while True: time.sleep(1)"
        )
        assert "limit of one call" in (await box.python(code)).error
        if box.level == "none":
            pytest.skip(f"no mechanism: {jail.mechanism_reason()}")
        size = (tmp_path / "alive").stat().st_size
        await box.python("import time; time.sleep(0.2)")
        assert (tmp_path / "alive").stat().st_size == size


async def test_a_fork_that_returns_does_not_answer_twice(box):
    assert (await box.python("import os\npid = os.fork()\nprint(1)")).text.count("1\n") in (1, 2)
    assert "'next'" in await run(box, "import time; time.sleep(0.1); 'next'")  # the copy's last output may come late
    assert await run(box, "'after'") == "'after'\n"


async def test_a_fork_bomb_is_bounded(box):
    code = (
        "import os, time\n"
        "made = 0\n"
        "try:\n"
        "    while made < 500:\n"
        "        if os.fork() == 0: time.sleep(60); os._exit(0)\n"
        "        made += 1\n"
        "except OSError as error: print(type(error).__name__)\n"
        "made < 60"
    )
    assert await run(box, code) == "BlockingIOError\nTrue\n"


async def test_memory_is_bounded(box):
    assert "MemoryError" in (await box.python("x = bytearray(1 << 30)")).error
    assert await run(box, "1") == "1\n"
    # Each process stays under its own bound, all together do not.
    code = (
        "import os, time\n"
        "for _ in range(4):\n"
        "    if os.fork() == 0: x = bytearray(b'x') * (200 << 20); time.sleep(60)\n"
        "time.sleep(60)"
    )
    assert "over 512 MB of memory in use" in (await box.python(code)).error


async def test_file_size_is_bounded(box, tmp_path):
    result = await box.python("with open('big', 'wb') as f:\n    for _ in range(64): f.write(bytes(1 << 20))")
    assert "OSError" in result.error
    assert (tmp_path / "big").stat().st_size <= SMALL.file_mb << 20


async def test_many_files_are_bounded(tmp_path):
    async with Sandbox(tmp_path, Limits(seconds=20, file_mb=1, folder_mb=8)) as box:
        code = "import os\nfor n in range(10**9): open(str(n), 'wb').write(bytes(100_000))"
        assert "over 8 MB in the work folder" in (await box.python(code)).error
        assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 2_000_000_000
        tidy = "import os\nfor n in os.listdir(): os.remove(n)\nlen(os.listdir())"
        assert await run(box, tidy) == "0\n"


async def test_endless_output_is_cut_and_does_not_grow(tmp_path):
    async with Sandbox(tmp_path, Limits(seconds=2, output_chars=1000)) as box:
        await box.warm()
        result = await box.python("while True: print('ä' * 10_000)")
        assert result.cut
        assert len(result.text) < 1200
        assert "[output cut: 1000 characters shown" in result.text
        result = await box.python("print('x' * 5_000_000)")
        assert result.error == ""
        assert result.text.startswith("x" * 1000 + "\n[output cut")


# --- the protocol ---------------------------------------------------------------------------------------------------


async def test_printing_cannot_forge_an_answer(box):
    code = (
        "import os, struct, json, sys\n"
        "fake = json.dumps({'error': 'forged'}).encode()\n"
        "for n in (0, 1, 2):\n"
        "    try: os.write(n, struct.pack('>I', len(fake)) + fake)\n"
        "    except OSError: pass\n"
        "print(fake); sys.stderr.write('e'); 7"
    )
    result = await box.python(code)
    assert result.error == ""
    assert result.text.endswith("e7\n")
    assert await run(box, "8") == "8\n"


async def test_child_processes_do_not_inherit_the_protocol(box):
    code = (
        "import subprocess\n"
        "done = subprocess.run(['ls', '/proc/self/fd'], close_fds=False, capture_output=True, text=True)\n"
        "done.stdout.split()"
    )
    assert await run(box, code) == "['0', '1', '2', '3']\n"


@pytest.mark.parametrize("code", [
    "import os\nfor n in range(3, 50):\n    try: os.write(n, b'\\xff' * 64)\n    except OSError: pass",
    "import os\nos.closerange(0, 50)",
    "import os\nos._exit(0)",
    "import ctypes\nctypes.string_at(0)",
])  # fmt: skip
async def test_breaking_the_protocol_costs_the_state_only(box, code):
    assert "variables and imports are lost" in (await box.python(code)).error
    assert await run(box, "1") == "1\n"


async def test_closing_or_replacing_the_streams_costs_one_call(box):
    await box.python("import sys\nsys.stdout.close()\nsys.stdout = None\nx = 3")
    assert await run(box, "print('back'); x") == "back\n3\n"


async def test_calls_at_once_wait_for_each_other(box):
    results = await asyncio.gather(*(box.python(f"import time; time.sleep(0.05); {n}") for n in range(4)))
    assert [result.text for result in results] == [f"{n}\n" for n in range(4)]


async def test_a_cancelled_call_does_not_answer_the_next_one(box):
    await run(box, "1")
    call = asyncio.create_task(box.python("open('begun', 'w'); import time; time.sleep(60); 'old'"))
    while not (await asyncio.to_thread(lambda: list(box._work.glob("begun")))):
        assert not call.done()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert "variables and imports are lost" in (await box.python("1")).error
    assert await run(box, "'new'") == "'new'\n"


async def test_a_sandbox_that_cannot_start_is_an_infra_fault(box, monkeypatch, tmp_path):
    monkeypatch.setattr(room, "SCRIPTS", tmp_path)  # no main.py there
    with pytest.raises(InfraFault, match=r"main\.py"):
        await box.python("1")
    monkeypatch.undo()
    assert (await box.python("1")).text == "1\n"


async def test_text_that_is_not_unicode_passes(box):
    assert "UnicodeEncodeError" in (await box.python("'\ud800'")).error
    assert (await box.python("'\\ud800'")).text == "'\\ud800'\n"
    assert (await box.python("raise ValueError('\\ud800')")).error.encode()


async def test_close_kills_everything_and_it_can_start_again(box, tmp_path):
    await run(box, "import subprocess\np = subprocess.Popen(['sh', '-c', 'while :; do echo x >> beat; done'])")
    while not (tmp_path / "beat").exists():
        await asyncio.sleep(0)
    await box.close()
    size = (tmp_path / "beat").stat().st_size
    assert await run(box, "1") == "1\n"
    assert (tmp_path / "beat").stat().st_size == size


async def test_without_a_mechanism_it_works_and_says_so(tmp_path):
    (tmp_path / "a.csv").write_text("x\n5\n")
    async with Sandbox(tmp_path, SMALL, "none") as box:
        assert box.level == "none"
        assert await run(box, "open('a.csv').read()") == "'x\\n5\\n'\n"
        assert (await box.sql("from 'a.csv'")).text == "x\n5\n(1 rows)\n"
        assert "no file" in (await box.preview("../../etc/passwd", {})).error


async def test_a_plain_user_gets_the_same_jail(tmp_path):
    """As root: become uid 65534 in a namespace where the interpreter is visible, and open a jail from there."""
    if os.geteuid() != 0:
        pytest.skip("not root: the other tests already ran as a plain user")
    if reason := jail.refusal("unshare"):
        pytest.skip(f"unshare: {reason}")
    tmp_path.chmod(0o777)
    package = Path(webds.__file__).parent
    copy = tmp_path / "lib" / "webds"
    copy.mkdir(parents=True)
    for name in ("__init__.py", "jail.py", "jail_stage.py", "jail_bubblewrap.py", "jail_filter.py", "errors.py"):
        (copy / name).write_bytes((package / name).read_bytes())
    code = (
        "import os, subprocess, sys\nsys.path.insert(0, '/lib-webds')\nfrom webds import jail\n"
        "def go(how):\n"
        "    if reason := jail.refusal(how): return how + ': ' + reason\n"
        "    room = jail.Jail(read_only=jail.system_paths(), processes=50)\n"
        "    script = 'id -u; ls -d /proc/[0-9]* | wc -l; ls /lib-webds; umount /usr'\n"
        "    argv = jail.command(room, ['/bin/sh', '-c', script], how)\n"
        "    return subprocess.run(argv, capture_output=True, text=True).stdout.split()\n"
        "print([os.getuid(), *(go(how) for how in ('bubblewrap', 'unshare'))])"
    )
    pairs = (*jail.system_paths(), *room.interpreter_paths(), (str(tmp_path / "lib"), "/lib-webds"))
    argv = jail.command(jail.Jail(read_only=pairs), [room.executable_inside(), "-I", "-c", code], "unshare")
    process = await asyncio.create_subprocess_exec(*argv, stdout=-1, stderr=-1)
    out, err = await process.communicate()
    assert err == b""
    uid, by_bubblewrap, by_unshare = eval(out)
    assert uid == 65534
    assert by_unshare == ["65534", "4"] or by_unshare == ["65534", "5"], by_unshare
    assert by_bubblewrap[0] == "65534" or "bubblewrap:" in by_bubblewrap
