"""From samples to one verdict: median stars, majority pass, every sample kept."""

from collections.abc import Sequence
from statistics import median

from webds.codec import plain
from webds.meter import Meter
from webds.types import Budget, Json, JudgeStamp, Params, Part, Verdict
from webds_judge.rubric.asking import Replies, Said
from webds_judge.rubric.criteria import Criterion
from webds_judge.rubric.formula import settled
from webds_judge.rubric.reader import Reading


def verdict(stamp: JudgeStamp, seal: str, criteria: Sequence[Criterion], found: Replies, stands: Params) -> Verdict:
    """`stands`: rubric.standing. Its `tier1`, if any, counts in place of what samples say of correctness."""
    said = found.samples
    tier1 = stands["tier1"] is True if "tier1" in stands else None
    samples = [_sample(seed, item, criteria, tier1) for seed, item in enumerate(said)]
    votes = [sample["passed"] for sample in samples]
    starred = [sample["stars"] for sample in samples if isinstance(sample["stars"], int)]
    parts = tuple(_part(item, [sample.value.marks[item.name].met for sample in said], stands) for item in criteria)
    passed = majority(votes)
    return Verdict(
        judge=stamp,
        evidence=seal,
        passed=passed,
        stars=float(median(starred)) if starred else None,
        parts=parts,
        samples=tuple(samples),
        why=_why(votes, parts, said, tier1),
        usage=_usage(found),
    )


def _usage(found: Replies) -> Params:
    """Of all replies, those from the cache too, by role; the canaries are the batch's."""
    meter = Meter(Budget())
    for role, said in (("relevance", found.relevance), ("grade", found.samples)):
        for item in said:
            meter.charge(role, item.usage)
    return meter.total


def majority(votes: Sequence[Json]) -> bool | None:
    """What more than half say; None where no side has so many."""
    for word in (True, False):
        if 2 * sum(vote is word for vote in votes) > len(votes):
            return word
    return None


def flip_rate(votes: Sequence[Json]) -> float:
    """Share of samples that differ from the majority, 0 to 1; an undecided sample differs."""
    word = majority(votes)
    return sum(vote is not word for vote in votes) / len(votes) if votes else 0.0


def _sample(seed: int, said: Said[Reading], criteria: Sequence[Criterion], tier1: bool | None) -> dict[str, Json]:
    met = dict(said.value.met)
    if tier1 is not None:
        met |= {item.name: tier1 for item in criteria if item.kind == "correct"}
    stars, passed = settled(met, criteria)
    return {
        "seed": seed,
        "stars": stars,
        "passed": passed,
        "criteria": plain(said.value.marks),
        "injection_seen": said.value.injection_seen,
        "usage": plain(said.usage),
        "tries": said.tries,
    }


def _part(criterion: Criterion, votes: Sequence[bool | None], stands: Params) -> Part:
    word = majority(votes)
    parsed: dict[str, Json] = {"votes": tuple(votes), "flip_rate": round(flip_rate(votes), 4), "kind": criterion.kind}
    why = f"{sum(vote is True for vote in votes)} of {len(votes)} samples say met"
    if None in votes:
        why += f", {sum(vote is None for vote in votes)} ungraded"
    if criterion.kind == "correct":
        parsed |= stands
        if "tier1" in stands:
            word = stands["tier1"] is True
            why += f"; the typed judge says {'right' if word else 'wrong'}, which counts"
    return Part(name=criterion.name, passed=word is True, why=why, parsed=parsed)


def _why(votes: Sequence[Json], parts: Sequence[Part], said: Sequence[Said[Reading]], tier1: bool | None) -> str:
    missing = ", ".join(part.name for part in parts if not part.passed) or "none"
    words = [f"{sum(vote is True for vote in votes)} of {len(votes)} samples pass, flip rate {flip_rate(votes):.2f}"]
    words.append(f"not met: {missing}")
    if any(item.value.injection_seen for item in said):
        words.append("text that speaks to the judge was seen")
    if tier1 is not None and _own_word(parts) is not tier1:
        words.append("disagrees with the typed judge")
    return "; ".join(words)


def _own_word(parts: Sequence[Part]) -> bool | None:
    found = [part.parsed["votes"] for part in parts if part.parsed["kind"] == "correct"]
    words = [majority(votes) for votes in found if isinstance(votes, tuple)]
    return None if None in words else all(words)


def disagrees(found: Verdict) -> bool:
    """Whether the samples' own word on correctness is not the typed judge's: a case for the human pass."""
    told: list[Params] = [part.parsed for part in found.parts if "tier1" in part.parsed]
    return bool(told) and _own_word(found.parts) is not told[0]["tier1"]
