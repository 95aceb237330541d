"""British spellings in their American form, word by word. Only listed stems change: `four` is not `for`."""

import re

_OUR = "col|lab|fav|hon|neighb|harb|behavi|hum|flav|vap|rum|sav|od|vig|arm|parl|endeav|tum|splend|glam|clam|ferv|ranc"
_RULES = (
    (re.compile(rf"\b((?:dis|un|multi|bi)?(?:{_OUR}))our"), r"\1or"),
    (
        re.compile(
            r"\b((?:kilo|centi|milli|deci|nano|micro|hecto)?(?:met|lit)|(?:amphi)?theat|cent|fib|calib|lust|"
            r"somb|spect|meag|sab|mit|och|sepulch)re(s?)\b"
        ),
        r"\1er\2",
    ),
    (re.compile(r"\b(catal|dial|anal|mono|monol|epil|prol|ped|travel)ogue(s?)\b"), r"\1og\2"),
    (re.compile(r"\b(def|off|lic|pret)ence"), r"\1ense"),
    (re.compile(r"\b(\w{4,})isation"), r"\1ization"),
    (
        re.compile(
            r"\b(organ|real|recogn|author|central|standard|minim|maxim|optim|util|special|general|normal|"
            r"priorit|categor|summar|apolog|emphas|modern|stabil|mobil|privat|urban|industrial|global)is"
            r"(e|es|ed|er|ers|ing)\b"
        ),
        r"\1iz\2",
    ),
    (re.compile(r"\b(anal|paral|catal)ys(e|ed|ing|er)\b"), r"\1yz\2"),
    (
        re.compile(
            r"\b(trave|cance|labe|mode|leve|fue|signa|marve|counse|chance|jewe|pane|dia|equa|quarre)ll"
            r"(ed|ing|er|ers|or|ors|ery)\b"
        ),
        r"\1l\2",
    ),
    (re.compile(r"\b(p)aed(iatric)|\b(orthop)aed(ic)"), r"\1\3ed\2\4"),
    (re.compile(r"\b(an|h|leuk|isch|glyc|hypoglyc)aem"), r"\1em"),
    (re.compile(r"\b(encyclop)aed(i)"), r"\1ed\2"),
    (re.compile(r"\b(arch)aeo"), r"\1eo"),
    (re.compile(r"\bo(estrogen|esophag|edema)"), r"\1"),
    (re.compile(r"\bf(?:oe)(tus|tal)"), r"fe\1"),
    (re.compile(r"\bman(?:oe)uv(re|er)(s?)\b"), r"maneuver\2"),
    (re.compile(r"\b(fulfil|enrol|instal)(s?)\b"), r"\1l\2"),
    (re.compile(r"\b(judg|acknowledg)ement"), r"\1ment"),
    (re.compile(r"\bageing\b"), "aging"),
)
_WORDS = {
    "grey": "gray", "greys": "grays", "programme": "program", "programmes": "programs", "aluminium": "aluminum",
    "tyre": "tire", "tyres": "tires", "plough": "plow", "mould": "mold", "sceptic": "skeptic", "sceptical": "skeptical",
    "cosy": "cozy", "pyjamas": "pajamas", "moustache": "mustache", "skilful": "skillful", "sulphur": "sulfur",
    "cheque": "check", "cheques": "checks", "mum": "mom", "maths": "math", "yoghurt": "yogurt", "doughnut": "donut",
    "artefact": "artifact", "artefacts": "artifacts", "enquiry": "inquiry", "draught": "draft", "smoulder": "smolder",
}  # fmt: skip


def american(word: str) -> str:
    """A lower-case word in its American spelling."""
    if len(word) < 4 or not word.isascii():
        return word
    for pattern, by in _RULES:
        word = pattern.sub(by, word)
    return _WORDS.get(word, word)
