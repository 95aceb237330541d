"""Types `quantity` and `duration`: a number with its unit. Rule 5: the unit may be left out; if present it converts."""

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers import durations, measures, units
from webds_judge.answers.asides import without_asides
from webds_judge.answers.assertion import choose
from webds_judge.answers.measures import Measure
from webds_judge.answers.numerals import numeric_form
from webds_judge.answers.payload import scalar_text
from webds_judge.answers.references import Target, alternatives, targets
from webds_judge.answers.result import Compared, compared
from webds_judge.answers.tokens import OTHER, Token
from webds_judge.answers.unitnames import Unit

_FIELDS = ("value", "min", "max", "abs_tol", "rel_tol")
TIME = "[time]"


@dataclass(frozen=True, slots=True)
class Wanted:
    """One accepted quantity: a number (or its limits) of a unit; or of a counted noun, or of neither."""

    target: Target
    unit: Unit | None = None
    noun: str = ""

    def accepts(self, measure: Measure) -> bool:
        """Whether `measure` has this value, in this unit or in one that converts."""
        if self.noun or (self.unit is None and measure.noun):
            agrees = not (measure.units or measure.noun) or (self.noun != "" and _same_noun(measure, self.noun))
            return agrees and self.target.accepts(measure.value)
        return any(self.target.accepts(value) for value in measure.within(self.unit))

    def __str__(self) -> str:
        unit = self.noun or (units.shown(self.unit) if self.unit else "")
        return f"{self.target} {unit}".strip()


def _same_noun(measure: Measure, noun: str) -> bool:
    return measure.noun.rstrip("s") == noun.rstrip("s")


def compare(reference: Json, candidate: str) -> Compared:
    """Type `quantity`."""
    return _compared(wanted(reference), candidate, measures.scan)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    return _sample(wanted(reference)[0])


def compare_duration(reference: Json, candidate: str) -> Compared:
    """Type `duration`: a quantity of time, also as 1:30:00, 1h30, PT1H30M or `an hour and a half`."""
    return _compared(_durations(reference), candidate, durations.scan)


def sample_duration(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    return _sample(_durations(reference)[0])


def _sample(first: Wanted) -> str:
    number = next(n for n in (first.target.value, first.target.low, first.target.high) if n is not None)
    if first.noun or first.unit is None:
        return f"{number:f} {first.noun}".strip()
    return f"{number:f}"


def _durations(reference: Json) -> list[Wanted]:
    found = wanted(reference, durations.scan)
    for item in found:
        if item.noun or (item.unit is not None and units.dimension(item.unit) != TIME):
            raise InputFault(f"reference: {item} is no duration")
    return found


def wanted(reference: Json, scan: Callable[[str], list[Token]] = measures.scan) -> list[Wanted]:
    """The accepted quantities of a reference. InputFault: what is wrong with it."""
    if isinstance(reference, Mapping) and "any_of" in reference:
        return [item for option in alternatives(reference) for item in wanted(option, scan)]
    if not isinstance(reference, Mapping):
        number, label = _parsed(reference, scan)
        return [Wanted(Target(value=number), label.units[0] if label.units else None, label.noun)]
    plain: dict[str, Json] = {}
    labels: list[Measure] = []
    for name, value in reference.items():
        if name == "unit":
            labels.append(_parsed(f"1 {value}", scan)[1])
        elif name in _FIELDS and isinstance(value, str):
            plain[name], label = _parsed(value, scan)  # type: ignore[assignment] # a Decimal
            labels.append(label)
        else:
            plain[name] = value
    known = {(label.units[:1], label.noun) for label in labels if label.units or label.noun}
    if len(known) > 1:
        raise InputFault("reference: its fields have different units")
    unit, noun = next(iter(known), ((), ""))
    return [Wanted(target, unit[0] if unit else None, noun) for target in targets(plain)]


def _parsed(value: Json, scan: Callable[[str], list[Token]]) -> tuple[Decimal, Measure]:
    """A number, or text that is one measure and nothing else."""
    text = numeric_form(str(value).strip())
    found = [token for token in scan(text) if isinstance(token.value, Measure)]
    if isinstance(value, bool) or len(found) != 1 or text[: found[0].start].strip() or text[found[0].end :].strip(" ."):
        raise InputFault(f"reference: {value!r:.80} is not one number with its unit")
    measure: Measure = found[0].value
    return measure.value, measure


def _compared(accepted: list[Wanted], candidate: str, scan: Callable[[str], list[Token]]) -> Compared:
    named = " or ".join(map(str, accepted))
    text, problem = scalar_text(candidate)
    if problem:
        return compared(False, problem, None, named)
    has_unit = any(item.unit for item in accepted)

    def same(token: Token) -> Hashable:
        is_right = isinstance(token.value, Measure) and any(item.accepts(token.value) for item in accepted)
        return "right" if is_right else token.value

    def scanner(clause: str) -> list[Token]:
        return _relevant(scan(clause), has_unit)

    choice = choose(_spelled(without_asides(numeric_form(text))), scanner, same)
    if choice.token is None:
        return compared(False, choice.why, None, named)
    agrees = same(choice.token) == "right"
    return compared(agrees, f"{choice.token.value} is {'' if agrees else 'not '}{named}", choice.token.value, named)


def _relevant(tokens: list[Token], has_unit: bool) -> list[Token]:
    """Counted things stand aside where a unit is wanted; so do bare numbers beside one with its unit."""
    if not has_unit:
        return tokens
    with_unit = any(isinstance(t.value, Measure) and t.value.units for t in tokens)
    out = []
    for token in tokens:
        aside = isinstance(token.value, Measure) and not token.value.units and (with_unit or token.value.noun)
        out.append(Token(token.start, token.end, None, OTHER) if aside else token)
    return out


def _spelled(text: str) -> str:
    """Stops of unit abbreviations end no sentence: 5 ft. 11 in."""
    return re.sub(
        r"(?<=\d)(\s?)(ft|in|lb|lbs|oz|hr|hrs|min|mins|sec|secs|mi|yd|h|km|kg|sq|cu)\.(?=\s*[\d(a-z,])", r"\1\2", text
    )
