"""All figures of agreement over labelled tries, as one JSON value: people with each other, judges with people."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from webds.stats import Share, mcnemar
from webds_judge.agreement import coefficients
from webds_judge.agreement.corrected import Accuracy, corrected
from webds_judge.agreement.labels import LABELS, Case, Row, cases
from webds_judge.agreement.resampling import estimate
from webds_judge.rubric.criteria import TIERS

type Said = tuple[str, float | None]
"""A label and its stars."""


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Everything `webds judge agreement` prints."""
    found = cases(rows)
    judges = sorted({row.rater for row in rows if not row.person})
    truths = Counter(case.truth or "open" for case in found if case.people or case.settled)
    return {
        "labels": len(rows),
        "tries": len(found),
        "sites": len({case.site for case in found}),
        "raters": {name: _rater(said) for name, said in _by_rater(rows).items()},
        "truth": {name: truths[name] for name in (*LABELS, "open")},
        "people": people(found),
        "judges": {name: judge(found, name) for name in judges},
        "mcnemar": [_mcnemar(found, first, second) for first, second in combinations(judges, 2)],
        "disagreements": [_disagreement(case) for case in found if _differ(case)],
        "repeats": _repeats(rows),
        "training": _training(rows),
    }


def _by_rater(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.role == "label":
            found.setdefault(row.rater, []).append(row)
    return dict(sorted(found.items()))


def _rater(rows: Sequence[Row]) -> dict[str, Any]:
    counts: Counter[str] = Counter(row.label for row in rows)
    prevalence = Share(counts["pass"], counts["pass"] + counts["fail"])
    seconds = sum(row.seconds for row in rows)
    return {"n": len(rows), **{name: counts[name] for name in LABELS}, "prevalence": prevalence.plain()} | (
        {"seconds": seconds} if seconds else {}
    )


def people(found: Sequence[Case]) -> dict[str, Any]:
    """Agreement of people: all their pairs together, the first by alias first; alpha over all words of a try."""
    pairs = {
        id(case): [(_said(a), _said(b)) for a, b in combinations(case.people, 2)] for case in found
    }  # fmt: skip
    names = sorted({row.rater for case in found for row in case.people})
    twos = [(a, b, [case for case in found if a in case.words and b in case.words]) for a, b in combinations(names, 2)]
    return {
        **pairwise(found, lambda case: pairs[id(case)]),
        "alpha": estimate(_sited(found, _words), coefficients.alpha).plain(),
        "stars_alpha": estimate(_sited(found, _stars), lambda units: coefficients.alpha(units, ordinal=True)).plain(),
        "pairs": [
            {"raters": [a, b], **pairwise(shared, partial(_of_two, first=a, second=b))}
            for a, b, shared in twos
            if shared
        ],
    }


def _of_two(case: Case, first: str, second: str) -> list[tuple[Said, Said]]:
    return [(_said(case.words[first]), _said(case.words[second]))]


def _said(row: Row) -> Said:
    return row.label, row.stars


def _words(case: Case) -> list[list[str | float]]:
    return [[row.label for row in case.people]] if len(case.people) > 1 else []


def _stars(case: Case) -> list[list[str | float]]:
    given: list[str | float] = [row.stars for row in case.people if row.stars is not None]
    return [given] if len(given) > 1 else []


def _sited[T](found: Iterable[Case], values: Callable[[Case], Iterable[T]]) -> dict[str, list[T]]:
    by_site: dict[str, list[T]] = {}
    for case in found:
        by_site.setdefault(case.site, []).extend(values(case))
    return by_site


def pairwise(found: Sequence[Case], pairs_of: Callable[[Case], Sequence[tuple[Said, Said]]]) -> dict[str, Any]:
    """Figures of pairs of words; the confusion by tier has the first word down, the second across."""
    labels = _sited(found, lambda case: [(a[0], b[0]) for a, b in pairs_of(case)])
    scores = _sited(found, lambda case: [(a[1], b[1]) for a, b in pairs_of(case) if None not in (a[1], b[1])])
    every = [pair for pairs in labels.values() for pair in pairs]
    words = [word for pair in every for word in pair]
    return {
        "n": len(every),
        "prevalence": Share(words.count("pass"), len(words)).plain(),
        "unsure": words.count("unsure"),
        "percent": Share(sum(a == b for a, b in every), len(every)).plain(),
        "percent_by_site": estimate(labels, coefficients.share).plain(),
        "kappa": estimate(labels, coefficients.kappa).plain(),
        "ac1": estimate(labels, coefficients.ac1).plain(),
        "stars": _starred(scores),
        "confusion": {tier: _confusion([c for c in found if c.tier == tier], pairs_of) for tier in TIERS},
    }


def _starred(scores: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    every = [pair for pairs in scores.values() for pair in pairs]
    return {
        "n": len(every),
        "exact": Share(sum(a == b for a, b in every), len(every)).plain(),
        "within_one": Share(sum(abs(a - b) <= 1 for a, b in every), len(every)).plain(),
        "kappa_quadratic": estimate(scores, coefficients.weighted_kappa).plain(),
    }


def _confusion(
    found: Sequence[Case], pairs_of: Callable[[Case], Sequence[tuple[Said, Said]]]
) -> dict[str, dict[str, int]]:
    pairs = [(a[0], b[0]) for case in found for a, b in pairs_of(case)]
    counts = coefficients.table(pairs, LABELS)
    return {
        down: {across: int(counts[i, j]) for j, across in enumerate(LABELS)} for i, down in enumerate(LABELS)
    }  # fmt: skip


def judge(found: Sequence[Case], name: str) -> dict[str, Any]:
    """One judge against people's settled word. Tries without one count in `apparent`; `open`: unsettled."""
    judged = [case for case in found if name in case.words]
    known = [case for case in judged if case.truth in ("pass", "fail")]
    accuracy = accuracy_of(known, name)
    apparent = Share(sum(case.words[name].label == "pass" for case in judged), len(judged))
    rate = corrected(apparent, accuracy)
    units = _sited(known, lambda case: [[str(case.truth), case.words[name].label]])
    starred = _sited(known, lambda case: _star_unit(case, name))
    precision = [case.truth == "pass" for case in known if case.words[name].label == "pass"]
    return {
        **pairwise(known, lambda case: [((str(case.truth), case.stars), _said(case.words[name]))]),
        "alpha": estimate(units, coefficients.alpha).plain(),
        "stars_alpha": estimate(starred, lambda units: coefficients.alpha(units, ordinal=True)).plain(),
        "open": sum((case.people != [] or case.settled is not None) and case not in known for case in judged),
        "sensitivity": accuracy.sensitivity.plain(),
        "specificity": accuracy.specificity.plain(),
        "precision": Share(sum(precision), len(precision)).plain(),
        "apparent": apparent.plain(),
        "corrected": rate.plain() if rate else None,
    }


def _star_unit(case: Case, name: str) -> list[list[float]]:
    stars = case.words[name].stars
    return [[case.stars, stars]] if case.stars is not None and stars is not None else []


def accuracy_of(known: Sequence[Case], name: str) -> Accuracy:
    """The judge's passes of people's passes, and what it did not pass of their fails; an unsure word is no pass."""
    passes = [case.words[name].label == "pass" for case in known if case.truth == "pass"]
    fails = [case.words[name].label != "pass" for case in known if case.truth == "fail"]
    return Accuracy(Share(sum(passes), len(passes)), Share(sum(fails), len(fails)))


def _mcnemar(found: Sequence[Case], first: str, second: str) -> dict[str, Any]:
    """Which of two judges is right more often, over tries where people are settled; and which passes more."""
    both = [case for case in found if first in case.words and second in case.words]
    known = [case for case in both if case.truth in ("pass", "fail")]
    right = [(case.words[first].label == case.truth, case.words[second].label == case.truth) for case in known]
    passed = [(case.words[first].label == "pass", case.words[second].label == "pass") for case in both]
    return {"judges": [first, second], "right": _discordant(right), "passed": _discordant(passed)}


def _discordant(pairs: Sequence[tuple[bool, bool]]) -> dict[str, Any]:
    only_first, only_second = sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)
    return {
        "n": len(pairs), "only_first": only_first, "only_second": only_second, "p": mcnemar(only_first, only_second),
    }  # fmt: skip


def _differ(case: Case) -> bool:
    return len({row.label for row in case.words.values()} | ({case.settled.label} if case.settled else set())) > 1


def _disagreement(case: Case) -> dict[str, Any]:
    run, episode, trajectory = case.item
    return {
        "run": run, "episode": episode, "trajectory": trajectory, "tier": case.tier, "site": case.site,
        "words": {name: row.label for name, row in sorted(case.words.items())},
        "settled": case.settled.label if case.settled else None,
    }  # fmt: skip


def _repeats(rows: Sequence[Row]) -> dict[str, Any]:
    """By rater, how often a hidden second look says the same as the first."""
    first = {(row.item, row.rater): row.label for row in rows if row.role == "label"}
    found: dict[str, list[bool]] = {}
    for row in rows:
        if row.role == "repeat" and (row.item, row.rater) in first:
            found.setdefault(row.rater, []).append(first[row.item, row.rater] == row.label)
    return {name: Share(sum(same), len(same)).plain() for name, same in sorted(found.items())}


def _training(rows: Sequence[Row]) -> dict[str, Any]:
    """By rater, how often the known label of a training item was given."""
    found: dict[str, list[bool]] = {}
    for row in rows:
        if row.role == "training":
            found.setdefault(row.rater, []).append(row.label == row.known)
    return {name: Share(sum(right), len(right)).plain() for name, right in sorted(found.items())}
