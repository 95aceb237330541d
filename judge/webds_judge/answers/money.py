"""The spellings of currencies, each with the codes that it may stand for (rule 5: a shared sign agrees with each)."""

import re

type Codes = frozenset[str]

_DOLLAR = "USD CAD AUD NZD HKD SGD TWD MXN BRL JMD BSD BBD TTD FJD NAD LRD BZD GYD"
_SIGNS = {
    "US$": "USD", "U.S.$": "USD", "$US": "USD", "C$": "CAD", "CA$": "CAD", "CAN$": "CAD", "A$": "AUD", "AU$": "AUD",
    "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "SG$": "SGD", "NT$": "TWD", "MX$": "MXN", "R$": "BRL", "$": _DOLLAR,
    "€": "EUR", "£": "GBP EGP LBP SYP SDG GIP", "¥": "JPY CNY", "元": "CNY TWD", "円": "JPY", "₹": "INR", "₽": "RUB",
    "₩": "KRW KPW", "₺": "TRY", "₪": "ILS", "₫": "VND", "₴": "UAH", "฿": "THB", "₱": "PHP", "₦": "NGN", "₡": "CRC",
    "₲": "PYG", "₵": "GHS", "₸": "KZT", "₼": "AZN", "₾": "GEL",
}  # fmt: skip
_WORDS = {
    "dollar": _DOLLAR, "buck": _DOLLAR, "euro": "EUR", "pound": "GBP EGP LBP SYP SDG GIP FKP", "quid": "GBP",
    "pounds? sterling": "GBP", "sterling": "GBP", "yen": "JPY", "yuan": "CNY", "renminbi": "CNY", "rmb": "CNY",
    "rupee": "INR PKR LKR NPR MUR SCR", "rs": "INR PKR LKR NPR MUR SCR", "franc": "CHF XAF XOF XPF FRF BEF LUF",
    "fr": "CHF XAF XOF", "krona": "SEK ISK", "kronor": "SEK", "kronur": "ISK", "krone": "NOK DKK", "kroner": "NOK DKK",
    "kr": "SEK NOK DKK ISK", "peso": "MXN PHP ARS CLP COP CUP DOP UYU", "real": "BRL", "reais": "BRL", "reals": "BRL",
    "rand": "ZAR", "won": "KRW KPW", "ro?uble": "RUB BYN", "lira": "TRY ITL SYP LBP", "lire": "ITL", "zloty": "PLN",
    "zlotych": "PLN", "zł": "PLN", "złoty": "PLN", "złotych": "PLN", "shekel": "ILS", "baht": "THB", "dong": "VND",
    "hryvnia": "UAH", "naira": "NGN", "koruna": "CZK", "korun": "CZK", "kč": "CZK", "kc": "CZK", "forint": "HUF",
    "ft": "HUF", "leu": "RON MDL", "lei": "RON MDL", "dirham": "AED MAD", "riyal": "SAR QAR",
    "dinar": "KWD RSD IQD JOD",
    "ringgit": "MYR", "rm": "MYR", "rupiah": "IDR", "rp": "IDR", "taka": "BDT", "shilling": "KES UGX TZS",
    "bitcoin": "BTC", "btc": "BTC",
}  # fmt: skip
_CODES = [
    "USD",
    "EUR",
    "GBP",
    "JPY",
    "CNY",
    "INR",
    "CHF",
    "CAD",
    "AUD",
    "NZD",
    "HKD",
    "SGD",
    "TWD",
    "SEK",
    "NOK",
    "DKK",
    "ISK",
    "MXN",
    "BRL",
    "ZAR",
    "KRW",
    "RUB",
    "TRY",
    "PLN",
    "ILS",
    "THB",
    "VND",
    "UAH",
    "PHP",
    "NGN",
    "CZK",
    "HUF",
    "RON",
    "BGN",
    "AED",
    "SAR",
    "QAR",
    "KWD",
    "MYR",
    "IDR",
    "PKR",
    "BDT",
    "LKR",
    "NPR",
    "EGP",
    "KES",
    "ARS",
    "CLP",
    "COP",
    "PEN",
    "DEM",
    "FRF",
    "ITL",
    "CNH",
    "BYN",
    "XOF",
    "XAF",
]
_NATIONS = {
    "u\\.?s\\.?": "USD", "american": "USD", "united states": "USD", "canadian": "CAD", "australian": "AUD",
    "aussie": "AUD",
    "new zealand": "NZD", "hong kong": "HKD", "singapore": "SGD", "british": "GBP", "uk": "GBP", "egyptian": "EGP",
    "swiss": "CHF", "swedish": "SEK", "norwegian": "NOK", "danish": "DKK", "icelandic": "ISK", "mexican": "MXN",
    "philippine": "PHP", "indian": "INR", "pakistani": "PKR", "japanese": "JPY", "chinese": "CNY", "brazilian": "BRL",
    "south african": "ZAR", "korean": "KRW", "south korean": "KRW", "russian": "RUB", "turkish": "TRY", "polish": "PLN",
    "czech": "CZK", "hungarian": "HUF", "taiwan": "TWD", "taiwanese": "TWD", "argentine": "ARS", "chilean": "CLP",
    "colombian": "COP", "lebanese": "LBP", "sri lankan": "LKR", "nepalese": "NPR", "belgian": "BEF", "french": "FRF",
}  # fmt: skip
_CENTS = {
    "¢": _DOLLAR, "cent": f"{_DOLLAR} EUR ZAR", "euro ?cent": "EUR", "eurocent": "EUR", "us cent": "USD",
    "penny": "GBP USD",
    "pennies": "GBP USD", "pence": "GBP", "p": "GBP", "c": f"{_DOLLAR} EUR ZAR", "paise": "INR PKR", "öre": "SEK",
    "centavo": "MXN BRL PHP ARS", "centime": "CHF FRF", "rappen": "CHF", "kopeck": "RUB", "grosz": "PLN",
    "groszy": "PLN",
}  # fmt: skip

_SIGN = "|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True))
_NATION = "|".join(sorted(_NATIONS, key=len, reverse=True))
_NAME = "|".join(sorted(_WORDS, key=len, reverse=True))
_CODE = "|".join(_CODES)
_CENT = "|".join(sorted(_CENTS, key=len, reverse=True))
NAME = (
    rf"(?:(?P<sign>{_SIGN})|(?P<code>(?i:{_CODE}))(?![A-Za-z])"
    rf"|(?:(?P<nation2>(?i:{_NATION}))[ -])?(?P<cent>(?i:{_CENT}))(?i:s)?(?![A-Za-z.])"
    rf"|(?:(?P<nation>(?i:{_NATION}))[ -])?(?P<word>(?i:{_NAME}))(?i:e?s)?\.?(?![A-Za-z]))"
)
"""One currency's name in numeric_form text; `read` says what it stands for."""


def read(found: re.Match[str]) -> tuple[Codes, bool]:
    """(codes, is a hundredth) of a match of NAME."""
    if found["sign"]:
        return frozenset(_SIGNS[found["sign"].upper()].split()), False
    if found["code"]:
        return frozenset({found["code"].upper().replace("CNH", "CNY")}), False
    table, name = (_CENTS, found["cent"]) if found["cent"] else (_WORDS, found["word"])
    codes = frozenset(_of(table, name.lower()).split())
    nation = found["nation"] or found["nation2"]
    if nation:
        own = frozenset({_of(_NATIONS, nation.lower())})
        codes = codes & own or own
    return codes, bool(found["cent"])


def _of(table: dict[str, str], name: str) -> str:
    return table.get(name) or next(value for key, value in table.items() if re.fullmatch(key, name))
