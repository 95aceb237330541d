"""Sites in process, without a proxy: what the validator reads, and what `webds sites serve` shows a person."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from webds.errors import InputFault
from webds.tracks.sites import Site, load_app, readable


def app_of(root: Path, site: Site) -> Any:
    """The site's ASGI app, made anew."""
    return load_app(root, site.folder, site.frozen)


def fetch_from(root: Path) -> Callable[[str], bytes]:
    """A function that gives the body which a site serves at an address. InputFault for anything but a 200."""
    known, _ = readable(root)
    sites = {site.host: site for site in known.values()}
    apps: dict[str, Any] = {}

    def fetch(url: str) -> bytes:
        host = urlsplit(url).hostname or ""
        if host not in sites:
            raise InputFault(
                f"{url}: no site {host.removesuffix('.test')!r}; known: {', '.join(s.name for s in sites.values())}"
            )
        if host not in apps:
            apps[host] = app_of(root, sites[host])
        return asyncio.run(_get(apps[host], url))

    return fetch


async def _get(app: Any, url: str) -> bytes:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, follow_redirects=True) as client:
        answer = await client.get(url)
    if answer.status_code != 200:
        raise InputFault(f"{url}: the site answers {answer.status_code}")
    return answer.content
