"""Actions on form fields and the keyboard: fill, select, check, press, type, upload."""

from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.async_api import Error

from webds.envs.browser.engine import ask, selector
from webds.envs.browser.hands import ACT_SECONDS, Hands, Kind
from webds.envs.browser.ids import Target
from webds.envs.browser.pointer import ready
from webds.envs.browser.refusal import Refused, first_line, why
from webds.envs.browser.schema import FLAG, ID, TEXT, TEXTS, about, schema
from webds.types import Params

_LIMIT = ACT_SECONDS * 1000
_FORMATS = {
    "date": "YYYY-MM-DD",
    "time": "HH:MM",
    "month": "YYYY-MM",
    "week": "YYYY-Www",
    "datetime-local": "YYYY-MM-DDTHH:MM",
    "number": "a number",
    "color": "#rrggbb",
}


async def _try(what: str, target: Target, act: Awaitable[Any], advice: str = "") -> None:
    try:
        await act
    except Error as error:
        raise Refused(f"could not {what} [{target.id}]: {advice or why(error)}") from error


async def fill(hands: Hands, args: Params) -> str:
    """Replace a field's text; for a list, choose the option with that text."""
    target = await hands.target(args["id"])
    text = str(args["text"])
    if target.state["tag"] == "select":
        return await _choose(target, [text])
    ready(target, "fill")
    if target.state["readonly"]:
        raise Refused(f"could not fill [{target.id}]: it is read only")
    if target.state["tag"] not in ("input", "textarea") and not target.state["editable"]:
        raise Refused(f"could not fill [{target.id}]: it is a {target.state['tag']}, not a field; click it, or type")
    kind = str(target.state["type"])
    wanted = _FORMATS.get(kind, "")
    advice = f"{text!r} does not fit a {kind} field; wanted {wanted}" if wanted else ""
    await _try("fill", target, target.locator.fill(text, timeout=_LIMIT), advice)
    if wanted and text and not await target.locator.input_value(timeout=_LIMIT):
        raise Refused(f"could not fill [{target.id}]: {advice}")  # Chromium empties the field and says nothing
    return ""


async def select(hands: Hands, args: Params) -> str:
    """Choose options of a list by their text."""
    target = await hands.target(args["id"])
    if target.state["tag"] != "select":
        raise Refused(f"[{target.id}] is not a list made by the browser; click it and then the option")
    wanted = args["options"]
    return await _choose(target, [str(item) for item in (wanted if isinstance(wanted, list | tuple) else [wanted])])


async def _choose(target: Target, wanted: Sequence[str]) -> str:
    ready(target, "choose in")
    known = await ask(target.frame, "options", 5, id=target.id)
    values = []
    for text in wanted:
        found = _option(known, text)
        if found is None:
            labels = ", ".join(repr(option["label"]) for option in known[:40])
            raise Refused(f"no option {text!r} in [{target.id}]; options: {labels}")
        if found["disabled"]:
            raise Refused(f"option {text!r} in [{target.id}] is disabled")
        values.append(found["value"])
    await _try("choose in", target, target.locator.select_option(value=values, timeout=_LIMIT))
    return ""


def _option(known: Sequence[Mapping[str, Any]], text: str) -> Mapping[str, Any] | None:
    """By text, then by text in any case, then by value."""
    flat = " ".join(text.split())
    exact = [option for option in known if option["label"] == flat]
    alike = [option for option in known if str(option["label"]).casefold() == flat.casefold()]
    valued = [option for option in known if option["value"] == text]
    return next(iter([*exact, *alike, *valued]), None)


async def check(hands: Hands, args: Params) -> str:
    """Set or clear a box, or pick a radio button."""
    target = await hands.target(args["id"])
    ready(target, "check")
    on = args.get("on", True) is True
    act = target.locator.set_checked(on, timeout=_LIMIT)
    try:
        await hands.do(act)
    except Error as error:
        raise Refused(f"could not {'check' if on else 'clear'} [{target.id}]: {_box_reason(error)}") from error
    return ""


def _box_reason(error: Error) -> str:
    text = error.message
    if "Not a checkbox" in text:
        return "it is no checkbox, radio button or switch; click it"
    if "uncheck radio" in text:
        return "a radio button is cleared by picking another one of its group"
    return why(error)


async def press(hands: Hands, args: Params) -> str:
    """A key or a chord, on an element if an id is given."""
    key = str(args["key"])
    try:
        if args.get("id"):
            target = await hands.target(args["id"])
            ready(target, "press a key on")
            await hands.do(target.locator.press(key, timeout=_LIMIT))
        else:
            await hands.do(hands.page.keyboard.press(key))
    except Error as error:
        hint = (
            "; keys are named like Enter, Tab, Escape, ArrowDown, PageDown, a, Control+A" if "key" in str(error) else ""
        )
        raise Refused(f"could not press {key!r}: {first_line(error)}{hint}") from error
    return ""


async def type_(hands: Hands, args: Params) -> str:
    """Key by key, where the focus is or into an element: for fields that react to each key."""
    text = str(args["text"])
    if args.get("id"):
        target = await hands.target(args["id"])
        ready(target, "type into")
        await _try("type into", target, hands.do(target.locator.press_sequentially(text, timeout=20_000)))
    else:
        await hands.do(hands.page.keyboard.type(text))
    return ""


async def upload(hands: Hands, args: Params) -> str:
    """Files of the work folder into a file field, or into what an element asks for when it is clicked."""
    names = args["files"]
    assert isinstance(names, list | tuple)
    paths = [await hands.lend(_file(hands.work, str(name))) for name in names]
    target = await hands.target(args["id"])
    field = await ask(target.frame, "field", 5, id=target.id)
    try:
        if field:
            locator = target.frame.locator(selector(str(field["id"])))
            await locator.set_input_files(paths, timeout=_LIMIT)
        else:
            ready(target, "upload to")
            async with hands.page.expect_file_chooser(timeout=_LIMIT) as chooser:
                await target.locator.click(timeout=_LIMIT)
            await (await chooser.value).set_files(paths, timeout=_LIMIT)
    except Error as error:
        reason = why(error) if "filechooser" not in error.message else "it is no file field and opens no file chooser"
        raise Refused(f"could not upload to [{target.id}]: {reason}") from error
    return f"chosen: {', '.join(path.name for path in paths)}"


def _file(work: Path, name: str) -> Path:
    path = (work / name).resolve()
    if not path.is_relative_to(work.resolve()) or not path.is_file():
        known = sorted(entry.name for entry in work.iterdir() if entry.is_file())[:30]
        raise Refused(f"no file {name[:80]!r} in the work folder; known: {', '.join(known) or 'none'}")
    return path


FIELDS: Mapping[str, Kind] = {
    "fill": Kind(
        act=fill,
        schema=schema({"id": ID, "text": TEXT}, "id", "text"),
        text="Put text into a field (dates as YYYY-MM-DD), or choose the option of a list that has this text.",
    ),
    "select": Kind(
        act=select,
        schema=schema({"id": ID, "options": about(TEXTS, "texts of the options")}, "id", "options"),
        text="Choose one or more options of a list.",
    ),
    "check": Kind(
        act=check,
        schema=schema({"id": ID, "on": about(FLAG, "false clears it")}, "id"),
        text="Check or clear a box, pick a radio button.",
    ),
    "press": Kind(
        act=press,
        schema=schema({"key": about(TEXT, "like Enter, Escape, ArrowDown, Control+A"), "id": ID}, "key"),
        text="Press a key or chord, on an element if an id is given.",
    ),
    "type": Kind(
        act=type_,
        schema=schema({"text": TEXT, "id": ID}, "text"),
        text="Type text key by key where the focus is, or into an element.",
    ),
    "upload": Kind(
        act=upload,
        schema=schema({"id": ID, "files": about(TEXTS, "names in the work folder")}, "id", "files"),
        text="Choose files of the work folder in a file field.",
    ),
}
