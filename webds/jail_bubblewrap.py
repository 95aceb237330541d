"""The words of bwrap, and of the programs inside that give up root, for a jail (see webds.jail and jail_stage)."""

from collections.abc import Mapping
from typing import Any

LIMITS = {"processes": "nproc", "memory": "data", "file_size": "fsize"}


def options(spec: Mapping[str, Any]) -> list[str]:
    """bwrap's words for the mounts and namespaces of `spec`."""
    size = str(spec["scratch"])
    words = ["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--hostname", "jail", "--chdir", spec["cwd"]]
    if spec["network"] == "none":
        words.append("--unshare-net")
    if not spec["root"]:
        name = [] if spec["uid"] is None else ["--uid", str(spec["uid"]), "--gid", str(spec["uid"])]
        words += ["--unshare-user", "--cap-drop", "ALL", *name]
    scratch = ["--perms", "1777", "--size", size, "--tmpfs"]
    words += ["--proc", "/proc", "--dev", "/dev", *scratch, "/tmp", *scratch, "/dev/shm"]  # noqa: S108 - the jail's own
    for kind, outside, inside in spec["mounts"]:
        # bwrap makes missing parents with mode 0700, which locks out the uid that root switches to.
        words += [word for folder in _parents(inside) for word in ("--perms", "0755", "--dir", folder)]
        if kind == "hide":
            words += ["--perms", "0755", "--size", "65536", "--tmpfs", inside]
        else:
            words += ["--ro-bind" if kind == "ro" else "--bind", outside, inside]
    words += [word for kind, _, inside in spec["mounts"] if kind == "hide" for word in ("--remount-ro", inside)]
    return [*words, "--remount-ro", "/"]


def _parents(path: str) -> list[str]:
    """The folders above an absolute path, from the top, without the root."""
    parts = path.strip("/").split("/")[:-1]
    return ["/" + "/".join(parts[: depth + 1]) for depth in range(len(parts))]


def last_steps(spec: Mapping[str, Any]) -> list[str]:
    """Programs inside the jail that give up root and set the limits, each becoming the next."""
    steps: list[str] = []
    if spec["root"]:
        user = [] if spec["uid"] is None else [f"--reuid={spec['uid']}", f"--regid={spec['uid']}", "--clear-groups"]
        steps += ["setpriv", *user, "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
    amounts = [f"--{word}={spec[key]}" for key, word in LIMITS.items() if spec[key]]
    return [*steps, "prlimit", *amounts] if amounts else steps
