"""Actions of the mouse: click, hover, drag, scroll."""

from collections.abc import Mapping
from typing import Any, Literal

from playwright.async_api import Error

from webds.envs.browser.engine import ask
from webds.envs.browser.hands import ACT_SECONDS, Hands, Kind
from webds.envs.browser.ids import Target
from webds.envs.browser.refusal import Refused, first_line, why
from webds.envs.browser.schema import ID, TEXT, X, Y, about, choice, schema
from webds.types import Params

_LIMIT = ACT_SECONDS * 1000
_BUTTONS: Mapping[str, tuple[Literal["left", "right"], int]] = {
    "single": ("left", 1),
    "double": ("left", 2),
    "right": ("right", 1),
}


async def click(hands: Hands, args: Params) -> str:
    """An element, or a point of the window."""
    button, count = _BUTTONS[str(args.get("how", "single"))]
    if not args.get("id"):
        x, y = _point(args, "x", "y")
        await _inside(hands, x, y)
        await hands.do(hands.page.mouse.click(x, y, button=button, click_count=count))
        return await _under(hands, x, y)
    target = await hands.target(args["id"])
    ready(target, "click")
    await hands.places.reach(target, hands.page)
    try:
        await hands.do(target.locator.click(button=button, click_count=count, timeout=_LIMIT))
    except Error as error:
        if "not stable" not in error.message or "intercepts pointer" in error.message:
            await hands.places.again(target, hands.page)
            raise Refused(f"could not click [{target.id}]: {why(error)}") from error
        return await _catch(hands, target, button, count)
    return ""


async def _catch(hands: Hands, target: Target, button: Literal["left", "right"], count: int) -> str:
    """An element that never stands still is clicked where it is now."""
    try:
        await hands.do(target.locator.click(button=button, click_count=count, force=True, timeout=_LIMIT))
    except Error as error:
        raise Refused(f"could not click [{target.id}]: {why(error)}") from error
    return f"[{target.id}] keeps moving: clicked where it was"


def ready(target: Target, what: str) -> None:
    """Refused for an element that is disabled or hidden, without waiting for it to change."""
    if target.state["disabled"]:
        raise Refused(
            f"could not {what} [{target.id}]: it is disabled; something else has to be filled or chosen first"
        )
    if not target.state["visible"]:
        raise Refused(f"could not {what} [{target.id}]: it is hidden; open its menu, tab or section first")


def _point(args: Params, x: str, y: str) -> tuple[float, float]:
    if args.get(x) is None or args.get(y) is None:
        raise Refused(f"wanted an id, or {x} and {y}")
    return float(str(args[x])), float(str(args[y]))


async def _inside(hands: Hands, x: float, y: float) -> None:
    size = hands.page.viewport_size or {"width": 0, "height": 0}
    if not (0 <= x < size["width"] and 0 <= y < size["height"]):
        raise Refused(f"{x:g}, {y:g} is outside of the window of {size['width']} x {size['height']}; scroll first")


async def _under(hands: Hands, x: float, y: float) -> str:
    try:
        under = await ask(hands.page.main_frame, "cover", 2, x=x, y=y)
    except (Error, Refused):
        return ""  # the click led away from the page
    return f"at {x:g}, {y:g} is now: {under['what']} {under['text']!r}" if under else ""


async def hover(hands: Hands, args: Params) -> str:
    """Rest the pointer on an element or point."""
    if not args.get("id"):
        x, y = _point(args, "x", "y")
        await _inside(hands, x, y)
        await hands.do(hands.page.mouse.move(x, y, steps=4))
        return await _under(hands, x, y)
    target = await hands.target(args["id"])
    try:
        await hands.do(target.locator.hover(timeout=_LIMIT))
    except Error as error:
        raise Refused(f"could not hover over [{target.id}]: {why(error)}") from error
    return ""


async def drag(hands: Hands, args: Params) -> str:
    """From an element or point to another, with the button held."""
    begin = await _place(hands, args, "id", "x", "y")
    end = await _place(hands, args, "to_id", "to_x", "to_y")
    begin = await _place(hands, args, "id", "x", "y", scroll=False) if args.get("to_id") else begin

    async def held() -> None:
        mouse = hands.page.mouse
        await mouse.move(*begin)
        await mouse.down()
        await mouse.move((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2, steps=5)
        await mouse.move(*end, steps=5)
        await mouse.up()

    try:
        await hands.do(held())
    except Error as error:
        raise Refused(f"could not drag: {first_line(error)}") from error
    return ""


async def _place(hands: Hands, args: Params, id: str, x: str, y: str, *, scroll: bool = True) -> tuple[float, float]:  # noqa: A002 - the argument's own name
    """The middle of an element, scrolled to if wanted, or the given point."""
    if not args.get(id):
        return _point(args, x, y)
    target = await hands.target(args[id])
    try:
        if scroll:
            await target.locator.scroll_into_view_if_needed(timeout=_LIMIT)
        box = await target.locator.bounding_box(timeout=_LIMIT)
    except Error as error:
        raise Refused(f"could not reach [{target.id}]: {why(error)}") from error
    if box is None:
        raise Refused(f"[{target.id}] is hidden")
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def scroll(hands: Hands, args: Params) -> str:
    """The page, what an element lies in, or to a text."""
    text = str(args.get("text", ""))
    if text:
        for _, answer in await hands.each("scrollToText", text=text):
            if answer["done"]:
                return ""
        raise Refused(f"no visible text {text[:80]!r} on this page")
    direction = str(args.get("direction", "down"))
    options: dict[str, Any] = {"direction": direction}
    frame = hands.page.main_frame
    if args.get("id"):
        target = await hands.target(args["id"])
        frame, options["id"] = target.frame, target.id
    answer = await ask(frame, "scroll", 5, **options)
    if not answer["moved"]:
        raise Refused(f"it does not scroll further {direction}")
    return f"now at {answer['y']} of {answer['height'] - answer['view']:.0f} pixels"


POINTER: Mapping[str, Kind] = {
    "click": Kind(
        act=click,
        schema=schema({"id": ID, "x": X, "y": Y, "how": choice("single", "double", "right")}),
        text="Click an element by id, or the point x, y of the window.",
    ),
    "hover": Kind(
        act=hover,
        schema=schema({"id": ID, "x": X, "y": Y}),
        text="Rest the pointer on an element or a point: opens menus, shows a chart's values.",
    ),
    "drag": Kind(
        act=drag,
        schema=schema({"id": ID, "x": X, "y": Y, "to_id": ID, "to_x": X, "to_y": Y}),
        text="Drag from an element or point to another.",
    ),
    "scroll": Kind(
        act=scroll,
        schema=schema(
            {
                "direction": choice("down", "up", "left", "right", "top", "end"),
                "id": about(TEXT, "scroll what this element lies in, instead of the page"),
                "text": about(TEXT, "scroll to this text instead"),
            }
        ),
        text="Scroll the page, or the box that an element lies in, by a screen or to an end; or to a text.",
    ),
}
