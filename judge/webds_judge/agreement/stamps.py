"""What the judges of some runs were when they spoke, so that figures of agreement can be held against another's words.

A stamp of `tier1` has `version` and `settings`, the hash of rules and key by task; one of `rubric` is a calibration's.
Both count the `words` that they stand for. A judge whose words come from several versions has `unfit`, a reason.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from webds.errors import InputFault
from webds.store import RunFolder, read_json
from webds.types import JudgeStamp, Verdict
from webds_judge import grade
from webds_judge.agreement.labels import Item, Row
from webds_judge.rubric import standing, table
from webds_judge.rubric.criteria import rubric_hash
from webds_judge.rubric.prompting import prompt_hash


def of(rows: Sequence[Row], runs: Sequence[RunFolder]) -> dict[str, Any]:
    """{rubric: of people's labels, stamps: by judge}, for the tries that people labelled."""
    labelled = {row.item for row in rows if row.person and row.counts}
    rubrics = sorted({row.rubric for row in rows if row.person})
    return {"rubric": rubrics[0] if len(rubrics) == 1 else "", "stamps": _stamps(runs, labelled)}


def rubric(run: RunFolder) -> dict[str, Any]:
    """{model, prompts, rubric, settings} of the rubric's verdicts. InputFault: there are none, or they are old."""
    path = run.path / "rubric.json"
    if not path.is_file():
        raise InputFault(f"{run.path}: no verdicts of the rubric here; first: webds judge run {run.path}")
    asked = table.read(read_json(path)["table"])
    words = [item.verdicts[standing.NAME] for item in run.committed() if standing.NAME in item.verdicts]
    found = sorted({word.judge.settings for word in words if isinstance(word, Verdict)})
    if found != [asked.stamp]:
        raise InputFault(
            f"{run.path}: stale: its verdicts are of settings {', '.join(name[:12] for name in found) or 'none'}, "
            f"today's model, prompts and rubric are {asked.stamp[:12]}; judge it again: webds judge run {run.path}"
        )
    unsound = any(word.judge.version.endswith("unsound") for word in words)
    return {
        "model": asked.endpoint.model, "prompts": prompt_hash(), "rubric": rubric_hash(), "settings": asked.stamp,
        **({"unsound": True} if unsound else {}),
    }  # fmt: skip


def shared(found: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The one stamp of several runs. InputFault: they differ."""
    if any(one != found[0] for one in found):
        raise InputFault("the runs were judged by different models, prompts or rubrics; calibrate one at a time")
    return found[0]


def _stamps(runs: Sequence[RunFolder], labelled: Set[Item]) -> dict[str, Any]:
    words: dict[str, list[tuple[str, JudgeStamp]]] = {}
    for run in runs:
        for item in run.committed():
            task = item.evidence.task
            name = (str(run.head["id"]), f"{task}~{item.evidence.repeat}", item.evidence.digests.get("trajectory", ""))
            for word in item.verdicts.values() if name in labelled else ():
                words.setdefault(word.judge.name, []).append((task, word.judge))
    found: dict[str, Any] = {}
    if grade.NAME in words:
        found[grade.NAME] = {**_typed(words[grade.NAME]), "words": len(words[grade.NAME])}
    if standing.NAME in words:
        found[standing.NAME] = {**_rubric(runs), "words": len(words[standing.NAME])}
    return found


def _typed(words: Iterable[tuple[str, JudgeStamp]]) -> Mapping[str, Any]:
    settings: dict[str, str] = {}
    versions = set()
    for task, stamp in words:
        versions.add(stamp.version)
        if settings.setdefault(task, stamp.settings) != stamp.settings:
            return {"unfit": f"task {task}: its words were made under different keys or rules"}
    if len(versions) > 1:
        return {"unfit": f"its words were made by versions {' and '.join(sorted(versions))}"}
    return {"version": versions.pop(), "settings": dict(sorted(settings.items()))}


def _rubric(runs: Sequence[RunFolder]) -> Mapping[str, Any]:
    try:
        return shared([rubric(run) for run in runs])
    except InputFault as error:
        return {"unfit": str(error)}
