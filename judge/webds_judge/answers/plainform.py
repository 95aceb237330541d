"""Digits, dashes, spaces, exponents and fractions of any script in one ASCII form, before numbers are looked for."""

import re
import unicodedata

_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERS = re.compile(r"(?<=[\d)])[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_VULGAR = re.compile(r"(\d?)\s?([¼½¾⅐-⅞])")
_DASHES = re.compile(r"[\u2010-\u2013\u2212\ufe63\uff0d]")

_ROUND = r"10{0,2}(?:[ ,.']?000){1,3}"
_DENOMINATOR = re.compile(
    r"(?:(?<=\.\d)|(?<=\.\d\d)|(?<=\.\d\d\d)|(?<=[a-z]))"
    rf"\s?/\s?(?={_ROUND}(?![\d.,'/])|thousand\b|million\b)|"
    rf"\s(?:for|in|of|out of) (?:every|each)\s(?={_ROUND}(?!\d)|thousand\b|million\b)",
    re.IGNORECASE,
)
"""Before a round denominator: `200.8/100,000`, `3.10 ppm/1,000 years`, `46.4 for every 10,000`; never `46/10,000`."""


def numeric_form(text: str) -> str:
    """`text` with every digit, dash, space, exponent and vulgar fraction in its plain ASCII form."""
    text = _SUPERS.sub(lambda found: "^" + found[0].translate(_SUPER), text)
    text = _VULGAR.sub(lambda found: f"{found[1]}{' ' if found[1] else ''}{_vulgar(found[2])}", text)
    text = re.sub(r"\u2212[ \u00a0\u2009](?=\d)", "-", text)
    text = re.sub(r"(?:(?<=^)|(?<=\s)|(?<=[(:]))\u2014(?=\d)", "-", text)
    text = unicodedata.normalize("NFKC", _DASHES.sub("-", text))
    text = "".join(str(unicodedata.digit(c)) if c > "\x7f" and c.isdecimal() else c for c in text)
    text = _DENOMINATOR.sub(" per ", text)
    return text.translate({0x2019: "'", 0x2018: "'", 0x066B: ".", 0x066C: ",", 0x02BC: "'"})


def _vulgar(char: str) -> str:
    return unicodedata.normalize("NFKC", char).replace("\u2044", "/")
