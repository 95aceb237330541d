"""The annotation pass as a part of the server: who enters, which item they get, what they send.

Until a label is submitted, nothing that is sent to its rater holds an automatic verdict, the agent, the model, or what
anybody else said. An item is only shown to who was given it.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from webds.annotate import labels, people, queue
from webds.annotate.book import Book, stamp
from webds.annotate.people import Person
from webds.annotate.records import Item
from webds.codec import canonical
from webds.errors import InputFault
from webds.serve import session as sessions
from webds.serve.annotation.itempage import item_page
from webds.serve.annotation.preview import Previews
from webds.serve.annotation.show import Shelf, image, reference_lines
from webds.serve.pages import Pages, form_body, json_body
from webds.serve.part import Part, Refusal
from webds.serve.rates import Rate

PATH = "/annotate"
_ENTRIES = Rate(burst=20, second=0.2)
"""Tries of invites by one client: 256 bits cannot be guessed, the limit keeps the log short."""
_DRAFTS = Rate(burst=240, second=10)

type Handler = Callable[["Desk", Request, Person], Awaitable[Response]]


class Desk:
    """What all pages of one plan share."""

    def __init__(self, book: Book, clock: Callable[[], float]) -> None:
        self.book = book
        self.now = clock
        self.shelf = Shelf(book)
        self.previews = Previews()
        self.pages = Pages(Path(__file__).parent / "templates", filters={"stamp": stamp})

    async def who(self, request: Request) -> Person | None:
        """The person behind a request's session."""
        key = sessions.key(sessions.of(request))
        return await run_in_threadpool(people.person, self.book, key, self.now())

    async def given(self, request: Request, who: Person) -> tuple[str, Item]:
        """Id and item that the address names. Refusal 404: there is none, or this person was never given it."""
        name = request.path_params["name"]
        item = self.book.item(name)
        if item is None or not await run_in_threadpool(queue.was_given, self.book, who, name):
            raise Refusal(404, "no such item among yours")
        return name, item


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A handler that only people reach who are in."""

    desk: Desk
    handler: Handler

    async def __call__(self, request: Request) -> Response:
        who = await self.desk.who(request)
        if who is not None:
            return await self.handler(self.desk, request, who)
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            return RedirectResponse(f"{PATH}/enter", 303)
        raise Refusal(401, "you are signed out; open your invite link again")


def annotation_part(folder: Path, clock: Callable[[], float] = time.time) -> Part:
    """The part for the plan in `folder`. InputFault: no plan there. `clock` gives seconds since 1970."""
    desk = Desk(Book(folder), clock)

    def route(path: str, handler: Handler, method: str = "GET") -> Route:
        endpoint = Endpoint(desk, handler)

        async def call(request: Request) -> Response:
            return await endpoint(request)

        return Route(f"{PATH}{path}", call, methods=[method])

    async def entrance(request: Request) -> Response:
        return await _enter(desk, request)

    item = "/items/{name:str}"
    routes = [
        Route(f"{PATH}/enter", entrance, methods=["GET", "POST"]),
        route("/", _home),
        route("/next", _next, "POST"),
        route("/undo", _undo, "POST"),
        route("/leave", _leave, "POST"),
        route(item, _item),
        route(f"{item}/blob/{{blob:str}}", _blob),
        route(f"{item}/files/{{number:int}}", _file),
        route(f"{item}/files/{{number:int}}/picture", _picture),
        route(f"{item}/draft", _draft, "POST"),
        route(f"{item}/label", _label, "POST"),
        route(f"{item}/skip", _skip, "POST"),
        route(f"{item}/reference", _reference, "POST"),
    ]
    rates = {f"{PATH}/enter": _ENTRIES, f"{PATH}/items/": _DRAFTS}
    return Part(name="annotate", title="Label items", path=PATH, routes=routes, rates=rates)


async def _enter(desk: Desk, request: Request) -> Response:
    why = ""
    if request.method == "POST":
        token = (await form_body(request)).get("token", "").strip()
        session = sessions.renew(request)
        who = await run_in_threadpool(people.enter, desk.book, token, sessions.key(session), desk.now())
        if who is not None:
            return RedirectResponse(f"{PATH}/", 303)
        why = "This invite is not known, has expired, or was revoked. Ask for a new link."
    return desk.pages.page(request, "enter.html.j2", 403 if why else 200, why=why, part="annotate")


async def _home(desk: Desk, request: Request, who: Person) -> Response:
    progress = await run_in_threadpool(queue.progress, desk.book, who, desk.now())
    state = request.query_params.get("state", "")
    anchors = sorted(desk.book.plan.anchors.items())
    values: dict[str, Any] = {"wait": state == "wait", "finished": state == "done", "who": who, "progress": progress}
    return desk.pages.page(request, "home.html.j2", anchors=anchors, part="annotate", **values)


async def _forward(desk: Desk, who: Person) -> str:
    """The address of the person's next item, or of the page that says why there is none."""
    found = await run_in_threadpool(queue.take, desk.book, who, desk.now())
    if found.item:
        return f"{PATH}/items/{found.item}"
    return f"{PATH}/?state={'wait' if found.wait else 'done'}"


async def _next(desk: Desk, _: Request, who: Person) -> Response:
    return RedirectResponse(await _forward(desk, who), 303)


async def _leave(desk: Desk, request: Request, _: Person) -> Response:
    await run_in_threadpool(people.leave, desk.book, sessions.key(sessions.of(request)))
    sessions.renew(request)
    return RedirectResponse(f"{PATH}/enter", 303)


async def _item(desk: Desk, request: Request, who: Person) -> Response:
    name, item = await desk.given(request, who)
    values = await run_in_threadpool(item_page, desk.book, desk.shelf, who, name, item, desk.now())
    return desk.pages.page(request, "item.html.j2", part="annotate", **values)


async def _blob(desk: Desk, request: Request, who: Person) -> Response:
    name, _ = await desk.given(request, who)
    shown = await run_in_threadpool(desk.shelf.show, name)
    data = await run_in_threadpool(image, shown, request.path_params["blob"])
    if data is None:
        raise Refusal(404, "no such screenshot")
    return Response(data, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})


async def _path(desk: Desk, request: Request, who: Person) -> tuple[str, int, Path, int]:
    name, _ = await desk.given(request, who)
    shown = await run_in_threadpool(desk.shelf.show, name)
    number, part = request.path_params["number"], request.query_params.get("part", "1")
    if number >= len(shown.files) or not (part.isascii() and part.isdigit() and 0 < int(part[:9]) == int(part)):
        raise Refusal(404, "no such file")
    return name, number, shown.files[number], int(part)


async def _file(desk: Desk, request: Request, who: Person) -> Response:
    name, number, path, part = await _path(desk, request, who)
    preview = await desk.previews.show(path, part)
    address = f"{PATH}/items/{name}/files/{number}"
    return desk.pages.page(request, "preview.html.j2", preview=preview, part=part, title=path.name, address=address)


async def _picture(desk: Desk, request: Request, who: Person) -> Response:
    *_, path, part = await _path(desk, request, who)
    preview = await desk.previews.show(path, part)
    if not preview.picture:
        raise Refusal(404, "there is no picture of it")
    return Response(preview.picture, media_type="image/png")


async def _draft(desk: Desk, request: Request, who: Person) -> Response:
    name, _ = await desk.given(request, who)
    body = canonical(await json_body(request)).decode()
    await run_in_threadpool(labels.save_draft, desk.book, who, name, body, desk.now())
    return JSONResponse({})


async def _label(desk: Desk, request: Request, who: Person) -> Response:
    name, item = await desk.given(request, who)
    form = labels.read_form(await json_body(request), item)
    if form.stars is None:
        raise InputFault("label: field stars: missing; accepted: 1 to 5")
    try:
        await run_in_threadpool(labels.submit, desk.book, who, name, form, desk.now())
    except labels.TooLate as late:
        raise Refusal(409, str(late)) from late
    said: dict[str, Any] = {"next": await _forward(desk, who)}
    if item.training:
        right = form.label == item.known
        said["feedback"] = {"known": item.known, "why": item.known_why, "said": form.label, "right": right}
    return JSONResponse(said)


async def _skip(desk: Desk, request: Request, who: Person) -> Response:
    name, _ = await desk.given(request, who)
    await run_in_threadpool(queue.skip, desk.book, who, name, desk.now())
    return JSONResponse({"next": await _forward(desk, who)})


async def _undo(desk: Desk, _: Request, who: Person) -> Response:
    try:
        name = await run_in_threadpool(labels.undo, desk.book, who, desk.now())
    except labels.TooLate as late:
        raise Refusal(409, str(late)) from late
    if not name:
        raise Refusal(409, "there is no label to undo")
    return JSONResponse({"next": f"{PATH}/items/{name}"})


async def _reference(desk: Desk, request: Request, who: Person) -> Response:
    name, item = await desk.given(request, who)
    await run_in_threadpool(labels.opened_reference, desk.book, who, name, desk.now())
    return desk.pages.page(request, "reference.html.j2", checks=reference_lines(item.reference))
