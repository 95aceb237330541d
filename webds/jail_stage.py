"""The part of webds.jail that runs: `python -I -S jail_stage.py SPEC argv...` turns itself into the jailed program.

Stand-alone on purpose: standard library only, never imported by webds. SPEC is the JSON word that webds.jail.command
writes. With `bubblewrap` this process becomes bwrap. With `unshare` it stays as three processes: this one (outside,
waits), pid 1 of the jail (mounts, then reaps) and the program. A failure prints one line and exits with 125.
"""

# Why these rules are off here: pathlib costs 5 ms of every start, /tmp is the jail's own, exec is the purpose.
# ruff: noqa: PTH102, PTH103, PTH110, PTH112, PTH120, PTH123, PTH211, S108, S606

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import sys
from typing import Any, NoReturn

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
AT_RECURSIVE = 0x8000
MOUNT_SETATTR = 442  # the same number on every architecture since Linux 5.12
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "i686": 217, "ppc64le": 203, "s390x": 217}
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 24, 38
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
NAMESPACES = os.CLONE_NEWNS | os.CLONE_NEWPID | os.CLONE_NEWIPC | os.CLONE_NEWUTS
LIMITS = {
    "processes": resource.RLIMIT_NPROC,
    "memory": resource.RLIMIT_DATA,
    "file_size": resource.RLIMIT_FSIZE,
}
LIBC = ctypes.CDLL(None, use_errno=True)


def main() -> NoReturn:
    """Read SPEC and become the program, or say in one line why not."""
    spec, argv = json.loads(sys.argv[1]), sys.argv[2:]
    try:
        if sys.platform == "linux":
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        join(spec["groups"])
        {"bubblewrap": bubblewrap, "unshare": unshare, "none": plain}[spec["how"]](spec, argv)
    except OSError as error:
        print(f"webds jail ({spec['how']}): {error}", file=sys.stderr)
    os._exit(125)


def plain(spec: dict[str, Any], argv: list[str]) -> None:
    """No jail: environment, cwd, and the limits that are counted a process."""
    os.chdir(spec["cwd"])
    for key in ("memory", "file_size"):
        limit(LIMITS[key], spec[key])
    os.execvpe(argv[0], argv, spec["env"])


def limit(which: int, amount: int) -> None:
    """Lower a limit for good; 0 leaves it. An existing lower hard limit stays."""
    if amount:
        hard = resource.getrlimit(which)[1]
        amount = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
        resource.setrlimit(which, (amount, amount))


def bubblewrap(spec: dict[str, Any], argv: list[str]) -> None:
    """Become bwrap. Its options go through a memory file: pid 1's command line is readable inside."""
    words = ["--args", str(memory_file(b"".join(os.fsencode(word) + b"\0" for word in spec["options"])))]
    if spec["filter"]:
        words += ["--seccomp", str(memory_file(bytes.fromhex(spec["filter"])))]
    # The environment is given whole to execve, not through --clearenv: pid 1's environ can be readable inside.
    os.execve(spec["bwrap"], ["bwrap", *words, "--", *spec["last"], *argv], spec["env"])


def memory_file(data: bytes) -> int:
    """A descriptor that reads `data` and that bwrap inherits."""
    number = os.memfd_create("words", 0)
    os.write(number, data)
    os.lseek(number, 0, os.SEEK_SET)
    return number


def join(groups: list[str]) -> None:
    """Into the control groups whose cgroup.procs files these are, with all that is started from here on."""
    for path in groups:
        with open(path, "w") as file:
            file.write("0")


def unshare(spec: dict[str, Any], argv: list[str]) -> None:
    """Open the namespaces, then wait for pid 1 inside and end as it ends."""
    if not spec["root"]:
        enter_user_namespace(os.geteuid() if spec["uid"] is None else spec["uid"])
    os.unshare(NAMESPACES | (os.CLONE_NEWNET if spec["network"] == "none" else 0))
    with contextlib.suppress(OSError):  # an old kernel: then the path of the group can be read inside
        os.unshare(os.CLONE_NEWCGROUP)
    nothing = os.open("/dev/null", os.O_RDWR)  # before the fork: the root that pid 1 pivots is this process's too
    child = os.fork()
    if child:
        let_go(nothing)
        end_like(os.waitpid(child, 0)[1])
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    forget_words()
    socket.sethostname("jail")
    if spec["network"] == "none":
        loopback_up()
    build_root(spec)
    program = os.fork()
    if program:
        let_go(nothing)
        reap(program)
    os.close(nothing)
    os.setsid()
    os.chdir(spec["cwd"])
    give_up_privileges(spec)
    os.execvpe(argv[0], argv, spec["env"])


def enter_user_namespace(inside: int) -> None:
    """A user namespace in which the caller is called `inside`."""
    uid, gid = os.geteuid(), os.getegid()
    os.unshare(os.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{inside} {uid} 1"), ("gid_map", f"{inside} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def forget_words() -> None:
    """Blank this process's argv and environment, which the jailed program could read in /proc/1."""
    with open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    for start, end in (fields[45:47], fields[47:49]):  # arg_start, arg_end, env_start, env_end of proc(5)
        ctypes.memset(int(start), 0, int(end) - int(start))


def let_go(nothing: int) -> None:
    """Close what only the program may hold: a pipe must end when the program closes it, not when its keeper does."""
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def reap(program: int) -> NoReturn:
    """Pid 1's work: collect orphans, and end (which ends everything inside) when the program ends."""
    while True:
        child, status = os.wait()
        if child == program:
            end_like(status)


def end_like(status: int) -> NoReturn:
    """Exit with the child's code; a signal becomes 128 + its number, as in a shell."""
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def give_up_privileges(spec: dict[str, Any]) -> None:
    """No capability, no group, no way back; then the limits."""
    for capability in range(64):
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    if spec["root"] and spec["uid"] is not None:
        os.setgroups([])
        os.setresgid(spec["uid"], spec["uid"], spec["uid"])
        os.setresuid(spec["uid"], spec["uid"], spec["uid"])
        LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for key, which in LIMITS.items():
        limit(which, spec[key])
    if spec["filter"]:
        install(bytes.fromhex(spec["filter"]))


def install(program: bytes) -> None:
    """Put the seccomp filter (an array of struct sock_filter) in force, for good."""
    kept = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("@HP", len(program) // 8, ctypes.addressof(kept))
    check(LIBC.prctl(PR_SET_SECCOMP, 2, head, 0, 0), "install the filter of system calls")  # 2 = SECCOMP_MODE_FILTER


def loopback_up() -> None:
    """A new network namespace has lo, but down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plug:
        fcntl.ioctl(plug, SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", IFF_UP, b""))


def build_root(spec: dict[str, Any]) -> None:
    """Move into a root that holds only the mounts of `spec`. Two pivots, so that no source is hidden on the way."""
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    tmpfs("/tmp", "mode=755,size=1m")
    os.mkdir("/tmp/old")
    os.mkdir("/tmp/new")
    pivot("/tmp", "/tmp/old")
    os.chdir("/")
    tmpfs("/new", "mode=755,size=4m")
    for folder in ("proc", "dev", "tmp"):
        os.mkdir(f"/new/{folder}")
    mount("proc", "/new/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    build_dev(spec["scratch"])
    tmpfs("/new/tmp", f"mode=1777,size={spec['scratch']}")
    for kind, outside, inside in spec["mounts"]:
        place(kind, f"/old{outside}", f"/new{inside}")
    for kind, _, inside in spec["mounts"]:
        if kind == "hide":
            attributes(f"/new{inside}", ATTR_RDONLY, recursive=False)
    attributes("/new", ATTR_RDONLY, recursive=False)
    os.chdir("/new")
    pivot(".", ".")
    check(LIBC.umount2(b".", 2), "leave the old root")  # 2 = MNT_DETACH
    os.chdir("/")


def build_dev(size: int) -> None:
    """/dev with six devices, shm and the usual links."""
    tmpfs("/new/dev", "mode=755,size=64k")
    for name in DEVICES:
        bind(f"/old/dev/{name}", f"/new/dev/{name}")
    for name, target in LINKS.items():
        os.symlink(target, f"/new/dev/{name}")
    os.mkdir("/new/dev/shm")
    tmpfs("/new/dev/shm", f"mode=1777,size={size}")


def place(kind: str, source: str, target: str) -> None:
    """One entry of the jail's list."""
    if kind == "hide":
        os.makedirs(target, exist_ok=True)
        tmpfs(target, "mode=755,size=64k")
        return
    bind(source, target)
    attributes(target, ATTR_NOSUID | ATTR_NODEV | (ATTR_RDONLY if kind == "ro" else 0), recursive=True)


def bind(source: str, target: str) -> None:
    """Show `source`, with all mounts below it, as `target`; makes the mount point."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    mount(source, target, None, MS_BIND | MS_REC)


def tmpfs(target: str, options: str) -> None:
    """An empty file system in memory."""
    mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, options)


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """mount(2). Raises OSError with the target's name."""
    words = [os.fsencode(word) if word is not None else None for word in (source, target, kind)]
    check(LIBC.mount(*words, ctypes.c_ulong(flags), data.encode() or None), f"mount {target.removeprefix('/new')}")


def attributes(target: str, flags: int, *, recursive: bool) -> None:
    """mount_setattr(2): unlike a remount it keeps locked flags, and reaches the mounts below."""
    wanted = struct.pack("QQQQ", flags, 0, 0, 0)
    how = AT_RECURSIVE if recursive else 0
    size = ctypes.c_size_t(len(wanted))
    check(LIBC.syscall(MOUNT_SETATTR, -100, os.fsencode(target), how, wanted, size), f"protect {target}")


def pivot(new: str, old: str) -> None:
    """pivot_root(2), for which libc has no function."""
    number = PIVOT_ROOT.get(os.uname().machine, 41)
    check(LIBC.syscall(number, os.fsencode(new), os.fsencode(old)), "pivot_root")


def check(result: int, what: str) -> None:
    """A C call's -1 as OSError."""
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":
    main()
