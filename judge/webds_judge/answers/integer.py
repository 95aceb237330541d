"""Type `integer`: a count is exact (rule 1); 48.0 is 48, 48.3 is not."""

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers.number import asserted, judged, value_of
from webds_judge.answers.references import Target, is_whole, targets
from webds_judge.answers.result import Compared


def compare(reference: Json, candidate: str) -> Compared:
    """Whether the asserted count is exactly the reference's."""
    wanted = exact_targets(reference)
    token, why = asserted(candidate)
    number = None if token is None else value_of(token)
    return judged(wanted, number, why)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    first = exact_targets(reference)[0]
    return f"{first.low if first.low is not None else first.high:f}"


def exact_targets(reference: Json) -> tuple[Target, ...]:
    """Every target as limits, so that nothing is rounded. InputFault where the reference is no whole number."""
    wanted = targets(reference)
    for target in wanted:
        if target.value is not None and not is_whole(target.value):
            raise InputFault(f"reference: {target.value} is not a whole number")
    return tuple(
        t if t.value is None or t.low is not None else Target(value=t.value, low=t.value, high=t.value) for t in wanted
    )
