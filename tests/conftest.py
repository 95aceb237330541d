"""For every test: the network ends at loopback, and `root` is the checkout."""

import ipaddress
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent


# A busy machine is slow at drawing examples too; that says nothing about the code under test.
settings.register_profile("webds", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("webds")

# A test says itself whether it is in CI (webds is stricter there): the suite means the same wherever it is run.
os.environ.pop("CI", None)


class OutsideNetwork(RuntimeError):
    """A test reached for the network. Not an OSError: no code under test may take it for a site that is down."""


def is_loopback(host: object) -> bool:
    """Whether a host, by name or address, is this machine alone. None and "" are, the caller binds or connects here."""
    if isinstance(host, bytes | bytearray):
        host = host.decode("ascii", "replace")
    if host is None or host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


def _guard(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: it also sees asyncio and C callers of the socket module, which a patched method would not."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        peer, address = arguments
        inet = getattr(peer, "family", None) in (socket.AF_INET, socket.AF_INET6)
        if inet and isinstance(address, tuple) and not is_loopback(address[0]):
            raise OutsideNetwork(f"tests may use loopback only, not {address[0]} port {address[1]}")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname") and not is_loopback(arguments[0]):
        raise OutsideNetwork(f"tests may use loopback only, not the name {arguments[0]!r}")


sys.addaudithook(_guard)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout that the tests lie in."""
    return ROOT
