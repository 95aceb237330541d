"""The contract of an Environment, run on the browser and on the toy counter; and what pages do, on the browser.

Every step uses an id read from the observation. A refusal is an observation with a reason, never an exception.
"""

import csv
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.envs.hands import Eyes, downloads
from tests.toy import Counter, task
from webds.codec import canonical, sha256
from webds.envs.browser.page import Browser
from webds.ports import Environment
from webds.types import Action

REGIONS = ("North", "South", "East", "West")
pytestmark = pytest.mark.asyncio(loop_scope="module")


# ---- every environment


@pytest.fixture(params=["browser", "toy"])
def environment(request, page: Browser) -> Environment:
    return page if request.param == "browser" else Counter()


async def test_its_actions_are_json_schema_tools(environment: Environment) -> None:
    names = [str(tool["name"]) for tool in environment.actions]
    assert len(set(names)) == len(names) > 0
    for tool in environment.actions:
        schema: Any = tool["parameters"]
        assert set(tool) == {"name", "description", "parameters"}
        assert str(tool["description"]).endswith(".")
        assert schema["type"] == "object"
        assert set(schema["required"]) <= set(schema["properties"])
        json.loads(canonical(tool))


async def test_looking_changes_nothing_and_is_plain_data(environment: Environment) -> None:
    first, second = await environment.observe(), await environment.observe()
    assert first == second
    assert first.text
    json.loads(canonical(first))


@pytest.mark.parametrize(
    "action",
    [
        Action(name="no such action"),
        Action(name="goto", args={"no": "such"}),
        Action(name="add", args={"by": "three"}),
        Action(name="click", args={"id": {"deep": 1}}),
    ],
    ids=lambda action: action.name,
)
async def test_what_cannot_be_done_is_refused_in_words_and_changes_nothing(
    environment: Environment, action: Action
) -> None:
    before = await environment.observe()
    then = await environment.act(action)
    assert then.refused
    assert "Traceback" not in then.refused
    assert (await environment.observe()).view == before.view


async def test_it_collects_plain_data(environment: Environment, tmp_path: Path) -> None:
    json.loads(canonical(await environment.collect(task("t"), tmp_path)))


# ---- T16: frames and shadow roots


@pytest.mark.parametrize(
    ("button", "said"),
    [
        ("Press same", "same pressed"),
        ("Press other", "other pressed"),
        ("Press grandchild", "grandchild pressed"),
        ("Press open", "open pressed, root seen: true open"),
        ("Press nested", "nested pressed, root seen: true open"),
        ("Press closed", "closed pressed, root seen: false closed"),
        ("Press declared", "declared pressed"),
    ],
)
async def test_frames_and_shadow_roots_are_seen_and_can_be_acted_on(eyes: Eyes, button: str, said: str) -> None:
    if not str(eyes.seen.view.get("url", "")).endswith("/frames"):
        await eyes.goto("/frames")
    then = await eyes.click("button", button)
    assert not then.refused
    assert said in then.text


async def test_frames_stand_where_their_element_stands(eyes: Eyes) -> None:
    text = (await eyes.goto("/frames")).text
    order = [text.index(f"Press {name}") for name in ("same", "other", "grandchild", "open", "nested", "closed")]
    assert order == sorted(order)


# ---- T17: tables


@pytest.mark.parametrize("rows", [100, 1000, 3000, 10000])
async def test_a_table_is_told_by_its_shape_and_read_by_rows(eyes: Eyes, rows: int) -> None:
    seen = await eyes.goto(f"/table/{rows}")
    assert len(seen.text.encode()) < 20_000
    assert f'table "Output by region" {rows} rows x 8 columns' in seen.text
    assert "Region (text) | Year (year) | Day (date) | Share (percent) | Series 5 (number)" in seen.text
    assert f"| {REGIONS[(rows - 1) % 4]} |" in seen.text
    assert "^r" in seen.text
    table = eyes.id("table", "Output by region")
    part = await eyes.do("table", id=table, start=rows - 1, count=5, columns=["Region", "Series 8"])
    assert list(csv.reader(str(part.view["result"]).splitlines()[1:])) == [
        ["row", "Region", "Series 8"],
        [str(rows - 1), REGIONS[(rows - 2) % 4], f"{(rows - 2) * 8:,}"],
        [str(rows), REGIONS[(rows - 1) % 4], f"{(rows - 1) * 8:,}"],
    ]
    hit = await eyes.do("table", id=table, match="3.5%", columns=["Share"], count=3)
    assert "3.5%^r" in str(hit.view["result"])
    assert "matching rows" in str(hit.view["result"])
    found = await eyes.do("find", text=f"{(rows - 1) * 8:,}")
    assert f"in table [{table}]" in str(found.view["result"])


async def test_a_wrong_column_lists_the_columns(eyes: Eyes) -> None:
    await eyes.goto("/table/100")
    then = await eyes.do("table", id=eyes.id("table", "Output"), columns=["Nonsense"])
    assert "Region, Year, Day" in then.refused


@pytest.mark.parametrize(("start", "match"), [(1990, ""), (1, "Station 1234")])
async def test_a_virtualised_grid_is_read_whole(eyes: Eyes, start: int, match: str) -> None:
    await eyes.goto("/grid")
    assert "2000 rows x 2 columns, 12 loaded" in eyes.text
    then = await eyes.do("table", id=eyes.id("table", "Stations"), start=start, count=3, match=match)
    lines = str(then.view["result"]).splitlines()
    assert lines[1] == "row,Station,Height"
    if match:
        assert lines[2].startswith("1234,Station 1234,")
    else:
        assert [line.split(",")[1] for line in lines[2:]] == ["Station 1990", "Station 1991", "Station 1992"]


async def test_large_inline_images_and_charts(eyes: Eyes) -> None:
    seen = await eyes.goto("/images")
    assert len(seen.text) < 1_000
    assert 'chart "Sales by year" (svg' in seen.text
    assert "2020: 14" in seen.text
    assert 'chart "Prices" (canvas' in seen.text


# ---- T18: downloads


async def test_files_come_under_their_true_names(eyes: Eyes, page: Browser) -> None:
    await eyes.goto("/downloads")
    links = {
        "Plain CSV": "plain.csv",
        "Workbook": "Annual book.xlsx",
        "Report PDF": "report.pdf",
        "Bundle": "bundle.zip",
        "Empty file": "empty.csv",
        "Accented name": "été 2021.csv",
        "Same one": "same.csv",
        "Same two": "same (2).csv",
        "Slow file": "slow.csv",
        "Evil name": "_.._etc_passwd",
    }
    for link in links:
        then = await eyes.click("link", link)
        assert not then.refused, link
        assert "Files" in then.text
    made = await eyes.click("button", "Make a file")
    listed = downloads(made)
    assert list(listed) == [*links.values(), "made.csv"]
    assert {path.name for path in page.work.iterdir()} == set(listed)
    for name, row in listed.items():
        data = (page.work / name).read_bytes()
        assert (row["size"], row["sha256"]) == (len(data), sha256(data))
    assert listed["empty.csv"]["size"] == 0
    assert (page.work / "slow.csv").read_text().count("part") == 6
    assert (page.work / "made.csv").read_text() == "made,here\n1,2\n"


@pytest.mark.parametrize("how", ["goto", "download by url", "download by id", "download of a script's file"])
async def test_the_other_ways_to_a_file(eyes: Eyes, page: Browser, how: str) -> None:
    await eyes.goto("/downloads")
    if how == "goto":
        then = await eyes.do("goto", url="/file/book.xlsx")
    elif how == "download by url":
        then = await eyes.do("download", url="/file/rfc")
    elif how == "download by id":
        then = await eyes.do("download", id=eyes.id("link", "Bundle"))
    else:
        then = await eyes.do("download", id=eyes.id("button", "Make a file"))
    assert not then.refused
    assert str(then.view["result"]).startswith("saved ")
    newest = list(downloads(then))[-1]
    assert newest in str(then.view["result"])
    assert (page.work / newest).stat().st_size > 0


async def test_a_file_that_is_not_there_is_refused_with_the_answer(eyes: Eyes) -> None:
    await eyes.goto("/downloads")
    assert "404" in (await eyes.do("download", id=eyes.id("link", "Missing file"))).refused
    assert "no link to a file" in (await eyes.do("download", id=eyes.id("button", "No file here"))).refused


# ---- T19: endless lists, and pages that never rest


async def test_an_endless_list_gives_its_answer_on_page_seven(eyes: Eyes) -> None:
    await eyes.goto("/endless?answer=yes")
    for _ in range(20):
        if "amber" in eyes.text:
            break
        assert not (await eyes.do("scroll", direction="end")).refused
    assert "amber" in eyes.text


async def test_an_endless_list_without_an_answer_is_stopped(eyes: Eyes) -> None:
    await eyes.goto("/endless")
    hints = 0
    for number in range(40):  # noqa: B007 - read after the loop
        then = await eyes.do("scroll", direction="down")
        hints += "hint:" in then.text
        if then.refused:
            break
    assert "scroll budget is used up" in then.refused
    assert number <= 31
    assert hints > 5


async def test_a_page_that_never_rests_is_looked_at_anyway(eyes: Eyes) -> None:
    first = await eyes.goto("/restless")
    assert str(first.view["settled"]).startswith("limit: ")
    began = time.monotonic()
    second = await eyes.environment.observe()
    assert time.monotonic() - began < 30  # an endless wait would be stopped by the test's own limit
    assert "Never loads" in second.text


# ---- one page each


async def test_dialogs(eyes: Eyes) -> None:
    await eyes.goto("/dialogs")
    told = await eyes.click("button", "Tell")
    assert told.view["dialogs"] == ("dialog answered: alert 'Take note' accepted",)
    delete = eyes.id("button", "Delete")
    asked = await eyes.do("click", id=delete)
    assert "dialog open: confirm 'Delete it?'" in asked.text
    assert "a dialog is open" in (await eyes.do("click", id=delete)).refused
    assert "kept" in (await eyes.do("dialog", do="dismiss")).text
    await eyes.click("button", "Ask")
    assert "default 'nobody'" in eyes.text
    assert "hello Ada" in (await eyes.do("dialog", do="accept", text="Ada")).text
    assert "no dialog is open" in (await eyes.do("dialog", do="accept")).refused


async def test_new_tabs_and_pop_ups(eyes: Eyes) -> None:
    await eyes.goto("/tabs")
    await eyes.click("link", "New tab")
    assert eyes.has("button", "Press same")
    assert "tab 2 (this one): https://pages.test/child" in eyes.text
    await eyes.do("tab", do="switch", number=1)
    await eyes.click("button", "Pop-up")
    assert eyes.has("button", "Press grandchild")
    assert "no tab 9" in (await eyes.do("tab", do="switch", number=9)).refused
    await eyes.do("tab", do="close")
    await eyes.do("tab", do="close", number=2)
    assert eyes.has("link", "New tab")
    assert "last tab" in (await eyes.do("tab", do="close")).refused


async def test_fields(eyes: Eyes, page: Browser) -> None:
    await eyes.goto("/fields")
    (page.work / "notes.txt").write_text("twelve bytes")
    fill = {"Name": "Ada", "Day": "2021-05-04", "Secret": "hush", "Notes": "two\nlines"}
    for name, text in fill.items():
        assert not (await eyes.do("fill", id=eyes.id("textbox", name), text=text)).refused
    await eyes.do("fill", id=eyes.id("combobox", "Colour"), text="blue")
    await eyes.do("select", id=eyes.id("listbox", "Sizes"), options=["small", "large"])
    await eyes.do("check", id=eyes.id("checkbox", "I agree"))
    await eyes.do("check", id=eyes.id("radio", "Kind B"))
    await eyes.do("upload", id=eyes.id("file", "Document"), files=["notes.txt"])
    assert '(file "notes.txt")' in eyes.text
    assert "hush" not in eyes.text
    sent = (await eyes.click("button", "Send")).text
    for words in ("sent name=Ada colour=blue sizes=small sizes=large day=2021-05-04", "kind=b secret=hush fixed=old"):
        assert words in sent
    assert "agree=yes" in sent
    assert "doc=notes.txt" in sent
    later = await eyes.do("upload", id=eyes.id("clickable", "Choose a file"), files=["notes.txt"])
    assert "chose notes.txt of 12" in later.text
    assert "typed abc" in (await eyes.do("type", id=eyes.id("textbox", "Live"), text="abc")).text
    assert 'value "ab"' in (await eyes.do("press", key="Backspace")).text


@pytest.mark.parametrize(
    ("action", "role", "name", "args", "reason"),
    [
        ("fill", "textbox", "Day", {"text": "4 May 2021"}, "wanted YYYY-MM-DD"),
        ("fill", "textbox", "Fixed", {"text": "new"}, "read only"),
        ("fill", "textbox", "Off", {"text": "new"}, "disabled"),
        ("fill", "button", "Send", {"text": "new"}, "not a field"),
        ("fill", "combobox", "Colour", {"text": "mauve"}, "options: 'red', 'blue', 'green'"),
        ("select", "combobox", "Colour", {"options": ["green"]}, "is disabled"),
        ("select", "button", "Send", {"options": ["x"]}, "not a list"),
        ("check", "button", "Send", {}, "no checkbox"),
        ("check", "radio", "Picked", {"on": False}, "cleared by picking another"),
        ("click", "button", "Never", {}, "disabled"),
        ("upload", "file", "Document", {"files": ["absent.csv"]}, "no file 'absent.csv'"),
        ("upload", "file", "Document", {"files": ["../requests.jsonl"]}, "no file"),
        ("press", "textbox", "Name", {"key": "Nonsense"}, "keys are named"),
        ("scroll", "button", "Send", {"direction": "sideways"}, "known: down, up"),
        ("wait", "button", "Send", {"text": "never there", "seconds": 0.2}, "did not appear within 0.2 s"),
    ],
)
async def test_a_refused_action_says_why(
    eyes: Eyes, action: str, role: str, name: str, args: dict[str, Any], reason: str
) -> None:
    if not str(eyes.seen.view.get("url", "")).endswith("/fields"):
        await eyes.goto("/fields")
    if action != "wait":
        args = {"id": eyes.id(role, name), **args}
    then = await eyes.do(action, **args)
    assert reason in then.refused
    assert "refused: " in then.text


async def test_ids_live_as_long_as_their_element(eyes: Eyes) -> None:
    await eyes.goto("/fields")
    vanish, send, hide = (eyes.id("button", name) for name in ("Vanish", "Send", "Hide me"))
    await eyes.do("click", id=vanish)
    assert (eyes.id("button", "Send"), eyes.id("button", "Hide me")) == (send, hide)
    assert f"[{vanish}] has left the page" in (await eyes.do("click", id=vanish)).refused
    await eyes.do("click", id=hide)
    assert "it is hidden" in (await eyes.do("click", id=hide)).refused
    assert "no element [99999]" in (await eyes.do("click", id="99999")).refused
    assert "is no id" in (await eyes.do("click", id="#send")).refused
    await eyes.goto("/hover")
    assert "belonged to a page that is no longer shown" in (await eyes.do("click", id=send)).refused


async def test_hover_menu(eyes: Eyes) -> None:
    await eyes.goto("/hover")
    assert not eyes.has("link", "Annual table")
    await eyes.do("hover", id=eyes.id("clickable", "Data"))
    assert "Table of 100" in (await eyes.click("link", "Annual table")).text
    assert eyes.has("clickable", "Data") is False
    await eyes.do("back")
    assert eyes.has("clickable", "Data")
    assert not (await eyes.do("forward")).refused
    assert not (await eyes.do("reload")).refused
    assert "no page to go forward" in (await eyes.do("forward")).refused


async def test_inner_scrollers(eyes: Eyes) -> None:
    await eyes.goto("/scroller")
    down = await eyes.do("scroll", direction="down")
    assert int(str(re.findall(r"now at (\d+)", str(down.view["result"]))[0])) > 300
    end = await eyes.do("scroll", direction="end")
    assert not end.refused
    assert "does not scroll further end" in (await eyes.do("scroll", direction="end")).refused
    assert not (await eyes.do("scroll", text="Paragraph 3")).refused
    assert "no visible text" in (await eyes.do("scroll", text="No such words")).refused
    side = await eyes.do("scroll", id=eyes.id("clickable", "Side list"), direction="end")
    assert not side.refused
    assert eyes.has("button", "At the bottom")
    assert "reached" in (await eyes.click("button", "At the bottom")).text


async def test_drag_and_points(eyes: Eyes) -> None:
    seen = await eyes.goto("/drag")
    dropped = await eyes.do("drag", id=eyes.id("clickable", "Card"), to_id=eyes.id("clickable", "Box"))
    assert "dropped" in dropped.text
    marks: Any = seen.view["marks"]
    x, y, wide, high = marks[eyes.id("clickable", "Knob")]["box"]
    moved = await eyes.do("drag", x=x + wide / 2, y=y + high / 2, to_x=x + 200, to_y=y + high / 2)
    assert re.search(r"knob at (190|200)", moved.text)
    assert "outside of the window" in (await eyes.do("click", x=5000, y=10)).refused
    assert "wanted an id, or x and y" in (await eyes.do("click", x=5)).refused


async def test_right_to_left(eyes: Eyes) -> None:
    await eyes.goto("/rtl")
    assert "נלחץ" in (await eyes.click("button", "לחץ כאן")).text


async def test_a_bar_over_the_target_is_named(eyes: Eyes) -> None:
    await eyes.goto("/cookies")
    covered = await eyes.click("button", "Under the bar")
    assert 'id="bar"' in covered.refused
    assert "lies over it" in covered.refused
    await eyes.click("button", "Accept all")
    assert "reached" in (await eyes.click("button", "Under the bar")).text


async def test_an_element_that_moves_is_caught(eyes: Eyes) -> None:
    await eyes.goto("/moving")
    then = await eyes.click("button", "Catch me")
    assert "caught" in then.text


async def test_late_content_is_waited_for(eyes: Eyes) -> None:
    await eyes.goto("/late")
    await eyes.click("button", "Start")
    then = await eyes.do("wait", text="The late words", seconds=5)
    assert not then.refused
    assert "The late words" in then.text


async def test_after_vain_repeats_there_is_a_hint(eyes: Eyes) -> None:
    await eyes.goto("/home")
    texts = [(await eyes.do("press", key="F9")).text for _ in range(3)]
    assert "hint: this action came 3 times" in texts[-1]
