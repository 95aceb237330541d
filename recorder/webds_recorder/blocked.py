"""Whether a page is the site's refusal of robots, by rules over status, headers and markup. Pure; docs/live.md.

Only whole documents are judged, never what a page loads. A page that merely speaks of captchas, holds one beside a
form, or is missing (404), gone (410) or behind a log-in (401) is an honest page. `HARD` rules are signatures of a
refusal; the others are states that a single page may have for reasons of its own.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from bs4 import BeautifulSoup

SHORT = 1500
"""Characters of visible text up to which a page can be nothing but a challenge."""
LINKS = 12
"""Links beside which a page is more than a challenge."""
HARD = frozenset({"captcha", "human-check", "cloudflare", "akamai", "datadome", "perimeterx", "imperva", "aws-waf",
                  "sucuri", "google-sorry", "status-451", "status-429", "status-999"})  # fmt: skip
UNREACHABLE = frozenset({"dns", "unreachable", "tls", "no-answer"})
"""Rules of a request that got no answer at all."""
_WIDGETS = re.compile(
    r"\b(?:g-recaptcha|h-captcha|cf-turnstile|frc-captcha|geetest_|px-captcha|amzn-captcha|arkose)"
    r"|(?:hcaptcha\.com/1/api|recaptcha/(?:api|enterprise)\.js|challenges\.cloudflare\.com/turnstile"
    r"|captcha-delivery\.com|/captcha\.(?:js|php|aspx))",
    re.IGNORECASE,
)
_PHRASES = re.compile(
    r"are you (?:a )?(?:human|robot)\b|(?:verify|confirm|prove|make sure|check(?:ing)?)(?: that| if)? you(?:'re| are)? "
    r"(?:a )?(?:human|not a (?:ro)?bot)|i'?m not a robot|you(?:'re| are) not a robot|human verification"
    r"|unusual (?:traffic|activity) from your|we(?:'ve| have)? detected (?:unusual|automated|suspicious)"
    r"|automated (?:access|requests|queries) (?:to|from)|(?:checking|verifying) your browser"
    r"|(?:enable|turn on) javascript and cookies to continue|pardon our interruption"
    r"|(?:press|click) (?:&|and) hold|(?:solve|complete) (?:the|this) (?:captcha|puzzle)"
    r"|your (?:ip|request|access)(?: address)? (?:to this site )?(?:has been|was|is) (?:blocked|flagged|denied)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Page:
    """One document as it came. `headers`: lower-case name -> value; `html`: decoded text, empty where it is none."""

    status: int
    url: str
    headers: Mapping[str, str]
    html: str = ""

    @cached_property
    def soup(self) -> BeautifulSoup:
        """The markup without what is not seen."""
        soup = BeautifulSoup(self.html, "lxml")
        for tag in soup(["script", "style", "template", "svg"]):
            tag.decompose()
        return soup

    @cached_property
    def text(self) -> str:
        """Visible text, on one line."""
        return " ".join(self.soup.get_text(" ").split())

    @cached_property
    def heading(self) -> str:
        """Title and main headings, which say what a page is."""
        return " ".join(tag.get_text(" ") for tag in self.soup.select("title, h1, h2")[:4])

    @cached_property
    def bare(self) -> bool:
        """Whether there is little but a challenge: short, few links, no table, nothing else to fill in."""
        fields = [tag for tag in self.soup.select("input, textarea, select") if not _own_field(tag.attrs)]
        few = len(self.soup.select("a[href]")) <= LINKS
        return len(self.text) <= SHORT and few and not fields and not self.soup.select("table, article")


def _own_field(attributes: Mapping[str, object]) -> bool:
    """Whether a field belongs to the challenge itself: hidden, a button, or the answer to a captcha."""
    kind = str(attributes.get("type", "text")).lower()
    named = f"{attributes.get('name', '')} {attributes.get('id', '')}".lower()
    return kind in ("hidden", "submit", "button", "checkbox", "image") or "captcha" in named


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its name, and whether it holds for a page."""

    name: str
    holds: Callable[[Page], bool]


def _refused(page: Page) -> bool:
    return page.status in (401, 403, 405, 406, 409, 429, 503) or page.status >= 500


def _short_or_refused(page: Page) -> bool:
    return _refused(page) or page.bare


def _cloudflare(page: Page) -> bool:
    if page.headers.get("cf-mitigated", "").lower() == "challenge":
        return True
    marked = "/cdn-cgi/challenge-platform/" in page.html or "cf-error-details" in page.html
    return (_refused(page) and marked) or (marked and page.bare and "just a moment" in page.heading.lower())


def _akamai(page: Page) -> bool:
    return _refused(page) and "access denied" in page.heading.lower() and "Reference" in page.text


def _datadome(page: Page) -> bool:
    return "captcha-delivery.com" in page.html and _short_or_refused(page)


def _perimeterx(page: Page) -> bool:
    return "px-captcha" in page.html and _short_or_refused(page)


def _imperva(page: Page) -> bool:
    return "_Incapsula_Resource" in page.html and not page.soup.select("p, table, article") and _short_or_refused(page)


def _waf(page: Page) -> bool:
    return page.headers.get("x-amzn-waf-action", "").lower() in ("captcha", "challenge")


def _sucuri(page: Page) -> bool:
    return _refused(page) and "sucuri" in page.heading.lower()


def _sorry(page: Page) -> bool:
    return re.match(r"https?://(?:[\w-]+\.)*google\.[a-z.]+/sorry/", page.url) is not None


def _captcha(page: Page) -> bool:
    return _WIDGETS.search(page.html) is not None and _short_or_refused(page)


def _human(page: Page) -> bool:
    if not page.html or not _short_or_refused(page):
        return False
    return _PHRASES.search(page.heading if len(page.text) > SHORT else f"{page.heading} {page.text}") is not None


RULES: tuple[Rule, ...] = (
    Rule("cloudflare", _cloudflare),
    Rule("akamai", _akamai),
    Rule("datadome", _datadome),
    Rule("perimeterx", _perimeterx),
    Rule("imperva", _imperva),
    Rule("aws-waf", _waf),
    Rule("sucuri", _sucuri),
    Rule("google-sorry", _sorry),
    Rule("captcha", _captcha),
    Rule("human-check", _human),
    Rule("status-451", lambda page: page.status == 451),
    Rule("status-429", lambda page: page.status == 429),
    Rule("status-403", lambda page: page.status == 403),
    Rule("status-5xx", lambda page: 500 <= page.status <= 599),
    Rule("status-999", lambda page: page.status == 999),
)
"""In order: the first that holds names the block."""


def rule_of(page: Page) -> str:
    """The name of the rule by which a document is a block, or an empty text."""
    return next((rule.name for rule in RULES if rule.holds(page)), "")
