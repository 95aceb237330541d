"""All that an agent holds for one episode. The agent drives, the session records; it owns budget and trajectory."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from webds.clock import awake, limit
from webds.errors import InfraFault, LimitReached, PortClosed, WebdsError, blame
from webds.meter import Meter
from webds.ports import Environment, Recorder
from webds.types import Action, Json, Observation, Params, Step, Task

ANSWER_CHARS = 1_000_000
"""A longer answer is kept whole as a blob, and its first million characters are what a judge reads."""

SUBMIT: Params = {
    "name": "submit",
    "description": "Hand in the answer and end the episode. Name files of the work folder that belong to it. "
    "If the task cannot be done, say why in `unachievable`, naming what is missing.",
    "parameters": {
        "type": "object",
        "properties": {
            "answer": {"type": "string"},
            "files": {"type": "array", "items": {"type": "string"}},
            "unachievable": {"type": "string"},
        },
        "required": ("answer",),
        "additionalProperties": False,
    },
}


class Submission:
    """What the agent handed in."""

    def __init__(self, answer: str, files: tuple[str, ...], unachievable: str, whole: str) -> None:
        self.answer = answer
        self.files = files
        self.unachievable = unachievable
        self.whole = whole


class EpisodeSession:
    """webds.ports.Session. Agents see `face()`, which has the protocol's names and no way back to this object."""

    def __init__(
        self,
        task: Task,
        environment: Environment,
        recorder: Recorder,
        clock: Callable[[], float],
        act_seconds: float | None = None,
        meter: Meter | None = None,
    ) -> None:
        """`act_seconds`: what one act or look of the environment may take before it counts as broken (InfraFault)."""
        self.task = task
        self.actions: tuple[Params, ...] = (*environment.actions, SUBMIT)
        self.endpoint = environment.endpoint
        self.submission: Submission | None = None
        self.failure: WebdsError | None = None
        self.steps = 0
        self._environment = environment
        self._recorder = recorder
        self._clock = clock
        self._act_seconds = act_seconds
        self._meter = meter or Meter(task.budget)
        self._begun = clock()
        self._saw: Observation | None = None
        self._closed = False

    async def observe(self) -> Observation:
        """What is there now. Costs no step."""
        self._check()
        with self._fault("observe"):
            self._saw = await self._answered(self._environment.observe())
        return self._saw

    async def act(self, action: Action) -> Observation:
        """Carry out one action and record the triplet. A refused action is an observation with `refused` set."""
        self._check()
        if action.name == "submit":
            return await self._submit_args(action)
        return await self._step(action, "session")

    async def acted(self, action: Action) -> Observation:
        """Record what the agent did with its own hands; the session takes the observation itself."""
        self._check()
        return await self._step(action, "agent")

    async def submit(self, answer: str, files: Iterable[str] = (), unachievable: str = "") -> None:
        """Hand in and end. Over ANSWER_CHARS the answer is cut for the judge and kept whole as a blob."""
        self._check(count=False)
        names = tuple(files)
        whole = ""
        if len(answer) > ANSWER_CHARS:
            whole = self._recorder.blob(answer.encode("utf-8", "surrogatepass"))
            answer = answer[:ANSWER_CHARS]
        self.submission = Submission(answer, names, unachievable, whole)
        args: dict[str, Json] = {"answer": answer, "files": names, "unachievable": unachievable}
        saw = self._saw or Observation()
        self._record(saw, Action(name="submit", args=args), Observation(text="submitted"), "session", self._clock())
        self._closed = True

    def close(self) -> None:
        """No call is taken from here on."""
        self._closed = True

    async def _submit_args(self, action: Action) -> Observation:
        args = action.args
        files = args.get("files") or ()
        if not isinstance(args.get("answer", ""), str) or not isinstance(files, list | tuple):
            return Observation(refused="submit wants answer as a text and files as a list of names")
        unachievable = str(args.get("unachievable") or "")
        await self.submit(str(args.get("answer", "")), [str(name) for name in files], unachievable)
        return Observation(text="submitted")

    async def _step(self, action: Action, by: str) -> Observation:
        saw = self._saw if self._saw is not None else await self.observe()
        started = self._clock()
        with self._fault(f"action {action.name}"):
            act = self._environment.observe() if by == "agent" else self._environment.act(action)
            then = await self._answered(act)
        self._record(saw, action, then, by, started)
        return then

    async def _answered(self, act: Awaitable[Observation]) -> Observation:
        """A browser that does not answer at all (stopped, swapped out) is broken."""
        try:
            async with limit(self._act_seconds) as clock:
                return await act
        except TimeoutError as error:
            if not clock.expired():
                raise
            raise InfraFault(f"the environment did not answer within {self._act_seconds:g} s") from error

    def _record(self, saw: Observation, did: Action, then: Observation, by: str, started: float) -> None:
        step = Step(index=self.steps, saw=saw, did=did, then=then, by=by, prev=self._recorder.close())
        with self._fault("record"):
            self._recorder.append(step, datetime.now(UTC).isoformat(), self._clock() - started, self._meter.take())
        self.steps += 1
        self._saw = then

    def _check(self, *, count: bool = True) -> None:
        if self.failure is not None:
            raise self.failure
        if self._closed:
            raise PortClosed("the episode has ended")
        budget = self.task.budget
        if count and budget.steps and self.steps >= budget.steps:
            self._fail(LimitReached("steps"))
        if budget.seconds and self._clock() - self._begun >= budget.seconds:
            self._fail(LimitReached("seconds"))
        if self._meter.failure is not None:  # an agent may have swallowed what its model call raised
            self._fail(self._meter.failure)

    def _fail(self, error: WebdsError) -> None:
        self.failure = error
        raise error

    def _fault(self, where: str) -> Any:
        return _Remembering(self, where)


class _Remembering:
    """Attributes an error to the infrastructure and keeps it: an agent that swallows it cannot hide it."""

    def __init__(self, session: EpisodeSession, where: str) -> None:
        self._session = session
        self._blame = blame(InfraFault, where)

    def __enter__(self) -> None:
        self._blame.__enter__()

    def __exit__(self, *details: Any) -> bool | None:
        try:
            return self._blame.__exit__(*details)
        except WebdsError as error:
            self._session.failure = error
            raise


class Face:
    """What an agent gets: the protocol's names, bound to a session it cannot reach by name."""

    __slots__ = ("act", "acted", "actions", "endpoint", "observe", "submit", "task")

    def __init__(self, session: EpisodeSession) -> None:
        self.task = session.task
        self.actions = session.actions
        self.endpoint = session.endpoint
        self.observe = session.observe
        self.act = session.act
        self.acted = session.acted
        self.submit = session.submit


def monotonic() -> float:
    """The clock of budgets: seconds awake, never set back."""
    return awake()
