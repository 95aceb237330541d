"""Log in, compare each figure of the thread with the mean on its series' ratings tab, reply where they differ."""

import json

from webds.agents.hand import Hand, newest
from webds.ports import Session

COMPARE = """
import json, re
from bs4 import BeautifulSoup
def soup(name):
    return BeautifulSoup(open(name, encoding="utf-8"), "lxml")
tabs = {tabs!r}
for place, post in enumerate(soup({thread!r}).select("article.post"), start=1):
    body = post.select_one(".body").get_text(" ")
    series = re.search(r"series (\\d+)", body, re.I)[1]
    said = re.search(r"\\d+\\.\\d\\d", body)[0]
    column = [float(cell.get_text()) for cell in soup(tabs[series]).select("td.seven")]
    mean = f"{{sum(column) / len(column):.2f}}"
    if mean != said:
        print(json.dumps([place, mean]))
"""


async def solve(session: Session) -> None:
    """The thread says which column; the overview's own average is not used."""
    hand = Hand(session)
    await hand.look()
    await hand.click("button", "Fine, close")
    await hand.click("link", "Log in")
    await hand.fill("textbox", "User name", "sieve_and_see")
    await hand.fill("textbox", "Password", "treacle-tart-92")
    await hand.click("button", "Log in")
    tabs = {}
    for series in map(str, range(4, 11)):
        tabs[series] = newest(await hand.do("download", url=f"https://tent-watch.test/series/{series}/ratings"))
    await hand.goto("https://tent-watch.test/forum/boards/ratings-room")
    await hand.click("link", "Mean seven-day audience, series by series")
    thread = newest(await hand.do("download", url=str(hand.seen.view["url"])))
    place, mean = json.loads(await hand.python(COMPARE.format(tabs=tabs, thread=thread)))
    await hand.click("link", f"Reply to post {place}")
    await hand.fill("textbox", "Your reply", mean)
    await hand.click("button", "Post reply")
    await hand.submit("done")
