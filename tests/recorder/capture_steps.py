"""What a crawl cannot reach: a search, a POST, a log-in, streams and sockets. Given to `webds freeze --script`."""

from playwright.async_api import Page

SITE = "https://portal.test"
POST = (
    "fetch('/api', {method: 'POST', body: JSON.stringify({over: 90}), headers: {'content-type': 'application/json'}})"
    ".then((r) => r.json())"
)
LIVE = "document.querySelectorAll('#events li').length === 8 && document.querySelectorAll('#socket li').length === 3"


async def run(page: Page) -> None:
    await page.goto(f"{SITE}/")
    await page.fill("[name=q]", "Item 4")
    await page.press("[name=q]", "Enter")
    await page.wait_for_url("**/search?q=Item+4")
    await page.evaluate(POST)
    await page.goto(f"{SITE}/account")
    await page.wait_for_url("**/login")
    await page.fill("[name=user]", "ann")
    await page.fill("[name=password]", "open")
    await page.click("button")
    await page.wait_for_url("**/account")
    await page.goto(f"{SITE}/live")
    await page.wait_for_function(LIVE)
    async with page.expect_download():
        await page.evaluate("location.href = '/data set.csv'")
