"""Agent `llm`: look, ask the model, act, until it submits or its profile or budget ends it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webds.agents.llm import reading, views
from webds.agents.llm.memory import KEEP, PLANNING, Memory
from webds.agents.llm.profiles import PROFILES, Profile
from webds.agents.llm.prompting import prompt
from webds.errors import AgentFault, InputFault, LimitReached
from webds.models import probe, settings
from webds.models.client import Model
from webds.models.replies import Reply
from webds.ports import Session
from webds.types import Action, Observation, Params

_WHERE = "agents.llm"


class Llm:
    """webds.ports.Agent. config: an endpoint (docs/models.md), `profile`, `images`; `blobs` from the worker."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._profile = profile_of(config)
        self._model = Model(settings.read(config, _WHERE), _WHERE)
        self._images = bool(config.get("images", self._profile.images))
        self._blobs = Path(str(config.get("blobs", "")))

    async def solve(self, session: Session) -> None:
        """One action a call. AgentFault where the model gives no usable action; LimitReached by the profile's steps."""
        turn = _Episode(self._profile, session)
        dialect = self._profile.dialect or await probe.dialect(self._model)
        now = await session.observe()
        while not turn.over:
            reply = await self._ask(turn, now, dialect)
            now = await turn.take(reading.read(reply, turn.actions), now)

    async def _ask(self, turn: "_Episode", now: Observation, dialect: str) -> Reply:
        values = {**turn.values(now), "dialect": dialect}
        messages = prompt(self._profile.prompt).messages(values, self._image(now))
        if dialect == "tools":
            return await self._model.ask(messages, tools=reading.as_tools(turn.actions), tool_choice="required")
        if dialect == "schema":
            shown = views.ids_of(values["page"]) if self._profile.picks else []
            return await self._model.ask(messages, response_format=reading.as_schema(turn.actions, shown))
        return await self._model.ask(messages)

    def _image(self, now: Observation) -> bytes | None:
        file = self._blobs / now.image[:2] / now.image
        return file.read_bytes() if self._images and now.image and file.is_file() else None


class _Episode:
    """One episode's memory, and what its profile allows."""

    def __init__(self, profile: Profile, session: Session) -> None:
        self.over = False
        self._profile = profile
        self._session = session
        self._memory = Memory(session.task.prompt, profile.recent)
        self._pruner = views.Pruner()
        self._steps = 0
        self._mistakes = 0
        self._complaint = ""
        self._shown: tuple[Observation, str] | None = None
        offered = [item for item in session.actions if not profile.actions or item["name"] in profile.actions]
        self.actions = [*map(_keeping, offered), *PLANNING] if profile.plans else offered

    def values(self, now: Observation) -> dict[str, Any]:
        """What the prompt's template needs."""
        return {
            "task": self._session.task.prompt,
            "actions": self.actions,
            "steps": self._memory.lines(),
            "notes": self._memory.notes,
            "plans": self._memory.plans(),
            "refused": now.refused,
            "page": self._page(now),
            "complaint": self._complaint,
            "left": self._left(),
        }

    def _page(self, now: Observation) -> str:
        """The observation as shown; asked again after an unusable reply, it stays as it was."""
        if self._shown is None or self._shown[0] is not now:
            text = self._pruner.prune(now.text) if self._profile.view == "pruned" else now.text
            self._shown = (now, views.cut(text, self._profile.chars))
        return self._shown[1]

    def _left(self) -> int:
        limits = [limit for limit in (self._profile.steps, self._session.task.budget.steps) if limit]
        return max(0, min(limits) - self._steps) if limits else 0

    async def take(self, said: Action | reading.Unusable, now: Observation) -> Observation:
        """Act on what the model said; the observation after it."""
        if isinstance(said, reading.Unusable):
            self._unusable(said)
            return now
        self._complaint, self._mistakes = "", 0
        if self._profile.plans and said.name in ("branch", "prune", "note"):
            self._complaint = self._memory.plan(said)
            self._count()
            return now
        return await self._act(said, now)

    def _unusable(self, said: reading.Unusable) -> None:
        self._complaint = f"Your last reply could not be used: {said.why}"
        self._mistakes += 1
        if self._mistakes < self._profile.mistakes:
            return
        if said.refused or self._profile.repeats:
            self.over = True  # it does not want to go on, or its scaffold stops here: left without submit
            return
        raise AgentFault(f"{self._mistakes} replies in a row without a usable action: {said.why}", "model")

    async def _act(self, said: Action, now: Observation) -> Observation:
        keep = said.args.get("keep")
        action = Action(name=said.name, args={k: v for k, v in said.args.items() if k != "keep"})
        if self._profile.repeats and self._memory.repeated(action) + 1 >= self._profile.repeats:
            self.over = True
            return now
        self._count()
        then = await self._session.act(action)
        self.over = action.name == "submit" and not then.refused
        kept = views.lines_of(now.text, [str(item) for item in keep]) if isinstance(keep, list | tuple) else []
        self._memory.add(action, then, kept[:20])
        return then

    def _count(self) -> None:
        if self._profile.steps and self._steps >= self._profile.steps:
            raise LimitReached("steps")
        self._steps += 1


def _keeping(action: Params) -> Params:
    """The action with the argument `keep` beside its own."""
    parameters = action["parameters"]
    assert isinstance(parameters, Mapping)
    own = parameters.get("properties")
    assert isinstance(own, Mapping)
    return {**action, "parameters": {**parameters, "properties": {**own, "keep": KEEP}}}


def profile_of(config: Mapping[str, Any]) -> Profile:
    """The profile that the config names."""
    name = str(config.get("profile", "default"))
    if name not in PROFILES:
        raise InputFault(f"{_WHERE}: field profile: {name!r}; known: {', '.join(PROFILES)}")
    return PROFILES[name]


def declares(config: Mapping[str, Any]) -> dict[str, Any]:
    """What run.json says of this agent."""
    profile, endpoint = profile_of(config), settings.read(config, _WHERE)
    return {
        **settings.declared(endpoint),
        "profile": profile.name,
        "prompt": prompt(profile.prompt).stamp,
        "observation": [profile.view, *(["image"] if config.get("images", profile.images) else [])],
        "observation_chars": profile.chars,
        **({"actions": list(profile.actions)} if profile.actions else {}),
        **({"cassette": "replayed"} if endpoint.replay else {}),
    }


def make(config: Mapping[str, Any]) -> Llm:
    """Entry point webds.agents: llm."""
    return Llm(config)
