"""Makes a site's archive from its app: the app is the origin, the archive is the site.

Pages that need no script are fetched in process over ASGI, through the writer that a capture uses. The crawl follows
what a page names: links, pictures, styles, scripts, `data-src`, addresses in style sheets, and GET forms whose
fields are only choices. What only a script asks for stands in site.toml, `[archive] paths`.
"""

import asyncio
import itertools
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import httpx
from bs4 import BeautifulSoup, Tag

from webds import __version__
from webds.config import read_toml
from webds.errors import InputFault
from webds.tracks.siteapps import app_of
from webds.tracks.sites import Site
from webds_recorder.archive import read_manifest
from webds_recorder.exchange import Exchange, Request
from webds_recorder.match import Rule, Rules
from webds_recorder.writer import ArchiveWriter, Terms

START = ("/", "/robots.txt", "/favicon.ico")
LIMIT = 20_000
CHOICES = 500
"""More combinations than this of a form's choices are a query space: such a site says serve = "app"."""
_OF_THE_FILE = ("last-modified", "etag")
"""Headers that a file server makes, both together, from a file's age in this checkout: not the page's, so not the
archive's. A date that stands without an ETag was set by the app, as the kit's downloads have the frozen instant."""
_NAMES = ("href", "src", "data-src", "poster", "action")
_STYLE = re.compile(rb"url\(\s*['\"]?([^'\")]+)")


def build(root: Path, site: Site, into: Path) -> str:
    """Write the archive of `site` to the folder `into` (replaced); returns its digest."""
    extra = read_toml(site.folder / "site.toml").get("archive", {}).get("paths", [])
    rules = Rules(rules=(Rule(name="search", url=f"https://{site.host}/search", keep=()),))
    terms = Terms(site=site.name, frozen=site.frozen, match=rules)
    with ArchiveWriter(into, terms, force=True) as writer:
        asyncio.run(_crawl(app_of(root, site), site.host, writer, [*START, *map(str, extra)]))
        return writer.finish({"tool": f"webds {__version__}", "origin": "app, in process"})


async def _crawl(app: Any, host: str, writer: ArchiveWriter, paths: list[str]) -> None:
    base = f"https://{host}"
    waiting = deque(urljoin(base, path) for path in paths)
    seen = set(waiting)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    headers = {"accept-encoding": "identity"}
    async with httpx.AsyncClient(transport=transport, headers=headers, follow_redirects=False) as web:
        while waiting:
            url = waiting.popleft()
            answer = await web.get(url)
            writer.add(_exchange(url, answer))
            for link in named(url, answer):
                if link not in seen and urlsplit(link).hostname == host:
                    seen.add(link)
                    waiting.append(link)
            if len(seen) > LIMIT:
                raise InputFault(f'site {host.removesuffix(".test")}: more than {LIMIT} addresses: say serve = "app"')


def _exchange(url: str, answer: httpx.Response) -> Exchange:
    raw = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.headers.raw)
    left_out = _OF_THE_FILE if "etag" in answer.headers else ()
    headers = tuple((name, value) for name, value in raw if name.lower() not in left_out)
    return Exchange(
        request=Request.to(url),
        status=answer.status_code,
        reason=answer.reason_phrase,
        headers=headers,
        body=answer.content,
    )


def named(url: str, answer: httpx.Response) -> Iterator[str]:
    """Whole addresses, without fragments, that a response names, in order."""
    media = answer.headers.get("content-type", "").split(";")[0]
    found: list[str] = []
    if "location" in answer.headers:
        found.append(answer.headers["location"])
    if media == "text/css":
        found += [match.decode("latin-1") for match in _STYLE.findall(answer.content)]
    elif media == "text/html":
        soup = BeautifulSoup(answer.content, "lxml")
        found += [str(tag[name]) for name in _NAMES for tag in soup.select(f"[{name}]") if _got(tag, name)]
        found += [part.split()[0] for tag in soup.select("[srcset]") for part in str(tag["srcset"]).split(",")]
        for form in soup.select("form"):
            found += submitted(form)
    for link in found:
        whole = urljoin(url, link.strip()).split("#")[0]
        if urlsplit(whole).scheme in ("http", "https"):
            yield whole


def _got(tag: Tag, name: str) -> bool:
    """Whether the attribute is an address that a GET can follow: a form's action is left to `submitted`."""
    return name != "action" and not (tag.name == "a" and tag.get("download") == "blob")


def submitted(form: Tag) -> list[str]:
    """Every address that a GET form of choices can lead to. One with a field to type in leads to its bare action,
    which has to be the same page for every query: the browser searches a prebuilt index (the kit's search)."""
    if str(form.get("method", "get")).lower() != "get":
        return []
    action = str(form.get("action", ""))
    fields: list[list[tuple[str, str]]] = []
    for field in form.select("select[name], input[name]"):
        name, kind = str(field["name"]), str(field.get("type", "text"))
        if field.name == "select":
            fields.append([(name, _value(option)) for option in field.select("option")])
        elif kind == "hidden":
            fields.append([(name, str(field.get("value", "")))])
        elif kind not in ("submit", "button"):
            return [action]
    count = 1
    for field_values in fields:
        count *= max(1, len(field_values))
    if not fields or count > CHOICES:
        return []
    return [f"{action}?{urlencode(combination)}" for combination in itertools.product(*fields)]


def _value(option: Tag) -> str:
    return str(option["value"]) if option.has_attr("value") else option.get_text().strip()


def digest_of(folder: Path) -> str:
    """The digest of an archive folder, or empty where there is none."""
    return str(read_manifest(folder)["digest"]) if (folder / "manifest.json").is_file() else ""
