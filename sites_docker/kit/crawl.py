"""Walk a site from its home page over ASGI, as the tests of each site do."""

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
from bs4 import BeautifulSoup


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One address with what it served; for a page also its title and the text of its main part."""

    url: str
    status: int
    media: str
    body: bytes
    title: str = ""
    text: str = ""
    links: frozenset[str] = frozenset()


def links_of(url: str, soup: BeautifulSoup) -> frozenset[str]:
    """Addresses that a page names in href, src and data-src, whole and without fragments."""
    named = [tag[name] for name in ("href", "src", "data-src") for tag in soup.select(f"[{name}]")]
    whole = (urljoin(url, str(item)).split("#")[0] for item in named)
    return frozenset(link for link in whole if urlsplit(link).scheme in ("http", "https"))


async def crawl(app: Any, host: str, *, skip: tuple[str, ...] = (), limit: int = 5000) -> list[Visit]:
    """Every address of the host that / leads to, once. Paths that begin with one of `skip` are not opened."""
    start = f"https://{host}/"
    waiting, seen = deque([start]), {start}
    visits: list[Visit] = []
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, follow_redirects=True) as web:
        while waiting and len(visits) < limit:
            url = waiting.popleft()
            visit = _read(url, await web.get(url))
            visits.append(visit)
            for link in sorted(visit.links - seen):
                seen.add(link)
                if urlsplit(link).hostname == host and not urlsplit(link).path.startswith(skip):
                    waiting.append(link)
    return visits


def _read(url: str, answer: httpx.Response) -> Visit:
    media = answer.headers.get("content-type", "").split(";")[0]
    if media != "text/html":
        return Visit(url=url, status=answer.status_code, media=media, body=answer.content)
    soup = BeautifulSoup(answer.text, "lxml")
    return Visit(
        url=url,
        status=answer.status_code,
        media=media,
        body=answer.content,
        title=soup.title.get_text() if soup.title else "",
        text=soup.main.get_text(" ", strip=True) if soup.main else "",
        links=links_of(url, soup),
    )


def faults(visits: list[Visit], host: str, footer: str, canary: str, missing: Collection[str] = ()) -> list[str]:
    """What is wrong, one line each: dead links (but for paths in `missing`), links to other hosts, pages without the
    footer sentence, the canary or a title, and pages whose main text is another's."""
    found: list[str] = []
    texts: dict[str, str] = {}
    for visit in visits:
        if visit.status != 200:
            if urlsplit(visit.url).path not in missing:
                found.append(f"{visit.url}: answers {visit.status}")
            continue
        found += [f"{visit.url}: names {link}" for link in sorted(visit.links) if urlsplit(link).hostname != host]
        if visit.media == "text/html":
            found += _page_faults(visit, footer, canary, texts)
    return found


def _page_faults(visit: Visit, footer: str, canary: str, texts: dict[str, str]) -> list[str]:
    page = BeautifulSoup(visit.body, "lxml").get_text(" ")
    wrong = []
    if footer not in " ".join(page.split()):
        wrong.append(f"{visit.url}: lacks the footer sentence")
    if visit.body.decode(errors="replace").count(canary) < 2:
        wrong.append(f"{visit.url}: lacks the canary")
    if not visit.title or not visit.text:
        wrong.append(f"{visit.url}: lacks a title or a main part")
    elif visit.text in texts:
        wrong.append(f"{visit.url}: says what {texts[visit.text]} says")
    texts.setdefault(visit.text, visit.url)
    return wrong
