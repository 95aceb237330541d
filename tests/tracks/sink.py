"""Two network namespaces of a test's own, joined by a veth pair: whatever leaves the first arrives in the second, where
tcpdump listens and nobody answers. No packet of it ever meets a real network."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

INSIDE, OUTSIDE, MARKER_PORT = "198.51.100.1", "198.51.100.2", 9999
INSIDE6, OUTSIDE6 = "2001:db8:1::1", "2001:db8:1::2"
MARK = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'mark', (%r, %d))"


def refusal() -> str:
    """Why this machine cannot have a sink, in one line; empty where it can."""
    missing = [name for name in ("ip", "tcpdump", "unshare", "mount") if not shutil.which(name)]
    if missing:
        return f"needs {', '.join(missing)}"
    if os.geteuid() != 0:
        return "needs root: a namespace with a route out of it"
    name = f"webds-try-{os.getpid()}"
    tried = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    subprocess.run(["ip", "netns", "del", name], capture_output=True)
    return " ".join(tried.stderr.split()) if tried.returncode else ""


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@dataclass
class Sink:
    """`prefix` starts a program whose every packet arrives at the sink."""

    prefix: list[str]
    folder: Path

    @contextmanager
    def listening(self, name: str) -> Iterator[Path]:
        """tcpdump at the far end while the block runs; a marker at its end proves that it listened until then."""
        file = self.folder / f"{name}.pcap"
        command = ["ip", "netns", "exec", _far(), "tcpdump", "-i", "far", "-n", "-U", "-Z", "root", "-w", str(file)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as dump:
            assert dump.stderr is not None
            assert any("listening" in line for line in dump.stderr)
            try:
                yield file
                subprocess.run([*self.prefix, sys.executable, "-c", MARK % (OUTSIDE, MARKER_PORT)], check=True)
                end = time.monotonic() + 10
                while not packets(file, f"udp port {MARKER_PORT}"):
                    assert time.monotonic() < end, "tcpdump did not see the marker"
                    time.sleep(0.05)
            finally:
                dump.terminate()
                dump.wait(10)


def packets(file: Path, what: str) -> list[str]:
    """Packets of a capture that match a tcpdump filter, a line each."""
    read = subprocess.run(["tcpdump", "-n", "-r", str(file), what], capture_output=True, text=True)
    return read.stdout.splitlines()


ANY = f"not (udp port {MARKER_PORT}) and not src host {OUTSIDE} and not icmp6 and not dst host ff02::16"
"""ICMPv6 is left out: the kernel itself greets each new IPv6 interface. ARP, IGMP and everything else counts."""
DNS = "port 53"


def _near() -> str:
    return f"webds-near-{os.getpid()}"


def _far() -> str:
    return f"webds-far-{os.getpid()}"


def _hardware(name: str, link: str) -> str:
    shown = subprocess.run(["ip", "-n", name, "-o", "link", "show", link], capture_output=True, text=True).stdout
    return shown.split("link/ether ")[1].split()[0]


@contextmanager
def sink(folder: Path) -> Iterator[Sink]:
    """Make both namespaces and the route; remove them at the end."""
    near, far = _near(), _far()
    resolv = folder / "resolv.conf"
    resolv.write_text(f"nameserver {OUTSIDE}\n")
    with ExitStack() as stack:
        for name in (near, far):
            _ip("netns", "add", name)
            stack.callback(subprocess.run, ["ip", "netns", "del", name], capture_output=True)
        _ip("-n", near, "link", "add", "near", "type", "veth", "peer", "name", "far", "netns", far)
        for name, link, four, six in ((near, "near", INSIDE, INSIDE6), (far, "far", OUTSIDE, OUTSIDE6)):
            _ip("-n", name, "link", "set", "lo", "up")
            _ip("-n", name, "addr", "add", f"{four}/24", "dev", link)
            _ip("-n", name, "addr", "add", f"{six}/64", "dev", link, "nodad")
            _ip("-n", name, "link", "set", link, "up")
        _ip("-n", near, "route", "add", "default", "via", OUTSIDE, "dev", "near")
        _ip("-n", near, "route", "add", "default", "via", OUTSIDE6, "dev", "near")
        hardware = {name: _hardware(name, link) for name, link in ((near, "near"), (far, "far"))}
        for name, link, other, neighbours in ((near, "near", far, (OUTSIDE, OUTSIDE6)), (far, "far", near, (INSIDE,))):
            for neighbour in neighbours:
                words = ("neigh", "replace", neighbour, "lladdr", hardware[other], "dev", link, "nud", "permanent")
                _ip("-n", name, *words)
        shell = f'mount --bind {resolv} $(readlink -f /etc/resolv.conf) && exec "$@"'
        prefix = ["ip", "netns", "exec", near, "unshare", "--mount", "sh", "-c", shell, "sh"]
        yield Sink(prefix, folder)
