"""Type `time`: a time of day. Both halves of the day count: 2:30 alone is half past two in the night."""

import re
from datetime import time

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers.dates import decided
from webds_judge.answers.numerals import numeric_form
from webds_judge.answers.references import alternatives
from webds_judge.answers.result import Compared
from webds_judge.answers.tokens import OTHER, RANGE, Token

TIME = "time"
_HALF = (
    r"(?:\s?(?P<half{n}>a\.?\s?m\b\.?|p\.?\s?m\b\.?|in the (?:early )?(?:morning|afternoon|evening)|at night|"
    r"this (?:morning|afternoon|evening)))"
)
_ZONE = r"(?:\s?\(?(?P<zone>UTC|GMT|Z|[A-Z]{2,4}T|local(?: time)?|UTC[+-]\d{1,2}(?::?\d{2})?|\+\d{2}:?\d{2})\b\)?)?"
_HOURS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_HOUR_WORD = "|".join(_HOURS)
_MINUTES = {"quarter": 15, "half": 30, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
_PASSED = "|".join(sorted(_MINUTES, key=len, reverse=True))
_CLOCK = re.compile(
    r"(?<![\w:.,/])(?:"
    rf"(?P<h1>\d{{1,2}})(?P<sep>[:.]|"
    rf"\s?h\s?)(?P<m1>\d{{2}})(?:[:.](?P<s1>\d{{2}})(?:[.,]\d{{1,9}})?)?(?:\s?(?:h|hrs?|hours|uhr|"
    rf"o'clock)\b)?{_HALF.format(n=1)}?"
    rf"|(?P<h2>\d{{1,2}}|{_HOUR_WORD})(?:\s?o'?clock)?(?:\s(?P<m2>oh-?five|five|ten|fifteen|twenty|thirty|forty|"
    rf"forty-five|fifty)\b)?{_HALF.format(n=2)}"
    r"|(?P<h3>[01]\d|2[0-4])(?P<m3>[0-5]\d)(?:\s?(?:h|hrs?|hours)\b|(?=\s*$|[.,;\s]))"
    rf"|(?P<m4>{_PASSED}|\d{{1,2}}(?: minutes?)?) (?P<way>past|after|to|before|till) "
    rf"(?P<h4>\d{{1,2}}|{_HOUR_WORD}|midnight|noon|midday){_HALF.format(n=4)}?"
    rf"|(?P<h5>\d{{1,2}}|{_HOUR_WORD})(?: o'?clock|\s?uhr|\s?h\b)"
    r"|(?P<noon>(?:12 )?noon|midday)|(?P<midnight>(?:12 )?midnight)"
    rf")(?![\w:]|\.\d){_ZONE}",
    re.IGNORECASE,
)
_SPOKEN = {"ohfive": 5, "oh-five": 5, "five": 5, "ten": 10, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40}
_SPOKEN |= {"forty-five": 45, "fifty": 50}
_NO_ZONE = ("", "local", "local time")
_SAME_ZONE = {"z": "utc", "gmt": "utc", "+00:00": "utc", "+0000": "utc", "utc+0": "utc"}


def compare(reference: Json, candidate: str) -> Compared:
    """Whether the asserted time of day is the reference's; a time zone counts where the reference has one."""
    wanted = [_wanted(option) for option in alternatives(reference)]
    zones = {zone for _, zone in wanted}
    has_seconds = any(moment.second for moment, _ in wanted)

    def scanner(text: str) -> list[Token]:
        return [_seen(token, zones, has_seconds) for token in scan(text)]

    return decided([moment for moment, _ in wanted], candidate, scanner)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    return _wanted(alternatives(reference)[0])[0].isoformat()


def _wanted(option: Json) -> tuple[time, str]:
    found = scan(numeric_form(option.strip())) if isinstance(option, str) else []
    if len(found) != 1 or found[0].kind != TIME:
        raise InputFault(f"reference: {option!r:.80} is not one time of day; write it as HH:MM")
    moment, zone = found[0].value
    return moment, zone


def _seen(token: Token, zones: set[str], has_seconds: bool) -> Token:
    """The bare time, where its zone is none or the wanted one; without seconds where none are wanted."""
    if token.kind != TIME:
        return token
    moment, zone = token.value
    if zone and zones != {""} and zone not in zones:
        return Token(token.start, token.end, None, OTHER)
    if not has_seconds and moment.second < 30:  # rule 1: rounded to the digits that the reference shows
        moment = moment.replace(second=0)
    return Token(token.start, token.end, moment, token.kind)


def scan(text: str) -> list[Token]:
    """Every time of day in `text` as (time, zone)."""
    out: list[Token] = []
    for found in _CLOCK.finditer(text):
        moment = _moment({key: value.lower() for key, value in found.groupdict().items() if value})
        zone = (found["zone"] or "").lower()
        value = (moment, "" if zone in _NO_ZONE else _SAME_ZONE.get(zone, zone))
        joined = out and re.fullmatch(r"\s?(?:-|to|until)\s?", text[out[-1].end : found.start()])
        if joined:
            out[-1] = Token(out[-1].start, out[-1].end, out[-1].value, RANGE)
        kind = OTHER if moment is None else RANGE if joined else TIME
        out.append(Token(found.start(), found.end(), value if moment else None, kind))
    return out


def _moment(parts: dict[str, str]) -> time | None:
    if "noon" in parts or "midnight" in parts:
        return time(12 if "noon" in parts else 0)
    hour = _number(next(parts[k] for k in ("h1", "h2", "h3", "h4", "h5") if k in parts))
    minute = 0
    if "m4" in parts:
        shift = _MINUTES.get(parts["m4"]) or int(parts["m4"].split()[0])
        hour, minute = (hour, shift) if parts["way"] in ("past", "after") else (hour - 1, 60 - shift)
    else:
        spoken = parts.get("m1") or parts.get("m3") or parts.get("m2") or "0"
        minute = _SPOKEN.get(spoken, 0) or (int(spoken) if spoken.isdigit() else 0)
    half = next((parts[k] for k in ("half1", "half2", "half4") if k in parts), "")
    if half:
        hour = _in_half(hour, half)
    second = int(parts.get("s1", "0"))
    hour = 0 if hour == 24 and (parts.get("h4") == "midnight" or minute == second == 0) else hour
    return time(hour, minute, second) if 0 <= hour <= 23 and 0 <= minute < 60 and second < 60 else None


def _in_half(hour: int, half: str) -> int:
    """The hour on the 24-hour clock, or -1 where the two disagree."""
    is_morning = (half.startswith("a") and "night" not in half) or "morning" in half
    if hour > 12:
        return -1 if is_morning else hour
    if "night" in half:
        return hour + 12 if 6 <= hour < 12 else hour % 12
    return hour % 12 if is_morning else hour % 12 + 12


def _number(text: str) -> int:
    if text in ("midnight", "noon", "midday"):
        return 24 if text == "midnight" else 12
    return int(text) if text.isdigit() else _HOURS.index(text) + 1
