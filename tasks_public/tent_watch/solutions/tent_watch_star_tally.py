"""Check each of the member's tallies against the challenges tab of its series; delete the one that is wrong."""

import json

from webds.agents.hand import Hand, newest
from webds.ports import Session

ME = "rolling_pin_rita"
COMPARE = """
import json, re
from bs4 import BeautifulSoup
def soup(name):
    return BeautifulSoup(open(name, encoding="utf-8"), "lxml")
for place, post in enumerate(soup({thread!r}).select("article.post"), start=1):
    if post.select_one("header a").get_text() != {me!r}:
        continue
    body = post.select_one(".body").get_text()
    series, baker, said = re.search(r"Series (\\d+): (\\w+) was star baker (\\d+) times", body).groups()
    rows = soup({tabs!r}[series]).select("table.challenges tbody tr")
    rows = [row for row in rows if row.select("td")[1].get_text() == baker]
    results = [row.select_one(".result").get_text(strip=True) for row in rows]
    if results.count("STAR BAKER") != int(said):
        print(json.dumps([place, results.count("STAR BAKER")]))
"""


async def solve(session: Session) -> None:
    """Own posts have a link of their own; a page asks again before anything is deleted."""
    hand = Hand(session)
    await hand.look()
    await hand.click("link", "Log in")
    await hand.fill("textbox", "User name", ME)
    await hand.fill("textbox", "Password", "choux-bun-34")
    await hand.click("button", "Log in")
    tabs = {}
    for series in map(str, range(1, 11)):
        tabs[series] = newest(await hand.do("download", url=f"https://tent-watch.test/series/{series}/challenges"))
    await hand.click("link", "Results and technicals")
    await hand.click("link", "Star baker tallies")
    thread = newest(await hand.do("download", url=str(hand.seen.view["url"])))
    place, times = json.loads(await hand.python(COMPARE.format(tabs=tabs, thread=thread, me=ME)))
    await hand.click("link", f"Delete post {place}")
    await hand.click("button", "Yes, delete it")
    await hand.submit(str(times))
