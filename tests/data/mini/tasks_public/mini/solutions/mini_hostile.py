"""Scripted solution of a fixture task: opens, downloads and hands in what is hostile."""

from webds.agents.hand import Hand, find
from webds.ports import Session
from webds.types import Action


async def solve(session: Session) -> None:
    hand = Hand(session)
    text = await hand.look()
    await session.act(
        Action(name="goto", args={"url": "https://elsewhere.example/page?<script>window.owned=1</script>"})
    )
    await session.act(Action(name="goto", args={"url": "file:///etc/hostname"}))
    await hand.goto("https://mini.test/hostile")
    assert find(text, "link", "Evil name")
    name = await hand.download("link", "Evil name")
    await hand.submit("<script>window.owned=1</script>", [name])
