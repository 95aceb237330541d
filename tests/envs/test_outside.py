"""Which of an agent's addresses count as outside: a pure table, and a link that leads there."""

from typing import Any

import pytest
from playwright.async_api import async_playwright

from webds.config import find_chromium
from webds.envs.browser.outside import Outside, hosts_of
from webds.types import Action

INSIDE = ("https://a.test/x", "/y", "http://a.test.", "https://a.test:444/", "about:blank", "", "?q=file:///etc")
AWAY = ("https://b.test/", "//b.test/", "file:///etc/passwd", "view-source:https://a.test/", "data:text/html,x",
        "http://2130706433/", "http://[::1]:8443/", "http://[bad/", "https://a.test@b.test/", "chrome://version",
        "javascript:alert(1)", "blob:https://a.test/1", "https://sub.a.test/")  # fmt: skip


async def test_addresses() -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        context = await browser.new_context()

        def said(urls: tuple[str, ...], hosts: tuple[str, ...]) -> dict[str, Any]:
            outside = Outside(context, hosts)
            for url in urls:
                outside.asked(Action(name="goto", args={"url": url}), "https://a.test/")
            return dict(outside.findings())

        assert said(INSIDE, ("a.test",)) == {}
        for url in AWAY:
            found = said((url,), ("a.test",))
            assert len(found["outside"]) == 1, url
            assert found["flags"][0].startswith("asked for an address outside the sites: ")
        assert said(("https://anything.example/",), ()) == {}
        assert said(("https://anything.example/",), ("*",)) == {}
        assert len(said(("file:///etc/passwd",), ())["outside"]) == 1
        many = said(tuple(f"https://b.test/{n}" for n in range(50)), ("a.test",))
        assert len(many["outside"]) == 20
        assert many["flags"] == ("asked for 50 addresses outside the sites: https://b.test/0 and more",)
        await browser.close()


@pytest.mark.parametrize(("access", "hosts"), [({}, ()), ({"frozen": {"a.test": 1}}, ("a.test",))])
def test_hosts_are_those_of_the_access(access: dict[str, Any], hosts: tuple[str, ...]) -> None:
    assert tuple(hosts_of(access)) == hosts
