"""One Chromium an episode, started through a wrapper that joins the World's network and a mount namespace of its own.

Inside there is the browser, its libraries and fonts, its own folder and one policy file: no repository, site data, key,
home or work folder. Playwright talks to it over the pipe that the wrapper inherits.
"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from playwright.async_api import BrowserContext, Playwright, ProxySettings, ViewportSize

from webds import jail
from webds.config import display, is_root
from webds.envs.browser.picture import PictureSettings
from webds.envs.browser.shadow import PATCHES
from webds.types import Params
from webds_recorder.determinism import init_script

POLICY = {
    # The star alone leaves chrome: and devtools: open (tried), so they stand beside it. A page's own blob: address
    # cannot be listed; it shows bytes that the page made, and what it asks for comes through the proxy like the rest.
    "URLBlocklist": [
        "*",
        "file://*",
        "view-source:*",
        "chrome://*",
        "chrome-untrusted://*",
        "chrome-extension://*",
        "devtools://*",
        "data:*",
    ],
    "URLAllowlist": ["http://*", "https://*"],
    "PasswordManagerEnabled": False,
    "PasswordLeakDetectionEnabled": False,
    "BrowserSignin": 0,
    "DefaultNotificationsSetting": 2,
    "DefaultGeolocationSetting": 2,
    "PromptForDownloadLocation": False,
    "SafeBrowsingProtectionLevel": 0,
    "SpellcheckEnabled": False,
    # Once more than the flag, whose name has changed between releases: under the old one alone STUN left (tried).
    "WebRtcIPHandling": "disable_non_proxied_udp",
    "AlwaysOpenPdfExternally": True,
    # The browser's own tabs (what's new, set-up) would stand beside the agent's, seen once in twenty starts.
    "PromotionsEnabled": False,
    "PromotionalTabsEnabled": False,
    # With autofill on, every form asks a server of the browser's maker what its fields mean (blocked, but logged).
    "AutofillAddressEnabled": False,
    "AutofillCreditCardEnabled": False,
}
_X11 = "/tmp/.X11-unix"  # noqa: S108 - where every X server has its sockets
_CLOSED = "http://127.0.0.1:9/"
QUIET = (
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
    "--disable-domain-reliability",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-sync",
    "--disable-gpu",
    "--no-first-run",
    f"--gaia-url={_CLOSED}",
    f"--google-apis-url={_CLOSED}",
    f"--component-updater=url-source={_CLOSED}",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--force-color-profile=srgb",
    "--disable-dev-shm-usage",
    # A picture must not tell in which order things came. When a font or a box comes late, only its part of a tile is
    # drawn again, and edges cut by that part have other pixels (tried: a rounded corner in 11 of 39 replays); a large
    # image is left out of a tile until it is decoded.
    "--disable-partial-raster",
    "--disable-checker-imaging",
)
"""Docs: replay, section Isolation, layer 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSettings:
    """Fixed for a run and recorded in run.json. Sizes in CSS pixels; `zone` is an IANA name."""

    chromium: str
    width: int = 1280
    height: int = 720
    locale: str = "en-US"
    zone: str = "UTC"
    scheme: Literal["light", "dark"] = "light"
    picture: PictureSettings = field(default_factory=PictureSettings)
    cdp: bool = False
    """Whether an agent gets the browser's own address (webds.envs.browser.gateway)."""
    window: bool = False
    """Whether a person sees it, on the display that the environment names."""


def _program(chromium: str) -> str:
    """The real binary behind Debian's start script, which would read /etc/chromium.d and the home folder."""
    real = Path("/usr/lib/chromium/chromium")
    return str(real) if Path(chromium).resolve() == Path("/usr/bin/chromium") and real.exists() else chromium


def _jail(chromium: str, folder: Path, policy: Path, *, window: bool) -> jail.Jail:
    home = str(folder)
    screen = _screen(folder) if window else {}
    outside = Path(chromium).resolve().parent
    extra = () if str(outside).startswith("/usr/") else ((str(outside), str(outside)),)
    policies = ("/etc/chromium/policies/managed", "/etc/opt/chrome/policies/managed")
    return jail.Jail(
        read_only=(
            *jail.system_paths(),
            *extra,
            *((str(policy), f"{place}/webds.json") for place in policies),
            *(((_X11, _X11),) if window and Path(_X11).is_dir() else ()),
        ),
        writable=((home, home),),
        network="keep",
        cwd=home,
        env={"HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home, "LANG": "C.UTF-8", "TZ": "UTC", **screen},
    )


def _screen(folder: Path) -> dict[str, str]:
    """The display's variables, its right to connect copied to where the browser can read it."""
    found = display()
    if "XAUTHORITY" in found and Path(found["XAUTHORITY"]).is_file():
        shutil.copyfile(found["XAUTHORITY"], folder / "xauthority")
        found["XAUTHORITY"] = str(folder / "xauthority")
    return found


def write_wrapper(settings: BrowserSettings, access: Params, folder: Path, work: Path) -> tuple[Path, str]:
    """The executable that Playwright starts instead of Chromium; returns its path and the jail's mechanism."""
    policy = folder / "policy.json"
    policy.write_text(json.dumps(POLICY))
    wrapper = folder / "chromium.sh"
    if container := access.get("container"):
        assert isinstance(container, list | tuple)
        places = (("{folder}", folder), ("{work}", work), ("{policy}", policy))
        words = [_fill(str(word), places) for word in container]
        # Playwright's pipe is on 3 and 4, where `docker run` passes on only stdin and stdout.
        wrapper.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@" <&3 >&4\n')
        wrapper.chmod(0o755)
        return wrapper, "container"
    how = jail.mechanism()
    program = _program(settings.chromium)
    inner = (
        [program] if how == "none" else jail.command(_jail(program, folder, policy, window=settings.window), [program])
    )
    enter = access.get("enter") or ()
    assert isinstance(enter, list | tuple)
    wrapper.write_text(f'#!/bin/sh\nexec {shlex.join([*map(str, enter), *inner])} "$@"\n')
    wrapper.chmod(0o755)
    return wrapper, how


def _fill(word: str, places: Sequence[tuple[str, Path]]) -> str:
    for mark, path in places:
        word = word.replace(mark, str(path.resolve()))
    return word


def arguments(access: Params) -> Sequence[str]:
    """Chromium's own flags for one episode."""
    boxed = is_root() or jail.mechanism() != "none" or "container" in access
    rootly = ("--no-sandbox",) if boxed else ()
    return (*QUIET, *rootly, f"--ignore-certificate-errors-spki-list={access['spki']}")


async def launch(
    playwright: Playwright, settings: BrowserSettings, access: Params, folder: Path, port: int = 0
) -> BrowserContext:
    """A fresh persistent context in a fresh Chromium; closing the context ends both. `folder` is the browser's own.

    An access without `proxy` goes straight to the network: only the bench gives one. `port`: of CDP; 0: none.
    """
    downloads, work = folder / "downloads", folder / "work"
    for path in (downloads, work):
        path.mkdir()
    wrapper, _ = write_wrapper(settings, access, folder, work)
    own(folder)
    # Not a persistent context: with one, Chromium on a busy machine starts with tabs of its own beside ours (tried).
    # Its profile lies in the jail's own /tmp, gone with it.
    browser = await playwright.chromium.launch(
        executable_path=str(wrapper),
        headless=not settings.window,
        args=[*arguments(access), *([f"--remote-debugging-port={port}"] if port else [])],
        ignore_default_args=["--disable-popup-blocking"],
        proxy=ProxySettings(server=str(access["proxy"])) if access.get("proxy") else None,
        downloads_path=str(downloads),
        env={**_environment(folder), **(display() if settings.window else {})},
        handle_sigint=False,
        handle_sigterm=False,
        handle_sighup=False,
    )
    context = await browser.new_context(
        accept_downloads=True,
        viewport=ViewportSize(width=settings.width, height=settings.height),
        device_scale_factor=settings.picture.scale,
        locale=settings.locale,
        timezone_id=settings.zone,
        color_scheme=settings.scheme,
        reduced_motion="reduce",
    )
    await context.add_init_script(PATCHES + fixed_moment(access))  # in this order: the patches need the real clock
    await context.new_page()
    return context


async def shut(context: BrowserContext) -> None:
    """Close the context and its Chromium."""
    await context.close()
    if context.browser is not None:
        await context.browser.close()


@asynccontextmanager
async def launched(
    playwright: Playwright, settings: BrowserSettings, access: Params, folder: Path
) -> AsyncIterator[BrowserContext]:
    """`launch` for the length of a block; `folder` is made."""
    folder.mkdir(parents=True, exist_ok=True)
    context = await launch(playwright, settings, access, folder)
    try:
        yield context
    finally:
        await shut(context)


def _environment(folder: Path) -> dict[str, str | float | bool]:
    path = os.defpath if shutil.which("nsenter", path=os.defpath) else "/usr/sbin:/usr/bin:/sbin:/bin"
    return {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8"}


def own(folder: Path) -> None:
    """Give a folder to the uid that the browser and the tools run as, where we are root."""
    if is_root() and jail.mechanism() != "none" and sys.platform == "linux":
        for path in (folder, *folder.rglob("*")):
            os.chown(path, jail.NOBODY, jail.NOBODY, follow_symlinks=False)


def fixed_moment(access: Params) -> str:
    """Init script: clock and random numbers of each frozen host are the World's; its server and workers agree."""
    frozen = access.get("frozen") or {}
    assert isinstance(frozen, Mapping)
    hosts = {str(host): int(str(instant)) for host, instant in frozen.items()}
    return init_script(hosts, int(str(access.get("seed", 1))))
