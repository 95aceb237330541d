"""How the agent `llm` shows the page, remembers and stops: a table a scaffold, so that they compare on equal terms."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """`chars` cut an observation; `recent` results stand in the history whole; 0 steps: the task's budget alone."""

    name: str
    prompt: str
    view: str = "outline"
    """outline: as the environment gives it; pruned: parts that were shown before are folded."""
    chars: int = 24_000
    recent: int = 3
    images: bool = False
    steps: int = 0
    mistakes: int = 5
    """Replies in a row without a usable action before the agent stops."""
    repeats: int = 0
    """The same action this often in a row stops the agent; 0: it may."""
    plans: bool = False
    """branch, prune and note beside the environment's actions; each action may name what to keep of the page."""
    actions: tuple[str, ...] = ()
    """Offered actions; empty: all of the environment's."""
    dialect: str = ""
    picks: bool = False
    """The schema admits only ids that the page shows: a small model writes a link's name as its id otherwise."""


PROFILES = {
    item.name: item
    for item in (
        Profile(name="default", prompt="default"),
        # After WebArena's agent (arXiv 2307.13854): only the last action remembered in full, early stops. It sees our
        # outline, not Chromium's accessibility tree (docs/decisions/0017).
        Profile(name="webarena", prompt="webarena", chars=16_000, recent=1, steps=30, mistakes=3, repeats=3),
        # AgentOccam (arXiv 2410.13825): pruned observations, pivotal lines as history, planning actions, 20 steps.
        Profile(name="occam", prompt="occam", view="pruned", chars=16_000, recent=1, steps=20, plans=True),
        Profile(
            name="small",
            prompt="small",
            chars=4_000,
            recent=1,
            mistakes=3,
            dialect="schema",
            picks=True,
            actions=("click", "goto", "find", "download", "sql", "submit"),
        ),
    )
}
"""WebDS runs its agents on the scaffolds of WebArena and AgentOccam (paper, section Experiments)."""
