"""Digits, dashes, spaces, exponents and fractions of any script in one ASCII form, before numbers are looked for."""

import re
import unicodedata

_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERS = re.compile(r"(?<=[\d)])[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_VULGAR = re.compile(r"(\d?)\s?([¼½¾⅐-⅞])")
_DASHES = re.compile(r"[\u2010-\u2013\u2212\ufe63\uff0d]")


def numeric_form(text: str) -> str:
    """`text` with every digit, dash, space, exponent and vulgar fraction in its plain ASCII form."""
    text = _SUPERS.sub(lambda found: "^" + found[0].translate(_SUPER), text)
    text = _VULGAR.sub(lambda found: f"{found[1]}{' ' if found[1] else ''}{_vulgar(found[2])}", text)
    text = re.sub(r"\u2212[ \u00a0\u2009](?=\d)", "-", text)
    text = re.sub(r"(?:(?<=^)|(?<=\s)|(?<=[(:]))\u2014(?=\d)", "-", text)
    text = unicodedata.normalize("NFKC", _DASHES.sub("-", text))
    text = "".join(str(unicodedata.digit(c)) if c > "\x7f" and c.isdecimal() else c for c in text)
    return text.translate({0x2019: "'", 0x2018: "'", 0x066B: ".", 0x066C: ",", 0x02BC: "'"})


def _vulgar(char: str) -> str:
    return unicodedata.normalize("NFKC", char).replace("\u2044", "/")
