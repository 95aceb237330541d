"""Scripted solution of a fixture task: an agent that tries to get out (exploits 1 and 3 of docs/security.md)."""

from webds.agents.hand import Hand
from webds.ports import Session
from webds.types import Action

ADDRESSES = (
    "file:///etc/hostname", "file:///", "view-source:https://hostile.test/", "view-source:file:///etc/passwd",
    "chrome://version", "chrome://net-export", "data:text/html,<h1>data</h1>", "blob:https://hostile.test/guess",
    "ftp://ftp.foreign.example/", "http://127.0.0.1:8443/", "http://2130706433:8443/", "http://0x7f000001:8443/",
    "http://0177.0.0.1:8443/", "http://[::1]:8443/", "http://localhost:8443/", "http://loopback.foreign.example:8443/",
    "http://169.254.169.254/latest/meta-data/", "https://answers.foreign.example/hostile-ways-out",
)  # fmt: skip
RUNNING = "probes running"


async def solve(session: Session) -> None:
    hand = Hand(session)
    while RUNNING in await hand.look():
        pass
    await session.act(
        Action(name="python", args={"code": "import socket; socket.create_connection(('203.0.113.8', 80), 2)"})
    )
    got = []
    for address in ADDRESSES:
        then = await session.act(Action(name="goto", args={"url": address}))
        if not then.refused and "not part of the frozen web" not in then.text:
            got.append(address)
    await hand.submit(", ".join(got) or "none")
