"""How often one client may ask: a token bucket a client and kind of request, in a bounded table."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

_CLIENTS = 20_000
"""Buckets kept; the one that was used longest ago goes first, and it is full again by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """`burst` requests at once, and `second` more each second."""

    burst: float
    second: float


class Buckets:
    """The buckets of all clients. `clock` gives seconds that only go forward."""

    def __init__(self, clock: Callable[[], float], most: int = _CLIENTS) -> None:
        self._clock = clock
        self._most = most
        self._left: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def take(self, client: str, kind: str, rate: Rate) -> float:
        """0 where the request may go on, else the seconds until it may be made again."""
        now = self._clock()
        left, since = self._left.pop((client, kind), (rate.burst, now))
        left = min(rate.burst, left + (now - since) * rate.second)
        wait = 0.0 if left >= 1 else (1 - left) / rate.second
        self._left[(client, kind)] = (left if wait else left - 1, now)
        if len(self._left) > self._most:
            self._left.popitem(last=False)
        return wait


def client_name(address: str) -> str:
    """Who counts as one client: an IPv4 address, or the /64 network of an IPv6 one, which is a household's."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    return str(found) if found.version == 4 else str(ip_network((found, 64), strict=False))
