"""Type `percent`: rule 4. A reference 12.5 or "12.5%" means 12.5 percent.

The sign may be left out (12.5), and the same share may be a fraction (0.125, 1/8). A sign that is there is believed.
"""

from decimal import Decimal

from webds.types import Json
from webds_judge.answers.cells import LARGEST_SHARE
from webds_judge.answers.number import asserted, judged, sample_of
from webds_judge.answers.numerals import PERCENT, SHARE
from webds_judge.answers.references import targets
from webds_judge.answers.result import Compared


def compare(reference: Json, candidate: str) -> Compared:
    """Whether the asserted share is the reference's."""
    wanted = targets(reference, percent=True)
    token, why = asserted(candidate, shares=True)
    if token is None:
        return judged(wanted, None, why)
    value: Decimal = token.value
    if token.kind != PERCENT and abs(value) < LARGEST_SHARE:
        share = value.scaleb(2)
        if token.kind == SHARE or any(target.accepts(share) for target in wanted):
            return judged(wanted, share, why)
    return judged(wanted, value, why)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    return f"{sample_of(targets(reference, percent=True)[0])}%"
