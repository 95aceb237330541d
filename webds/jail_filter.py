"""A seccomp filter for code of strangers: what such code never needs, and what namespaces alone leave open.

Without it (tried) a program in the jail opens a user namespace, is root in it, and mounts file systems whose pages no
limit counts; and a socket of family AF_VSOCK goes to the machine's host, since network namespaces do not hold it.
Numbers of calls: the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
"""

import errno
import platform
import struct

_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST = 0, 4, 16
"""Offsets in struct seccomp_data; the last is the lower half of the first argument on a little-endian machine."""
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWUSER, NEWPID, NEWNET, NEWUTS, NEWIPC, NEWCGROUP and NEWNS."""
_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK (resolvers list interfaces with it)."""
_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_REFUSED = {
    # namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265), "swapon": (167, 224),
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # memory that lies in no process and no sized file system, where only a memory group would count it
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194),
    # parts of the kernel with a history
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "acct": (163, 89), "syslog": (103, 116),
}  # fmt: skip
_CLONE, _CLONE3, _SOCKET = (56, 220), (435, 435), (41, 198)


def numbers(machine: str = "") -> dict[str, int]:
    """The numbers of what is refused, and of clone, by name; empty where the machine is not known."""
    known = _ARCHITECTURES.get(machine or platform.machine())
    if known is None:
        return {}
    return {name: pair[known[1]] for name, pair in (*_REFUSED.items(), ("clone", _CLONE))}


def program(machine: str = "") -> bytes:
    """The filter as an array of struct sock_filter, for `machine` (default: this one); empty where none is known."""
    known = _ARCHITECTURES.get(machine or platform.machine())
    if known is None:
        return b""
    architecture, column = known
    refuse = _step(_RETURN, _ERROR | errno.EPERM)
    steps = [_step(_LOAD, _ARCHITECTURE), _step(_EQUAL, architecture, 1, 0), refuse]
    steps += [_step(_LOAD, _NUMBER), _step(_ABOVE, _X32, 0, 1), refuse]
    for numbers in _REFUSED.values():
        steps += [_step(_EQUAL, numbers[column], 0, 1), refuse]
    # Its flags lie in memory, where a filter cannot look: libraries fall back to clone when they are told ENOSYS.
    steps += [_step(_EQUAL, _CLONE3[column], 0, 1), _step(_RETURN, _ERROR | errno.ENOSYS)]
    steps += [_step(_EQUAL, _CLONE[column], 0, 3), _step(_LOAD, _FIRST), _step(_ANY_BIT, _NEW_NAMESPACES, 0, 1), refuse]
    steps += [_step(_LOAD, _NUMBER), _step(_EQUAL, _SOCKET[column], 0, len(_FAMILIES) + 2), _step(_LOAD, _FIRST)]
    steps += [_step(_EQUAL, family, len(_FAMILIES) - at, 0) for at, family in enumerate(_FAMILIES)]
    return b"".join([*steps, _step(_RETURN, _ERROR | errno.EAFNOSUPPORT), _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
    """One struct sock_filter; `true` and `false` count the steps that a comparison skips."""
    return struct.pack("=HBBI", code, true, false, value)
