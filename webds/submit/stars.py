"""Stars (1 to 5) of a public submission: the rubric over its episodes. Passes and fails stay the typed judge's."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from webds.errors import Fault, InputFault
from webds.prices import read_usage, total
from webds.runner.judging import GRADED
from webds.runner.rubric import Rubric
from webds.store import Committed, read_try
from webds.submit.agreed import RUBRIC, rubric_stamp
from webds.submit.grading import Replays, tries
from webds.types import Ungraded, Verdict

NO_JUDGE = "the server asked no rubric when it scored this run"
PRIVATE = "a rubric sees the keys, so private runs are given none"
NOT_ASKED = "the rubric could not be asked about this run"
UNSOUND = "the model that a rubric was asked of missed a canary, or was asked none"
NOTHING = "the rubric gave no verdict on any task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stars:
    """`mean` of the `n` tasks that have stars, a task by the mean of its repeats; `ungraded` tasks were asked for too.

    mean None: not measured, and `why` says why to everybody, `detail` to maintainers.
    """

    mean: float | None = None
    n: int = 0
    ungraded: int = 0
    why: str = ""
    detail: str = ""
    model: str = ""
    prompts: str = ""
    rubric: str = ""
    settings: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    """The rubric's own (webds.prices), of the replies that its verdicts rest on; none of it is in the run's."""

    def record(self) -> dict[str, Any]:
        """As the books keep them, with the stamp that figures of agreement are held against."""
        stamp = rubric_stamp(self.model, self.settings) if self.settings else ""
        return {**asdict(self), "stamp": stamp}


def starred(folder: Path, replayed: Replays | None, rubric: Rubric | None) -> Stars:
    """What the rubric says of the unpacked bundle, or of its replay; the typed verdicts lie beside the tries.

    Whatever keeps the rubric from speaking is a reason, never a fault of the submission.
    """
    if rubric is None:
        return Stars(why=NO_JUDGE)
    items = [item for item, crashed in tries(folder, replayed) if not crashed and item.evidence.ending in GRADED]
    if not items:
        return Stars(why=NOTHING, detail="no episode came to an end that a judge decides")
    try:
        rows, done = rubric.judged(folder, items)
    except (InputFault, Fault) as error:
        return Stars(why=NOT_ASKED, detail=str(error))
    usage = total(read_usage(row.get("usage")) for row in rows).record()
    asked = Stars(
        model=done["model"], prompts=done["prompts"], rubric=done["rubric"], settings=done["settings"], usage=usage
    )
    return _summed([read_try(item.folder) for item in items], asked)


def _summed(items: Sequence[Committed], asked: Stars) -> Stars:
    words = [(item.evidence.task, item.verdicts[RUBRIC]) for item in items]
    unsound = next((word for _, word in words if _is_unsound(word)), None)
    if unsound is not None:
        return replace(asked, why=UNSOUND, detail=unsound.why)
    found: dict[str, list[float]] = {task: [] for task, _ in words}
    for task, word in words:
        if isinstance(word, Verdict) and word.stars is not None:
            found[task].append(word.stars)
    means = [fmean(stars) for stars in found.values() if stars]
    if not means:
        return replace(asked, ungraded=len(found), why=NOTHING, detail=words[0][1].why)
    return replace(asked, mean=fmean(means), n=len(means), ungraded=len(found) - len(means))


def _is_unsound(word: Verdict | Ungraded) -> bool:
    """A missed canary, or replies out of a cache that were given without canaries."""
    blamed = isinstance(word, Ungraded) and word.blame == "judge_unsound"
    return blamed or word.judge.version.endswith(" unsound")
