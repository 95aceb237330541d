"""When two names or strings are the same: rule 15. What is not listed there counts."""

import re
import unicodedata
from functools import lru_cache
from itertools import permutations

from unidecode import unidecode

from webds_judge.answers.spelling import american

_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "æ": "ae", "œ": "oe"})
_LEGAL = {"corp", "corporation", "inc", "incorporated", "ltd", "limited", "llc", "llp", "plc", "gmbh", "spa", "srl"} | {
    "pty",
    "pte",
    "bv",
    "oyj",
    "kgaa",
    "ag",
    "sa",
    "nv",
    "co",
    "oy",
    "ab",
}
_STATES = {"sa", "nv", "co", "ag", "ab"}
"""Two letters that are a place after a comma: Boulder, CO."""
_TITLES = {"mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "dame", "lord", "lady", "rev", "hon"}
_TITLES |= {"doctor", "president", "senator", "minister"}
_DASHES = re.compile(r"\s*[\u2010-\u2015\u2212\ufe63\uff0d-]\s*")
_AND_COMPANY = re.compile(r"\s*&\s*co(?:mpany)?\.?$")
_SIGNS = re.compile(r"\s*([&+/@=])\s*")
_QUOTES = {0x2019: "'", 0x2018: "'", 0x02BC: "'", 0x201C: '"', 0x201D: '"', 0x201E: '"', 0xAB: '"', 0xBB: '"'}
_MAX_PERMUTED = 5
_MAX_FOLDED = 2_000


def folded(text: str) -> frozenset[str]:
    """The spellings of `text` that are one name: accents dropped, and in their usual transliterations."""
    return _folded(text) if len(text) <= _MAX_FOLDED else frozenset({" ".join(text.casefold().split())})


@lru_cache(maxsize=4096)
def _folded(text: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKC", text.translate(_QUOTES)).strip()
    plain = re.sub(r"^D\.?R\.?(?= [A-Z][a-z])", "D-R", plain)  # DR Congo is no doctor
    inverted = re.fullmatch(r"([^,]+),\s+([^,\s]+(?:\s[^,\s]+)?)", plain)
    forms = {plain}
    if inverted and inverted[2].rstrip(".").lower() not in _LEGAL and not _is_abbreviation(inverted[2]):
        forms.add(f"{inverted[2]} {inverted[1]}")
    out = set()
    for form in forms:
        low = unicodedata.normalize("NFC", form.casefold().replace("ß", "ss"))
        out |= {_tidy(_ascii(low)), _tidy(_ascii(low.translate(_GERMAN)))}
        if low.startswith(("a ", "an ")):  # may be a name: An Nguyen
            out.add(" ".join(_ascii(low).rstrip(".").split()))
    return frozenset(f for f in out if f)


def _is_abbreviation(word: str) -> bool:
    """Washington, D.C. and Boulder, CO are places with their state, no inversions."""
    letters = word.replace(".", "")
    return len(letters) <= 3 and (letters.isupper() or letters.lower() in ("jr", "sr", "ii", "iii"))


def _ascii(text: str) -> str:
    """Latin, Greek and Cyrillic letters in ASCII; other scripts as they are, since their readings collide."""
    if text.isascii():
        return text
    return " ".join(_read_letters(word) for word in unicodedata.normalize("NFC", text).split(" "))


def _read_letters(word: str) -> str:
    """A word of one script in ASCII; a Greek or Cyrillic letter among Latin ones is another letter (rule 15)."""
    foreign = any("\u0370" <= c < "\u0530" for c in word)
    if foreign and any(c < "\u0250" and c.isalpha() for c in word):
        return word
    return "".join(unidecode(c).lower() if _has_reading(c) else c for c in word)


def _has_reading(char: str) -> bool:
    if unicodedata.category(char)[0] not in "LM":
        return False
    return char < "\u0530" or "\u1e00" <= char <= "\u1fff" or "\u0300" <= char <= "\u036f"


def _tidy(text: str) -> str:
    """Stops, article, titles, legal suffix, version letter, dashes, signs and spelling in one form."""
    text = _SIGNS.sub(r"\1", _DASHES.sub("-", _AND_COMPANY.sub("", text)))
    text = re.sub(r"\b((?:[^\W\d_]\.){2,})(?!\w)|\b((?:[^\W\d_]\.)+[^\W\d_])\b", lambda m: m[0].replace(".", ""), text)
    text = text.strip(" \t\n\"'“”").rstrip(" \t\n.,;:!?\"'“”").lstrip(".")
    words = [_word(w) for w in text.split()]
    words = [w for w in words if w]
    while len(words) > 1 and words[0] in ("the", "a", "an"):
        words = words[1:]
    while len(words) > 1 and words[0].rstrip(".,") in _TITLES:
        words = words[1:]
    words = _without_legal(words)
    if len(words) > 1 and words[0] == "version" and words[1][:1].isdigit():
        words = words[1:]
    return " ".join(words).strip(" ,")


def _word(word: str) -> str:
    if re.fullmatch(r"v\.?\d[\d.]*", word):
        word = word.lstrip("v.")
    word = word if re.fullmatch(r"\W+", word) else re.sub(r"(?<=\w)\.(?=,|$)", "", word)
    return american(word)


def _without_legal(words: list[str]) -> list[str]:
    while len(words) > 1 and words[-1].strip("()") in _LEGAL:
        after_comma = words[-2].endswith(",")
        if after_comma and words[-1] in _STATES:
            break
        words = [*words[:-2], words[-2].rstrip(",&")]
    return [w for w in words if w]


def same_string(candidate: str, reference: str) -> bool:
    """Whether the two are one string under rule 15."""
    return bool(folded(candidate) & folded(reference))


def same_name(candidate: str, reference: str) -> bool:
    """As same_string; in a name the order of its parts, and hyphen, space or nothing inside them, do not matter."""
    ours, theirs = folded(candidate), folded(reference)
    return bool(ours & theirs) or any(_permuted(a, b) for a in ours for b in theirs)


def _permuted(candidate: str, reference: str) -> bool:
    parts = reference.replace(",", " ").split()
    offered = candidate.replace(",", " ").split()
    letters = "".join(offered).replace("-", "")
    if sorted(letters) != sorted("".join(parts).replace("-", "")) or not letters:
        return False
    orders = permutations(parts) if len(parts) <= _MAX_PERMUTED else iter([tuple(parts)])
    breaks = _breaks(offered)
    for order in orders:
        if "".join(order).replace("-", "") == letters:
            wanted = _breaks(list(order))
            if breaks <= wanted or wanted <= breaks:
                return True
    return False


def _breaks(parts: list[str]) -> set[int]:
    """Where a space or hyphen stands, counted in letters."""
    out: set[int] = set()
    at = 0
    for piece in (piece for part in parts for piece in part.split("-")):
        at += len(piece)
        out.add(at)
    return out
