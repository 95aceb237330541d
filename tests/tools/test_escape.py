"""Hostile snippets against the tools' sandbox, by each mechanism that this host allows; each names what stopped it.

A snippet is an expression or a block that ends in one. It has to fail in the way that only its mechanism fails: an
error by name, or a fact that it prints. docs/isolation.md has the table.
"""

import os
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

import webds
from webds import jail, jail_filter
from webds.tools.sandbox import Limits, Sandbox

ROOT = Path(webds.__file__).parent.parent
CANARY = "canary-7f3a9c"
LIMITS = Limits(seconds=30, memory_mb=512, output_chars=4000, file_mb=4, folder_mb=32, processes=40)
HELPERS = """
import ctypes, errno, os, socket, subprocess
libc = ctypes.CDLL(None, use_errno=True)
def said(result):
    return errno.errorcode.get(ctypes.get_errno(), '') if result == -1 else f'got {result}'
def call(number, *words):
    return said(libc.syscall(number, *words))
def tried(work, *words):
    try:
        return f'got {work(*words)!r}'[:200]
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
def reach(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as plug:
        plug.settimeout(3)
        return tried(plug.connect, address)
def read(path):
    with open(path, 'rb') as file:
        return file.read(200)
def write(path):
    with open(path, 'w') as file:
        return file.write('x')
"""
HELPERS += f"N = {jail_filter.numbers()!r}\n"
NETWORK, MOUNTS, PIDS, IPC = "network namespace", "mount namespace", "pid namespace", "ipc namespace"
CALLS, RIGHTS, READ_ONLY, LIMIT = "filter of system calls", "no privileges", "read-only mounts", "limits of a process"
START, LOCKED = "start of the interpreter", "locked settings of DuckDB"


@dataclass(frozen=True)
class Attack:
    """`code` (python) must show `wanted`, one of the words between |; every other text is an escape."""

    name: str
    stopped_by: str
    code: str
    wanted: str


@dataclass(frozen=True)
class Host:
    """What lies outside, for attacks to want."""

    tcp: int
    socket: str
    abstract: str
    secret: str
    pid: int


PYTHON = [
    Attack("public address", NETWORK, "reach(socket.AF_INET, ('1.1.1.1', 443))", "ENETUNREACH"),
    Attack("public IPv6 address", NETWORK, "reach(socket.AF_INET6, ('2606:4700::1111', 443))", "ENETUNREACH"),
    Attack("metadata service", NETWORK, "reach(socket.AF_INET, ('169.254.169.254', 80))", "ENETUNREACH"),
    Attack("DNS by hand", NETWORK, "reach(socket.AF_INET, ('8.8.8.8', 53), socket.SOCK_DGRAM)", "ENETUNREACH"),
    Attack("name of a host", NETWORK, "tried(socket.getaddrinfo, 'example.com', 80)", "gaierror|EAGAIN"),
    Attack("loopback of the host", NETWORK, "reach(socket.AF_INET, ('127.0.0.1', {tcp}))", "ECONNREFUSED"),
    Attack("abstract socket of the host", NETWORK, "reach(socket.AF_UNIX, '\\0{abstract}')", "ECONNREFUSED"),
    Attack("pandas.read_html of a URL", NETWORK,
           "import pandas\ntried(pandas.read_html, 'http://example.com/table.html')", "URLError"),
    Attack("pip install", NETWORK,
           "import sys\ndone = subprocess.run([sys.executable, '-m', 'pip', 'install', '--retries', '0', 'nosuch'],"
           " capture_output=True)\n'failed' if done.returncode else 'got it'", "failed"),
    Attack("socket of the host in the file system", MOUNTS, "reach(socket.AF_UNIX, '{socket}')", "ENOENT"),
    Attack("repository", MOUNTS, f"tried(os.listdir, {str(ROOT / 'tasks_public')!r})", "ENOENT"),
    Attack("keys of tasks", MOUNTS,
           "[os.path.join(t, n) for t, _, ns in os.walk('/') if not t.startswith('/proc') for n in ns"
           " if n in ('keys.toml', 'tasks.toml', 'site.toml', 'lock.toml')]", "[]"),
    Attack("file of the host", MOUNTS, "tried(read, '{secret}')", "ENOENT"),
    Attack("passwords and home", MOUNTS,
           "[p for p in ('/etc/shadow', '/etc/passwd', '/root' + '/.ssh', '/home', '/var', '/run')"
           " if os.path.exists(p)]", "[]"),
    Attack("link to a file of the host", MOUNTS, "os.symlink('{secret}', 'link')\ntried(read, 'link')", "ENOENT"),
    Attack("climbing from the working folder", MOUNTS,
           "tried(read, '/proc/self/cwd/../../../../../../..{secret}')", "ENOENT"),
    Attack("root of the first process", RIGHTS, "tried(os.listdir, '/proc/1/root/')", "EACCES|EPERM"),
    Attack("disks and memory as devices", MOUNTS,
           "[p for p in ('/dev/vda', '/dev/sda', '/dev/mem', '/dev/kmsg', '/dev/fuse', '/dev/kvm')"
           " if os.path.exists(p)]", "[]"),
    Attack("control groups and kernel objects", MOUNTS, "tried(os.listdir, '/sys')", "ENOENT"),
    Attack("environment of the harness", PIDS, "tried(read, '/proc/{pid}/environ')", "ENOENT"),
    Attack("killing the harness", PIDS, "tried(os.kill, {pid}, 9)", "ESRCH"),
    Attack("environment and words of all processes", PIDS,
           "def quiet(path):\n    try: return open(path, 'rb').read()\n    except OSError: return b''\n"
           f"any({CANARY[:6]!r}.encode() + {CANARY[6:]!r}.encode() in quiet(f'/proc/{{p}}/{{n}}')"
           " for p in os.listdir('/proc') if p.isdigit() for n in ('environ', 'cmdline', 'maps'))", "False"),
    Attack("descriptors of the harness", START,
           "[n for n in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{n}')"
           " and not os.readlink(f'/proc/self/fd/{n}').startswith(('pipe:', '/dev/null', '/proc/'))]", "[]"),
    Attack("shared memory of the host", IPC, "open('/proc/sysvipc/shm').read().count('\\n')", "1"),
    Attack("ptrace", CALLS, "said(libc.ptrace(16, 1, 0, 0))", "EPERM"),
    Attack("memory of the first process", RIGHTS, "tried(read, '/proc/1/mem')", "EACCES|EPERM"),
    Attack("process_vm_readv", CALLS, "call(N['process_vm_readv'], 1, 0, 0, 0, 0, 0)", "EPERM"),
    Attack("root in a user namespace", CALLS, "said(libc.unshare(0x10000000 | 0x20000))", "EPERM"),
    Attack("clone with namespaces", CALLS, "call(N['clone'], 0x10000000 | 17, 0, 0, 0, 0)", "EPERM"),
    Attack("mount", CALLS, "said(libc.mount(b't', b'/tmp', b'tmpfs', 0, None))", "EPERM"),
    Attack("mount by the new calls", CALLS, "call(N['fsopen'], b'tmpfs', 0)", "EPERM"),
    Attack("unmount", CALLS, "said(libc.umount2(b'/usr', 2))", "EPERM"),
    Attack("chroot", CALLS, "tried(os.chroot, '/tmp')", "EPERM"),
    Attack("host of the virtual machine", CALLS, "tried(socket.socket, 40, socket.SOCK_STREAM)", "EAFNOSUPPORT"),
    Attack("raw packets", CALLS, "tried(socket.socket, 17, socket.SOCK_RAW)", "EAFNOSUPPORT"),
    Attack("bpf, perf, io_uring, keyrings, userfaultfd", CALLS,
           "{call(N[n], 0, 0, 0, 0, 0) for n in ('bpf', 'perf_event_open', 'io_uring_setup', 'keyctl', 'userfaultfd')}",
           "{'EPERM'}"),
    Attack("memory outside of processes", CALLS,
           "[tried(os.memfd_create, 'm'), said(libc.shmget(0, 1 << 20, 0o1600))]", "['EPERM', 'EPERM']"),
    Attack("setuid", RIGHTS, "[tried(os.setuid, 0), tried(os.setgroups, [0])]", "['EPERM', 'EPERM']"),
    Attack("programs that are setuid", RIGHTS,
           "[line.split()[1] for line in open('/proc/self/status') if line.startswith(('NoNewPrivs', 'CapBnd'))]",
           "['0000000000000000', '1']"),
    Attack("device file", RIGHTS, "tried(os.mknod, 'disk', 0o60666, os.makedev(254, 0))", "EPERM"),
    Attack("settings of the kernel", RIGHTS,
           "{tried(write, '/proc/sys/kernel/' + n) for n in ('core_pattern', 'hostname', 'msgmax')}",
           "{'EACCES'}|{'EROFS'}"),
    Attack("sitecustomize in the packages", READ_ONLY,
           "import sysconfig\ntried(write, sysconfig.get_path('purelib') + '/sitecustomize.py')", "EROFS|EACCES"),
    Attack(".pth in the packages", READ_ONLY,
           "import sysconfig\ntried(write, sysconfig.get_path('purelib') + '/x.pth')", "EROFS|EACCES"),
    Attack("PATH shim", READ_ONLY, "tried(write, '/usr/local/bin/python3')", "EROFS|EACCES"),
    Attack("the tool's own program", READ_ONLY, "tried(write, '/opt/webds-tools/main.py')", "EROFS|EACCES"),
    Attack("link over a link of the harness", PIDS,
           "[tried(os.symlink, 'x', '/proc/{pid}/cwd/link'), tried(read, '/proc/{pid}/fd/0')]", "['ENOENT', 'ENOENT']"),
    Attack("raising a limit", LIMIT,
           "import resource\ndef up(which):\n    try: resource.setrlimit(which, (-1, -1)); return 'got it'\n"
           "    except (ValueError, OSError): return 'no'\n"
           "[up(resource.RLIMIT_DATA), up(resource.RLIMIT_FSIZE), up(resource.RLIMIT_NPROC)]", "['no', 'no', 'no']"),
]  # fmt: skip
SQL = [
    Attack("read_text of a file of the host", LOCKED, "SELECT * FROM read_text('{secret}')", "Permission Error"),
    Attack("read_text of an environment", LOCKED, "SELECT * FROM read_text('/proc/self/environ')", "Permission Error"),
    Attack("a folder's names", LOCKED, "SELECT * FROM glob('/*')", "Permission Error"),
    Attack("climbing out", LOCKED, "SELECT * FROM read_text('../etc/nsswitch.conf')", "Permission Error"),
    Attack("httpfs", LOCKED, "INSTALL httpfs", "Permission Error"),
    Attack("a URL", LOCKED, "SELECT * FROM read_csv('http://example.com/a.csv')", "Permission Error|Missing Extension"),
    Attack("an extension of the work folder", LOCKED, "LOAD './x.duckdb_extension'", "Permission Error"),
    Attack("ATTACH", LOCKED, "ATTACH '/tmp/x.db'", "Permission Error"),
    Attack("COPY out of the folder", LOCKED, "COPY (SELECT 1) TO '/tmp/x.csv'", "Permission Error"),
    Attack("opening the settings", LOCKED, "SET enable_external_access = true", "Cannot change"),
    Attack("more folders", LOCKED, "SET allowed_directories = ['/']", "locked|Cannot change"),
]


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """Listeners, a secret file and an environment variable of this process."""
    with tempfile.TemporaryDirectory(prefix="webds-escape-") as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "secret").write_text(CANARY)
        patch.setenv("MODEL_KEY", CANARY)
        abstract = f"webds-escape-{os.getpid()}"
        with (
            socket.create_server(("127.0.0.1", 0)) as tcp,
            socket.socket(socket.AF_UNIX) as by_path,
            socket.socket(socket.AF_UNIX) as by_name,
        ):
            by_path.bind(str(folder / "socket"))
            by_path.listen()
            by_name.bind(f"\0{abstract}")
            by_name.listen()
            yield Host(tcp.getsockname()[1], str(folder / "socket"), abstract, str(folder / "secret"), os.getpid())


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["bubblewrap", "unshare"])
async def box(request, tmp_path_factory) -> AsyncIterator[Sandbox]:
    """One sandbox for all attacks: what one of them breaks, the next ones show."""
    if reason := jail.refusal(request.param):
        pytest.skip(f"{request.param}: {reason}")
    async with Sandbox(tmp_path_factory.mktemp("escape"), LIMITS, request.param) as sandbox:
        assert (await sandbox.python(HELPERS)).error == ""
        yield sandbox


def filled(code: str, host: Host) -> str:
    for name, value in vars(host).items():
        code = code.replace(f"{{{name}}}", str(value))
    return code


def stopped(attack: Attack, text: str) -> bool:
    return any(word in text for word in attack.wanted.split("|"))


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("attack", PYTHON, ids=lambda attack: attack.name)
async def test_python(box: Sandbox, host: Host, attack: Attack) -> None:
    result = await box.python(filled(attack.code, host))
    assert result.error == ""
    words = [word if word.startswith(("[", "{")) or word in ("True", "False", "1") else repr(word)
             for word in attack.wanted.split("|")]  # fmt: skip
    assert result.text.strip() in words, attack.stopped_by
    assert CANARY not in result.text


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("attack", SQL, ids=lambda attack: attack.name)
async def test_sql(box: Sandbox, host: Host, attack: Attack) -> None:
    result = await box.sql(filled(attack.code, host))
    assert stopped(attack, result.error), (attack.stopped_by, result)
    assert CANARY not in result.text + result.error


PLANT = """
import os
NAMES = ['conftest', 'sitecustomize', 'usercustomize', 'json', 'duckdb', 'pandas', 'webds', 'webds_judge', 'cell',
         'query', 'formats', 'pyproject']
for name in NAMES:
    with open(name + '.py', 'w') as file: file.write("open('ran', 'a').write(__name__)")
with open('x.pth', 'w') as file: file.write("import os; open('ran', 'a').write('pth')")
with open('.duckdbrc', 'w') as file: file.write("COPY (SELECT 1) TO 'ran'")
for name in ('python3', 'python', 'sh', 'ls'):
    with open(name, 'w') as file: file.write('#!/bin/sh\\necho shim >> ran')
    os.chmod(name, 0o755)
os._exit(0)
"""


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_planted_in_the_work_folder_is_not_run_by_the_next_interpreters(box: Sandbox) -> None:
    """Conftest, sitecustomize, .pth, modules with the names of ours, PATH shims: stopped by START. The harness's side
    is tests/e2e/test_planted.py."""
    assert "variables and imports are lost" in (await box.python(PLANT)).error
    code = "import json, pandas, duckdb, subprocess\nsubprocess.run(['ls'], capture_output=True).returncode"
    assert (await box.python(code)).text == "0\n"
    assert (await box.sql("SELECT 1 AS a")).text.startswith("a\n1\n")
    assert (await box.python("import os\nos.path.exists('ran')")).text == "False\n"
    away = "[os.remove(n) for n in os.listdir() if os.path.isfile(n)]"
    assert (await box.python(f"import os\n{away}\n{HELPERS}")).error == ""


def row(attack: Attack) -> str:
    """Its line in the table of docs/isolation.md."""
    return f"| {attack.name} | {attack.stopped_by} | {attack.wanted.replace('|', ' or ')} |"


def test_the_page_lists_every_snippet_with_what_stops_it() -> None:
    text = (ROOT / "docs" / "isolation.md").read_text(encoding="utf-8")
    assert [row(attack) for attack in (*PYTHON, *SQL) if row(attack) not in text] == []
