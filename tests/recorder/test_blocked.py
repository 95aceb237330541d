"""T10 as a table: pages that refuse robots, and honest pages that must not be taken for one."""

import pytest

from webds_recorder.blocked import HARD, RULES, Page, rule_of

LONG = "<p>" + "The series is revised every quarter as new returns come in. " * 60 + "</p>"
MENU = "".join(f"<a href=/{n}>Section {n}</a> " for n in range(30))
WIDGET = "<div class=g-recaptcha data-sitekey=x></div><script src=https://www.google.com/recaptcha/api.js></script>"
TURNSTILE = "<div class=cf-turnstile></div><script src=https://challenges.cloudflare.com/turnstile/v0/api.js></script>"


def page(status: int, title: str, body: str, url: str = "https://data.example/", **headers: str) -> Page:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Page(status, url, named, f"<!doctype html><title>{title}</title><body>{body}")


BLOCKS = {
    "status-451": page(451, "Unavailable", "<h1>Unavailable for legal reasons</h1>"),
    "status-403": page(
        403, "Forbidden", "<h1>Forbidden</h1><p>You don't have permission to open / on this server.</p>"
    ),
    "status-429": page(429, "Slow down", "<h1>Too Many Requests</h1>"),
    "status-999": page(999, "Request denied", "<p>Request denied.</p>"),
    "cloudflare": page(
        403,
        "Just a moment...",
        "<h1>data.example</h1><p>Checking if the site connection is secure</p>"
        "<script src=/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1></script>",
        cf_mitigated="challenge",
        server="cloudflare",
    ),
    "akamai": page(403, "Access Denied", "<h1>Access Denied</h1><p>Reference #18.5f3e1402.1700000000.1b2c3d</p>"),
    "datadome": page(403, "data.example", "<script src=https://ct.captcha-delivery.com/c.js></script>"),
    "perimeterx": page(403, "Access to this page has been denied", "<div id=px-captcha></div><p>Press & Hold</p>"),
    "imperva": page(200, "", "<script src='/_Incapsula_Resource?SWJIYLWA=1'></script><noscript>x</noscript>"),
    "aws-waf": page(
        202, "", "<script src=https://x.token.awswaf.com/challenge.js></script>", x_amzn_waf_action="challenge"
    ),
    "sucuri": page(403, "Sucuri Website Firewall - Access Denied", "<h1>Access Denied</h1>"),
    "google-sorry": page(429, "Sorry...", "<p>unusual traffic</p>", url="https://www.google.com/sorry/index?q=1"),
    "captcha": page(200, "One more step", f"<h1>One more step</h1><form>{WIDGET}<button>Go on</button></form>"),
    "human-check": page(200, "Verification", "<h1>Are you human?</h1><p>Tick the box.</p><input type=checkbox>"),
    "status-5xx": page(503, "Service unavailable", "<h1>503</h1><p>Back soon.</p>"),
}
MORE_BLOCKS = [
    ("status-5xx", page(500, "Error", "")),
    ("status-5xx", page(502, "Bad gateway", "<p>nginx</p>")),
    ("status-5xx", Page(504, "https://data.example/", {}, "")),
    ("status-403", Page(403, "https://data.example/table.csv", {"content-type": "text/csv"}, "")),
    ("cloudflare", page(200, "Just a moment...", "<script src=/cdn-cgi/challenge-platform/h/g/x></script>")),
    (
        "cloudflare",
        page(403, "Attention Required! | Cloudflare", "<div id=cf-error-details>Sorry, you have been blocked</div>"),
    ),
    ("captcha", page(403, "Just one check", f"<form>{TURNSTILE}</form>")),
    ("captcha", page(200, "Prüfung", f"<h1>Sicherheitsprüfung</h1><form>{WIDGET}</form>")),
    ("human-check", page(200, "Pardon Our Interruption", "<h1>Pardon Our Interruption</h1>")),
    (
        "human-check",
        page(200, "Robot?", "<p>We have detected unusual traffic from your network. Verify you are human.</p>"),
    ),
    ("human-check", page(503, "Wait", "<p>Please enable JavaScript and cookies to continue</p>")),
    ("human-check", page(200, "data.example", "<p>Verifying your browser before accessing data.example</p>")),
]
HONEST = {
    "a table": page(200, "Rates", "<h1>Rates</h1><table><tr><td>1</td></tr></table>"),
    "behind a maker of challenges": page(
        200, "Rates", "<h1>Rates</h1><p>4.2</p>", server="cloudflare", cf_ray="8f1-AMS"
    ),
    "its script on an honest page": page(
        200, "Rates", f"{MENU}{LONG}<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>"
    ),
    "an article about captchas": page(
        200, "How captchas work", f"<article><h1>Are you human? A history of captchas</h1>{LONG}</article>"
    ),
    "a short post about them": page(
        200, "Forum", "<article><h2>Verify you are human, again and again</h2><p>Same here.</p></article>"
    ),
    "a forum's list with such a title": page(200, "Forum", f"<h1>Forum</h1>{MENU}<a href=/t/9>Are you a robot?</a>"),
    "a log-in with a captcha": page(
        200,
        "Log in",
        f"<form><input name=user><input type=password name=password>{WIDGET}<button>Log in</button></form>",
    ),
    "a letter form with a captcha": page(
        200,
        "Write to us",
        f"<h1>Write to us</h1><form><input type=email name=mail><textarea></textarea>{TURNSTILE}</form>",
    ),
    "a search page with a captcha script": page(200, "Search", f"<form><input name=q></form>{WIDGET}"),
    "a data page with a hidden captcha": page(200, "Data", f"<h1>Data</h1>{LONG}{WIDGET}"),
    "waiting times at security checkpoints": page(
        200, "Security checkpoint waits", "<h1>Security checkpoint waits</h1><p>9 min"
    ),
    "share of automated traffic": page(200, "Traffic", "<h1>Unusual traffic by port, automated gates</h1><p>12 %</p>"),
    "a missing page": page(404, "Not found", "<h1>404</h1><p>No such page.</p>"),
    "a page that is gone": page(410, "Gone", "<h1>410</h1>"),
    "a page for members": page(401, "Log in", "<h1>Please log in</h1><form><input name=user></form>"),
    "a teapot": page(418, "Teapot", "<h1>I am a teapot</h1>"),
    "an empty page": Page(200, "https://data.example/", {}, ""),
    "a page of a script": page(200, "App", "<div id=root></div><script src=/app.js></script>"),
    "a file": Page(200, "https://data.example/t.csv", {"content-type": "text/csv"}, ""),
    "an article named robots": page(200, "I, not a robot", f"<h1>Robots</h1>{LONG}{LONG}"),
}


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
def test_every_rule_has_a_page_that_it_takes(rule: str) -> None:
    assert rule_of(BLOCKS[rule]) == rule


@pytest.mark.parametrize(("rule", "found"), MORE_BLOCKS)
def test_more_blocks(rule: str, found: Page) -> None:
    assert rule_of(found) == rule


@pytest.mark.parametrize("name", HONEST)
def test_honest_pages_are_no_blocks(name: str) -> None:
    assert rule_of(HONEST[name]) == ""


def test_hard_rules_are_rules() -> None:
    assert {rule.name for rule in RULES} >= HARD
