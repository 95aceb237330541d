"""What a verdict of the rubric stands on beside the model's replies: the key, and the typed judge's word."""

from webds.errors import InputFault
from webds.store import Committed
from webds.types import AnswerKey, Json, Verdict
from webds_judge.grade import settings_of
from webds_judge.keys import KeyRing

NAME = "rubric"
_TYPED = "tier1"
_STANDS = frozenset(("key", "tier1", "typed"))


def standing(item: Committed, key: AnswerKey) -> dict[str, Json]:
    """Kept in each part on correctness: hash of rules and key; stamp and word of the typed judge where it has one."""
    word = item.verdicts.get(_TYPED)
    stands: dict[str, Json] = {"key": settings_of(key)}
    if isinstance(word, Verdict) and word.passed is not None:
        stands |= {"tier1": word.passed, "typed": word.judge.settings}
    return stands


def is_kept(item: Committed, ring: KeyRing, settings: str, force: bool) -> bool:
    """Whether the rubric's word on a try stays: by these settings, on this evidence, key and typed word of now.

    Where the key is gone a verdict is kept whatever is asked: there is nothing to put in its place.
    """
    word = item.verdicts.get(NAME)
    if not isinstance(word, Verdict):
        return False
    try:
        stands = standing(item, ring.key(item.evidence.task))
    except InputFault:
        return True
    if force or word.judge.settings != settings or word.evidence != item.digest:
        return False
    stood = [
        {name: value for name, value in part.parsed.items() if name in _STANDS}
        for part in word.parts
        if part.parsed.get("kind") == "correct"
    ]
    return bool(stood) and all(found == stands for found in stood)
