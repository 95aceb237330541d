"""`webds freeze`: capture a site into an archive."""

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from webds import __version__, scratch
from webds import config as settings
from webds.codec import sha256
from webds.envs.browser.capture import Visitor, read_script, visiting
from webds.envs.browser.launch import BrowserSettings
from webds.errors import InputFault
from webds.store import read_json, write_json
from webds_recorder.archive import ArchiveReader
from webds_recorder.capturing import Capture, Wanted, capturing
from webds_recorder.crawl import Frontier, Reach, Robots, absolute, links
from webds_recorder.exchange import Request
from webds_recorder.match import exact_key
from webds_recorder.propose import propose
from webds_recorder.target import beside, check_place
from webds_recorder.writer import FRONTIER, ArchiveWriter, Terms

app = typer.Typer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """All that one capture needs to know."""

    urls: tuple[str, ...]
    folder: Path
    terms: Terms
    reach: Reach
    wanted: Wanted
    browser: BrowserSettings
    script: Path | None
    robots: bool
    delay: float
    limits: tuple[float, float]
    resume: bool
    force: bool
    allowed_headers: tuple[str, ...]


@app.command()
def freeze(
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="Pages to begin with.", show_default=False)],
    site: Annotated[str, typer.Option(help="Name of the site.", show_default=False)],
    out: Annotated[Path | None, typer.Option(help="Archive folder; default archives/<site>.")] = None,
    crawl: Annotated[bool, typer.Option("--crawl", help="Follow links.")] = False,
    depth: Annotated[int, typer.Option(min=0, help="With --crawl: links away from the first pages.")] = 2,
    pages: Annotated[int, typer.Option(min=1, help="With --crawl: pages at most.")] = 200,
    allow: Annotated[list[str] | None, typer.Option(help="URL pattern to follow; default the first hosts.")] = None,
    deny: Annotated[list[str] | None, typer.Option(help="URL pattern not to follow.")] = None,
    script: Annotated[Path | None, typer.Option(help="Python file with `async def run(page)` (Playwright).")] = None,
    twice: Annotated[bool, typer.Option("--twice", help="Capture twice and propose volatile rules.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a capture that was cut off.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an archive that is there.")] = False,
    frozen: Annotated[str, typer.Option(help="Instant that pages believe in; default now.")] = "",
    seed: Annotated[int, typer.Option(help="Of the pages' random numbers.")] = 1,
    robots: Annotated[bool, typer.Option("--robots/--no-robots", help="Obey robots.txt.")] = True,
    delay: Annotated[float, typer.Option(min=0, help="Seconds between pages.")] = 1.0,
    settle: Annotated[float, typer.Option(min=0, help="Seconds to wait for quiet.")] = 3.0,
    cap: Annotated[int, typer.Option(min=1, help="Largest body to store, in MB.")] = 64,
    redact: Annotated[list[str] | None, typer.Option(help="Text to replace wherever it stands in answers.")] = None,
    allow_header: Annotated[list[str] | None, typer.Option(help="Header whose values may look random.")] = None,
    map_: Annotated[list[str] | None, typer.Option("--map", help="HOST=ORIGIN: ask another address.")] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Accept any certificate of the origin.")] = False,
    config: Annotated[Path | None, typer.Option(help="TOML file over the defaults.")] = None,
) -> None:
    """Capture pages of a real site, with all that they load, into an archive that replays them exactly."""
    resolved = settings.resolve(config, ())
    browser = _browser(resolved)
    if script is not None:
        read_script(script)
    folder = out or Path("archives") / site
    check_place(folder, resume, force)
    if twice:
        check_place(beside(folder, ".second"), force=True)
    order = Order(
        urls=tuple(checked(urls)),
        folder=folder,
        terms=Terms(
            site=site, frozen=instant(frozen or _begun(folder, resume)), seed=seed,
            locale=browser.locale, zone=browser.zone, viewport=(browser.width, browser.height),
        ),
        reach=Reach(depth=depth if crawl else 0, pages=pages, allow=tuple(allow or ()), deny=tuple(deny or ())),
        wanted=Wanted(
            origins=origins(map_ or ()), insecure=insecure, cap=cap << 20, redact=tuple(redact or ())
        ),
        browser=browser, script=script, robots=robots, delay=delay,
        limits=(float(resolved["limits"]["page"]), settle), resume=resume, force=force,
        allowed_headers=tuple(allow_header or ()),
    )  # fmt: skip
    screen = Console(stderr=True)
    with scratch.home():
        digest, lost = asyncio.run(capture(order, screen))
        typer.echo(f"archive: {folder} {digest}")
        if twice:
            _compare(order, screen)
    if lost:
        screen.print(f"webds: not captured: {', '.join(lost)}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(1)


def _browser(resolved: Mapping[str, Any]) -> BrowserSettings:
    return BrowserSettings(
        chromium=settings.find_chromium(resolved["chromium"]),
        width=resolved["viewport"]["width"],
        height=resolved["viewport"]["height"],
        locale=resolved["locale"],
        zone=resolved["zone"],
    )


def _begun(folder: Path, resume: bool) -> str:
    """The instant of the capture that is taken up again, else nothing."""
    place = frontier_file(folder)
    return str(read_json(place)["frozen"]) if resume and place.is_file() else ""


def checked(urls: Sequence[str]) -> list[str]:
    """Absolute http(s) addresses. InputFault names the first that is none."""
    for url in urls:
        if not absolute([url], ""):
            raise InputFault(f"URL {url!r}: wanted an address like https://example.org/")
    return absolute(urls, "")


def instant(text: str) -> datetime:
    """--frozen as an instant in UTC; now, to the second, where it is empty."""
    if not text:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError as error:
        raise InputFault(f"--frozen {text}: wanted an instant like 2022-06-24T12:00:00Z") from error


def origins(words: Sequence[str], *, lower: bool = True) -> dict[str, str]:
    """--map HOST=ORIGIN as host -> origin; `lower`: the host in small letters."""
    found = {}
    for word in words:
        host, _, origin = word.partition("=")
        if not host or not absolute([origin], ""):
            raise InputFault(f"--map {word}: wanted HOST=http://address:port")
        found[host.lower() if lower else host] = origin.rstrip("/")
    return found


async def capture(order: Order, screen: Console) -> tuple[str, list[str]]:
    """One capture from first page to sealed archive: its digest, and those of the first pages that are not in it."""
    began = datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="webds-freeze-", ignore_cleanup_errors=True) as name:
        place = Path(name)
        place.chmod(0o755)
        async with capturing(order.folder, order.terms, order.wanted, place, order.resume) as proxy:
            clock = (int(order.terms.frozen.timestamp() * 1000), order.terms.seed)
            async with visiting(order.browser, proxy.address, proxy.spki, *clock, place, order.limits) as visitor:
                refused = await walk(order, visitor, proxy, screen)
                if order.script is not None and _kept(order).get("played") != (
                    mark := sha256(order.script.read_bytes())
                ):
                    await visitor.play(order.script)
                    _keep(order, played=mark)
            last = await proxy.close()
    for line in [*refused, *last["skipped"]]:
        screen.print(f"note: {line}", markup=False, highlight=False, soft_wrap=True)
    notes = [*_kept(order).get("notes", ()), *refused, *last["skipped"]]
    _keep(order, notes=notes)
    return seal(order, began, notes, last["redacted"]), _lost(order, notes)


def _lost(order: Order, notes: Sequence[str]) -> list[str]:
    """The pages to begin with that a note is about and that have no answer."""
    noted = [url for url in order.urls if any(note.startswith((f"{url}: ", f"GET {url}: ")) for note in notes)]
    with ArchiveReader(order.folder, check=False) as found:
        return [url for url in noted if not found.find("exact", exact_key(Request.to(url)))]


async def walk(order: Order, visitor: Visitor, proxy: Capture, screen: Console) -> list[str]:
    """Open page after page; returns one line for each that was not captured."""
    kept = _kept(order)
    frontier = Frontier.load(kept, order.reach) if "todo" in kept else Frontier.of(order.urls, order.reach)
    _keep(order, **frontier.dump(), frozen=order.terms.frozen.isoformat())
    robots, refused = Robots(), []
    while (item := frontier.next()) is not None:
        url, _ = item
        if order.robots and not robots.knows(url):
            robots.learn(url, *await visitor.text(robots.address(url)))
        if order.robots and not robots.may(url):
            refused.append(f"{url}: robots.txt forbids it (--no-robots captures it all the same)")
            frontier.done()
            continue
        page = await visitor.open(url)
        if page.why:
            refused.append(f"{url}: {page.why}")
        frontier.done(absolute([*links(page.html, page.url), *page.links], page.url))
        _keep(order, **frontier.dump())
        stored = (await proxy.status())["stored"]
        screen.print(
            f"{frontier.opened} of {frontier.opened + len(frontier.todo)} pages, {stored} answers: {url}",
            markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip
        await asyncio.sleep(max(order.delay, robots.delay(url) if order.robots else 0) if frontier.todo else 0)
    return refused


def frontier_file(folder: Path) -> Path:
    """Where a capture keeps what it still has to open, until it is sealed."""
    return beside(folder, ".part") / FRONTIER


def _kept(order: Order) -> dict[str, Any]:
    """What the sessions so far keep for the next: the frontier, `frozen`, `played` (a script's sha256), `notes`."""
    place = frontier_file(order.folder)
    return dict(read_json(place)) if place.is_file() else {}


def _keep(order: Order, **fields: Any) -> None:
    write_json(frontier_file(order.folder), {**_kept(order), **fields})


def seal(order: Order, began: datetime, notes: list[str], redacted: list[str]) -> str:
    """Check what is left over, write manifest and provenance, give the archive its name."""
    with ArchiveWriter(order.folder, replace(order.terms, redactions=tuple(redacted)), resume=True) as writer:
        provenance: dict[str, Any] = {
            "captured": began.isoformat(),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "urls": list(order.urls),
            "webds": __version__,
            "notes": notes,
        }
        return writer.finish(provenance, order.allowed_headers)


def _compare(order: Order, screen: Console) -> None:
    """Capture again with other chance, and say what differs."""
    second = beside(order.folder, ".second")
    terms = replace(order.terms, seed=order.terms.seed + 1)
    asyncio.run(capture(replace(order, folder=second, terms=terms, resume=False, force=True), screen))
    with ArchiveReader(order.folder) as one, ArchiveReader(second) as two:
        found = propose(one, two)
    for line in found.answers:
        screen.print(f"differs: {line}", markup=False, highlight=False, soft_wrap=True)
    proposal = beside(order.folder, ".proposed.json")
    write_json(proposal, {"query": found.query, "json": found.json})
    typer.echo(f"proposed: {proposal} {json.dumps({'query': found.query, 'json': found.json})}")
    typer.echo(f"accept with: webds archive rules {order.folder} {proposal}")
