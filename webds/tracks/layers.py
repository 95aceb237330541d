"""The four layers that keep a frozen web closed (docs/isolation.md), as run.json and `webds doctor` name them."""

from collections.abc import Mapping

LAYERS: Mapping[str, str] = {
    "browser": "flags: no QUIC, no WebRTC round the proxy, no prefetch, no pings, no calls of its maker",
    "proxy": "answers for the sites' hosts alone and opens no connection to any other",
    "kernel": "a network of its own that holds only `lo`",
    "policy": "a policy file: nothing but http and https is opened",
}
"""Layer -> what it does."""


def in_force(isolation: str, sandbox: str) -> dict[str, str]:
    """Layer -> `on`, or for the last two what gives it, or `missing`.

    isolation: `namespace`, `container` or `none`. sandbox: webds.jail's mechanism, which mounts the policy file where
    the browser is no container of its own.
    """
    contained = isolation == "container"
    return {
        "browser": "on",
        "proxy": "on",
        "kernel": "missing" if isolation == "none" else isolation,
        "policy": "container" if contained else "missing" if sandbox == "none" else sandbox,
    }


def missing(layers: Mapping[str, str]) -> list[str]:
    """The layers that are not in force, in order."""
    return [name for name in LAYERS if layers[name] == "missing"]
