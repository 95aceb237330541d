"""A calibration: how well one judge model agrees with people, stamped with what it holds for, and its use on a run.

The stamp names model, prompts and rubric by hash. A calibration with another stamp than a run's verdicts is stale, and
is refused: a changed prompt is a changed judge.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from webds.errors import InputFault
from webds.stats import Share
from webds.store import RunFolder, read_json, write_json
from webds.types import Verdict
from webds_judge.agreement import figures, labels, stamps
from webds_judge.agreement.corrected import Accuracy, Corrected, corrected
from webds_judge.agreement.labels import Row
from webds_judge.rubric.standing import NAME

FORMAT = 1
ENOUGH = 200
"""Labelled tries that a calibration should rest on: 93 % of 100 is 86 to 97 %, of 200 it is 89 to 96 %."""
KAPPA, KAPPA_LOW = 0.70, 0.60
"""The bar: kappa against people, and the lower end of its interval. Set before any label was made."""


def made(rows: Sequence[Row], runs: Sequence[RunFolder]) -> dict[str, Any]:
    """The calibration as JSON. InputFault: labels of another rubric or try, runs judged by different settings."""
    first = stamps.shared([stamps.rubric(run) for run in runs])
    other = sorted({row.rubric for row in rows if row.person} - {first["rubric"]})
    if other:
        raise InputFault(
            f"stale labels: made by rubric {other[0][:12]}, the judge's is {first['rubric'][:12]}; label anew"
        )
    judged = [row for run in runs for row in labels.of_run(run)]
    tries = {row.item for row in judged}
    for row in rows:
        if row.person and row.item not in tries:
            raise InputFault(f"a label of {row.rater} is for {row.episode} of run {row.run}, trajectory "
                             f"{row.trajectory[:12]}: no such try in the runs given")  # fmt: skip
    found = figures.report([*(row for row in rows if row.person), *judged])
    kept = {"format": FORMAT, "stamp": first, "warnings": _warnings(found), "figures": found}
    return {**kept, **stamps.of(rows, runs)}


def _warnings(found: Mapping[str, Any]) -> list[str]:
    judge = found["judges"][NAME]
    kappa, low = judge["kappa"]["value"], judge["kappa"]["low"]
    words = []
    if judge["n"] < ENOUGH:
        words.append(f"{judge['n']} settled tries; {ENOUGH} or more are needed for a calibration that says much")
    if kappa is None or kappa < KAPPA or low is None or low < KAPPA_LOW:
        words.append(f"kappa against people is below the bar of {KAPPA:.2f} with a lower end of {KAPPA_LOW:.2f}")
    if judge["corrected"] is None:
        words.append("the judge is not better than chance on these labels: no success rate can be corrected by it")
    thin = [
        tier for tier, counts in judge["confusion"].items() if not any(map(any, (r.values() for r in counts.values())))
    ]
    return [*words, *(f"no labelled try of tier {tier}" for tier in thin)]


def applied(path: Path, run: RunFolder) -> Corrected | None:
    """The run's success rate corrected by a calibration. InputFault: no calibration, or a stale one."""
    kept = read_json(path)
    if not isinstance(kept, dict) or kept.get("format") != FORMAT:
        raise InputFault(f"{path}: no calibration of format {FORMAT}")
    refuse_stale(path, kept["stamp"], stamps.rubric(run))
    words = [item.verdicts.get(NAME) for item in run.committed()]
    passes = sum(isinstance(word, Verdict) and word.passed is True for word in words)
    judge = kept["figures"]["judges"][NAME]
    accuracy = Accuracy(*(Share(judge[name]["passes"], judge[name]["n"]) for name in ("sensitivity", "specificity")))
    return corrected(Share(passes, len(words)), accuracy)


def refuse_stale(path: Path, kept: Mapping[str, Any], today: Mapping[str, Any]) -> None:
    """InputFault names what changed since the calibration was made."""
    changed = [name for name in ("model", "prompts", "rubric", "settings") if kept.get(name) != today[name]]
    if changed:
        ours, theirs = str(kept.get(changed[0]))[:12], str(today[changed[0]])[:12]
        raise InputFault(
            f"{path}: stale: field {changed[0]}: {ours!r}, the run was judged by {theirs!r}; calibrate again"
        )


def write(folder: Path, found: Mapping[str, Any], html: str) -> tuple[Path, Path]:
    """calibration.json and calibration.html in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = (folder / "calibration.json", folder / "calibration.html")
    write_json(paths[0], found)
    paths[1].write_text(html, encoding="utf-8")
    return paths
