"""From ending and verdict to the outcome that a report counts. One declared rule, in one place.

    SUBMITTED, GAVE_UP, LIMIT     pass or fail by verdict (a file made before the limit counts)
    AGENT_FAULT                   fail
    BLOCKED                       blocked
    INFRA                         infra: of this try; what the episode counts as is webds.standing's word
    TASK_FAULT, or no verdict     ungraded

The headline verdict is tier1 where there is one (a typed reference exists), else the rubric's.
"""

from collections.abc import Mapping

from webds.types import Ending, Evidence, Outcome, Ungraded, Verdict

HEADLINE = ("tier1", "rubric")
_BY_ENDING = {
    Ending.AGENT_FAULT: Outcome.FAIL,
    Ending.BLOCKED: Outcome.BLOCKED,
    Ending.INFRA: Outcome.INFRA,
    Ending.TASK_FAULT: Outcome.UNGRADED,
}


def headline(verdicts: Mapping[str, Verdict | Ungraded]) -> Verdict | Ungraded | None:
    """The verdict that counts, or None where no judge has spoken."""
    return next((verdicts[name] for name in HEADLINE if name in verdicts), None)


def outcome(evidence: Evidence, verdicts: Mapping[str, Verdict | Ungraded]) -> Outcome:
    """What a report counts for this try."""
    if evidence.ending in _BY_ENDING:
        return _BY_ENDING[evidence.ending]
    word = headline(verdicts)
    if not isinstance(word, Verdict) or word.passed is None:
        return Outcome.UNGRADED
    return Outcome.PASS if word.passed else Outcome.FAIL
