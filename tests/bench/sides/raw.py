"""Raw Playwright: click, load, screenshot. What every contender does at least. argv: chromium."""

import asyncio
import sys

from playwright.async_api import async_playwright
from wire import serve


async def main() -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
        page = await browser.new_page(viewport={"width": 1280, "height": 720})

        async def open_(url: str) -> str:
            await page.goto(url)
            await page.screenshot()
            return ""

        async def step(link: str) -> str:
            async with page.expect_navigation():
                await page.get_by_role("link", name=link, exact=True).first.click()
            await page.screenshot()
            return ""

        async def reset(url: str) -> str:
            nonlocal page
            await page.context.close()
            context = await browser.new_context(viewport={"width": 1280, "height": 720})
            page = await context.new_page()
            await page.goto(url)
            await page.screenshot()
            return ""

        await serve(open_, step, reset)


asyncio.run(main())
