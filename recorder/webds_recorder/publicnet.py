"""Names to addresses on the live web: only public ones, or those of a table that stands for the whole net in tests.

The proxy runs on `GuardedLoop`, whose own name resolution is the guard: a name that points into a private network has
no address here, whenever it is asked, so that an answer that changes between look-up and connect changes nothing.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Mapping
from typing import Any

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_ALSO = (ipaddress.ip_network("100.64.0.0/10"), ipaddress.ip_network("192.0.0.0/24"))
"""Shared and protocol addresses, parts of which `is_global` lets pass."""


class NotPublic(OSError):
    """The name or address lies in a private network, on this machine, or nowhere."""


class NoSuchName(OSError):
    """The name has no address: the site's fault."""


class NoResolver(OSError):
    """No name server answers: this machine's fault."""


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet. IPv4 inside IPv6 is judged as the IPv4 that it is."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    elif any(found in network for network in _ALSO):
        return False
    return found.is_global and not found.is_multicast and not found.is_reserved


class Resolver:
    """Addresses by name. `table`: name -> "127.0.0.2:8443"; where it is given, no other name exists."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self.table = {name.lower(): _place(place) for name, place in table.items()}

    def literal(self, host: str) -> None:
        """NotPublic where `host` is written as an address that may not be reached."""
        try:
            ipaddress.ip_address(host.partition("%")[0])
        except ValueError:
            return
        if self.table or not is_public(host):
            raise NotPublic(f"{host} is not an address of the public web")

    async def look_up(self, host: str, port: int, ask: Callable[..., Any], **how: Any) -> list[Any]:
        """getaddrinfo's rows with private addresses left out; `ask` is the loop's own getaddrinfo."""
        self.literal(host)
        if self.table:
            place = self.table.get(host.lower().rstrip("."))
            if place is None:
                raise NoSuchName(f"{host}: not in the test resolver's table")
            return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", place)]
        try:
            rows = await ask(host, port, **how)
        except socket.gaierror as error:
            kind = NoResolver if error.errno == socket.EAI_AGAIN else NoSuchName
            raise kind(f"{host}: {error.strerror}") from error
        public = [row for row in rows if is_public(str(row[4][0]))]
        if not public:
            raise NotPublic(f"{host} is not on the public web")
        return public


class GuardedLoop(asyncio.SelectorEventLoop):
    """The proxy's event loop: whatever it connects to by name goes through the resolver."""

    resolver = Resolver({})
    bound: frozenset[str] = frozenset({"127.0.0.1"})
    """Addresses that this process itself listens on."""

    async def getaddrinfo(self, host: Any, port: Any, **how: Any) -> Any:
        """As the loop's own, guarded. None and this process's own addresses are for listeners."""
        ask = super().getaddrinfo
        if host is None or host in self.bound:
            return await ask(host, port, **how)
        name = host.decode() if isinstance(host, bytes) else str(host)
        return await self.resolver.look_up(name, int(port or 0), ask, **how)


def _place(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return (host, int(port))
