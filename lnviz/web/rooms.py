"""Rooms of a class over HTTP: the teacher's commands, the students' answers, streams."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from urllib.parse import urlencode

from anyio import to_thread
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from lnviz.book import present
from lnviz.book.teach.presented import find as find_plan
from lnviz.database.connection import StoreError
from lnviz.rooms import reading
from lnviz.rooms.channels import Role, encoded
from lnviz.rooms.live import Live
from lnviz.rooms.places import addresses, is_own, network, picture
from lnviz.rooms.transactions import NO_KEY, NO_ROOM, ONCE_S, ROOMS, Work, find, knows, leads
from lnviz.rooms.values import Asking, Refused
from lnviz.web.answers import NO_STORE, Body, answer, refused
from lnviz.web.assets import base, versioned
from lnviz.web.bare import bare
from lnviz.web.bodies import Unwanted, received
from lnviz.web.events import Events
from lnviz.web.examples import examples
from lnviz.web.guesses import Guesses
from lnviz.web.rates import Rate
from lnviz.web.shares import Full, Turns
from lnviz.web.shells import shell
from lnviz.web.visitors import name as give_name
from lnviz.web.visitors import visitor

BODY = 2048  # bytes
KEY = "lnviz-room-{code}"
KEY_S = 36 * 3600  # as long as there is something of a room
ROLES: tuple[Role, ...] = ("seat", "screen", "remote")

WIFI = 64  # letters of its name, and of its password

T = TypeVar("T")


class Code(Convertor[str]):
    """Six digits."""

    regex = "[0-9]{6}"

    def convert(self, value: str) -> str:
        """Return what stands in the path."""
        return value

    def to_string(self, value: str) -> str:
        """Return what stands in a path."""
        return value


class Typed(Code):
    """Six digits, in two halves for whoever has typed what the wall shows."""

    regex = "[0-9]{3} ?[0-9]{3}"


class Number(Convertor[int]):
    """A whole number of so many digits that nothing chokes on it."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        """Return the number in the path."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return what stands in a path."""
        return str(value)


register_url_convertor("code", Code())
register_url_convertor("typed", Typed())
register_url_convertor("number", Number())


class Rooms:
    """What is answered about rooms.

    Args:
        live: the rooms.
    """

    def __init__(self, live: Live) -> None:
        self._live = live
        self._guesses = Guesses()
        self._votes = Rate(burst=10, second=5)  # of a seat
        self._poses = Rate(burst=2, second=2)  # of a key of a room
        self._opened = Rate(burst=5, second=1 / 60)  # of a visitor
        self._opened_there = Rate(burst=ROOMS, second=1 / 15)  # of an address
        # Who has asked least lately comes first: of addresses, then of names.
        self._reads = Turns(8, 1024)
        self._writes = Turns(256, 1024)

    def routes(self) -> list[BaseRoute]:
        """Return all routes, below `server.baseUrlPath`."""
        room = base() + "/rooms/{code:code}"
        told = self._answering
        return [
            Route(base() + "/join", self._join),
            Route(base() + "/{code:typed}", told(self._phone)),
            Route(base() + "/rooms", told(self._open), methods=["POST"]),
            Route(room, told(self._delete), methods=["DELETE"]),
            Route(room + "/seat", told(self._seat), methods=["POST"]),
            Route(room + "/state", told(self._state)),
            Route(room + "/events", told(self._events)),
            Route(room + "/polls/{poll:number}/{round:number}", told(self._vote), methods=["PUT"]),
            Route(room + "/signal", told(self._signal), methods=["POST"]),
            Route(room + "/do", told(self._do), methods=["POST"]),
            Route(room + "/rehearse", told(self._rehearse), methods=["POST"]),
            Route(room + "/remote", told(self._invite), methods=["POST"]),
            Route(room + "/remote", self._remote),
            Route(room + "/addresses", told(self._addresses)),
            Route(room + "/qr.svg", told(self._picture)),
            Route(room + "/wifi", told(self._wifi), methods=["POST"]),
            Route(room + "/answers.csv", told(self._table)),
        ]

    async def _join(self, request: Request) -> Response:
        """`GET /join`: where a phone asks for the code."""
        return _page(request, shell("phone", "Join a room", ""))

    async def _phone(self, request: Request) -> Response:
        """`GET /482913`: what a phone shows of this room."""
        typed = request.path_params["code"]
        code = typed.replace(" ", "")
        if typed != code:
            return RedirectResponse(f"{base()}/{code}")
        status = 200
        try:
            await self._may_try(request, code)
            await self._read(request, lambda session: find(session, code).id)
        except Refused as error:
            # The script asks again and says why. Whoever tries codes hears no more of them here.
            status = 404 if self._missed(request, error) else 200
        except (StoreError, Unwanted):
            pass
        return _page(request, shell("phone", f"Room {code[:3]} {code[3:]}", code), status)

    async def _open(self, request: Request) -> Response:
        """`POST /rooms`: `{lesson, screen}`, by whoever teaches."""
        who, given = visitor(request), await _given(request)
        lesson, screen = given.get("lesson"), given.get("screen", 1)
        await _asked(lesson, screen)
        if not (self._opened.take(who.owner) and self._opened_there.take(who.address)):
            raise Refused("You have opened many rooms. Try again in a minute.", 429, 60)
        opened = await self._write(request, lambda tx: tx.open(lesson, screen), "")
        made = JSONResponse({"code": opened["code"], "rev": opened["rev"]}, 201, NO_STORE)
        _keep_key(request, made, opened["code"], opened["key"])
        return made

    async def _delete(self, request: Request) -> Response:
        """`DELETE /rooms/CODE`: with all that was said in it."""
        await _given(request)
        code, key = _code(request), _key(request)
        await self._write(request, lambda tx: tx.delete(code, key))
        return Response(status_code=204, headers=NO_STORE)

    async def _seat(self, request: Request) -> Response:
        """`POST /rooms/CODE/seat`: come in."""
        await _given(request)
        name, code = _name(request), _code(request)
        reached = not is_own(request.url.hostname or "")
        return _json(await self._write(request, lambda tx: tx.enter(code, name, reached)))

    async def _state(self, request: Request) -> Response:
        """`GET /rooms/CODE/state?as=`: how the room stands, for one who is told no events."""
        role = _role(request)
        async with self._reads.turn(visitor(request)):
            found = await self._live.documents(_code(request), role, _who(request, role))
        heads = found.pop("heads", {})
        return answer(request, Body.of(encoded(found | heads)), "application/json", "no-cache")

    async def _events(self, request: Request) -> Response:
        """`GET /rooms/CODE/events?as=`: how the room stands, whenever that has changed."""
        if self._live.is_ending:
            raise Refused("The server is shutting down. Try again in 2 seconds.", 503, 2)
        role = _role(request)
        async with self._reads.turn(visitor(request)):
            told = await self._live.listen(_code(request), role, _who(request, role))
        return Events(self._live, *told)

    async def _vote(self, request: Request) -> Response:
        """`PUT /rooms/CODE/polls/POLL/ROUND`: `{value, n}`, kept before it is answered."""
        name, code = _name(request), _code(request)
        if not self._votes.take(f"{code} {name}"):
            raise Refused("These are more answers than a hand gives. Try again in 1 s.", 429, 1)
        given = await _given(request)
        poll, round = request.path_params["poll"], request.path_params["round"]
        value, n = given.get("value"), given.get("n")
        return _json(
            await self._write(request, lambda tx: tx.answer(code, name, poll, round, value, n))
        )

    async def _signal(self, request: Request) -> Response:
        """`POST /rooms/CODE/signal`: `{lost, following}`."""
        name, code = _name(request), _code(request)
        if not self._votes.take(f"{code} {name}"):
            raise Refused("These are more signals than a hand gives. Try again in 1 s.", 429, 1)
        given = await _given(request)
        await self._write(request, lambda tx: tx.signal(code, name, given))
        return Response(status_code=204, headers=NO_STORE)

    async def _do(self, request: Request) -> Response:
        """`POST /rooms/CODE/do`: `{verb, ..., rev}`, by the teacher."""
        given = await _given(request)
        code, key, verb = _code(request), _key(request), str(given.get("verb", ""))
        if verb == "pose" and not self._poses.take(f"{code} {key}"):
            raise Refused("A figure is followed twice a second. Try again in 1 s.", 429, 1)
        if verb in ("ask", "go"):
            state = await self._read(request, lambda session: _led(session, code, key))
            at = state if verb == "ask" else state | given
            given["asking"] = await _asked(at["lesson"], at.get("screen"))
        done = await self._write(request, lambda tx: tx.do(code, key, verb, given))
        if verb in ("ask", "again"):
            await self._rehearsing(request)
        return _json(done)

    async def _rehearse(self, request: Request) -> Response:
        """`POST /rooms/CODE/rehearse`: pretend students come, or go."""
        await _given(request)
        code, key = _code(request), _key(request)
        came = await self._write(request, lambda tx: tx.rehearse(code, key))
        await self._rehearsing(request)
        return _json(came)

    async def _rehearsing(self, request: Request) -> None:
        """Have pretend students answer, if there are any and they are asked."""
        code, key = _code(request), _key(request)
        room = await self._read(request, lambda session: _led(session, code, key))
        if room["pretend"]:
            asks = await to_thread.run_sync(examples, room["lesson"], room["screen"])
            self._live.rehearse(code, asks or [room["pose"]])

    async def _invite(self, request: Request) -> Response:
        """`POST /rooms/CODE/remote`: a link that makes a phone the remote, once; `{plan}`."""
        plan = _plan((await _given(request)).get("plan"))
        code, key = _code(request), _key(request)
        token = await self._write(request, lambda tx: tx.invite(code, key))
        said = urlencode(plan | {"once": token})
        link = f"{_places(request)[0]}/rooms/{code}/remote?{said}"
        return _json({"link": link, "svg": picture(link), "seconds": int(ONCE_S)})

    async def _remote(self, request: Request) -> Response:
        """`GET /rooms/CODE/remote`: the teacher's remote."""
        code, key, once = _code(request), _key(request), request.query_params.get("once", "")
        try:
            await self._may_try(request, code)
            if once:
                key = await self._write(request, lambda tx: tx.redeem(code, once))
                plan = urlencode(_plan(request.query_params.get("plan")))
                there = f"{base()}/rooms/{code}/remote{plan and f'?{plan}'}"
                led = RedirectResponse(there, 303, NO_STORE)
                _keep_key(request, led, code, key)
                return led
            await self._read(request, lambda session: _led(session, code, key))
        except (Refused, StoreError, Unwanted) as error:
            if isinstance(error, Refused):
                self._missed(request, error)
            status = 503 if isinstance(error, StoreError) else error.status
            told = bare("No remote here", "No remote here", f"<p>{error}</p>", versioned())
            return HTMLResponse(told, status, NO_STORE)
        return _page(request, shell("remote", f"Remote of {code[:3]} {code[3:]}", code))

    async def _addresses(self, request: Request) -> Response:
        """`GET /rooms/CODE/addresses`: by which phones find this server."""
        code, key = _code(request), _key(request)
        reached = await self._read(request, lambda session: _led(session, code, key)["reached"])
        return _json({"addresses": _places(request, own=False), "reached": reached})

    async def _picture(self, request: Request) -> Response:
        """`GET /rooms/CODE/qr.svg?at=`: the room's address as a QR code."""
        code, key = _code(request), _key(request)
        await self._read(request, lambda session: _led(session, code, key))
        places = _places(request)
        at = request.query_params.get("at", places[0])
        if at not in places:
            raise Refused(f"A QR code is made of one of {', '.join(places)}.", 422)
        return Response(picture(f"{at}/{code}"), media_type="image/svg+xml", headers=NO_STORE)

    async def _wifi(self, request: Request) -> Response:
        """`POST /rooms/CODE/wifi`: a Wi-Fi's `{name, password}` as a QR code; none is kept."""
        given = await _given(request)
        code, key = _code(request), _key(request)
        await self._read(request, lambda session: _led(session, code, key))
        name, password = given.get("name"), given.get("password", "")
        said = isinstance(name, str) and isinstance(password, str)
        if not said or not name or len(name) > WIFI or len(password) > WIFI:
            raise Refused(f"A Wi-Fi has a name and a password of at most {WIFI} letters.", 422)
        return _json({"svg": picture(network(name, password))})

    async def _table(self, request: Request) -> Response:
        """`GET /rooms/CODE/answers.csv`: all answers, also of a room that has ended."""
        code, key = _code(request), _key(request)
        # Locked for a moment, as for a command: an ended room is found by these alone.
        text = await self._write(request, lambda tx: reading.table(tx.session, tx.led(code, key)))
        file = {"Content-Disposition": f'attachment; filename="room-{code}.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=NO_STORE | file)

    async def _read(self, request: Request, read: Callable[[Any], T]) -> T:
        async with self._reads.turn(visitor(request)):
            return await self._live.read(read)

    async def _write(self, request: Request, work: Work[T], code: str | None = None) -> T:
        async with self._writes.turn(visitor(request)):
            return await self._live.write(_code(request) if code is None else code, work)

    async def _may_try(self, request: Request, code: str) -> None:
        """Let somebody try a code; whoever is in that room already does not guess.

        Raises:
            Refused: there were too many wrong ones.
        """
        who = visitor(request)
        try:
            self._guesses.check(who)
        except Refused:
            key = request.cookies.get(KEY.format(code=code), "")
            if not (who.name or key) or not await self._read(
                request, lambda session: knows(session, code, who.name, key)
            ):
                raise

    def _missed(self, request: Request, error: Refused) -> bool:
        """Count a code that was wrong, if it was."""
        is_wrong = error.status == 404 and str(error) == NO_ROOM
        if is_wrong:
            self._guesses.wrong(visitor(request))
        return is_wrong

    def _answering(self, handler: Callable[[Request], Any]) -> Callable[[Request], Any]:
        """What goes wrong, as answers."""

        @wraps(handler)
        async def answering(request: Request) -> Response:
            try:
                if "code" in request.path_params and handler != self._phone:
                    await self._may_try(request, _code(request))
                given: Response = await handler(request)
            except ClientDisconnect:
                return Response(status_code=499)  # to nobody
            except Refused as error:
                self._missed(request, error)
                return refused(str(error), error.status, error.seconds, **error.more)
            except Unwanted as error:
                return refused(str(error), error.status, error.seconds)
            except Full:
                return refused("Others ask much, too. Try again in 2 seconds.", 503, 2)
            except StoreError as error:
                return refused(str(error), 503, 3)
            return given

        return answering


def _code(request: Request) -> str:
    return str(request.path_params["code"])


def _key(request: Request) -> str:
    return request.cookies.get(KEY.format(code=_code(request)), "")


def _name(request: Request) -> str:
    name = visitor(request).name
    if not name:
        raise Refused("This browser has no name here yet. Open the room's page again.", 401)
    return name


def _plan(name: Any) -> dict[str, str]:
    """The plan that a remote goes through, as its address says it; nothing where there is none."""
    return {"plan": name} if isinstance(name, str) and find_plan(name) else {}


def _role(request: Request) -> Role:
    role = request.query_params.get("as", "seat")
    if role not in ROLES:
        raise Refused(f"One hears of a room as {', '.join(ROLES)}; got {role[:24]!r}.", 422)
    return role


def _who(request: Request, role: Role) -> str:
    return visitor(request).name if role == "seat" else _key(request)


async def _given(request: Request) -> dict[str, Any]:
    """What is sent, as JSON; nothing is an empty document."""
    async with received(request, BODY) as raw:
        try:
            given = json.loads(raw or b"{}")
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise Refused("What is sent to a room is a document in JSON.", 422)
        return given


async def _asked(lesson: Any, screen: Any) -> Asking | None:
    """What a screen asks, as a room is told it."""
    if not isinstance(lesson, str) or isinstance(screen, bool) or not isinstance(screen, str | int):
        raise Refused("A screen is named by its lesson, and by its name or its number.", 422)
    try:
        asks = await to_thread.run_sync(present.asking, lesson, screen)
    except LookupError as error:
        raise Refused(str(error.args[0]), 422) from None
    return Asking(asks.kind, asks.labels, asks.right) if asks else None


def _led(session: Any, code: str, key: str) -> dict[str, Any]:
    """What somebody may know who leads a room."""
    row = find(session, code)
    if not leads(row, key):
        raise Refused(NO_KEY, 403)
    return {
        "lesson": row.lesson,
        "screen": row.screen,
        "pose": row.pose,
        "reached": row.reached,
        "pretend": reading.tally(session, row, 0.0)["pretend"],
    }


def _places(request: Request, own: bool = True) -> list[str]:
    """The app's addresses; where there is none, its own if that is better than none."""
    asked = f"{request.url.scheme}://{request.url.netloc}"
    return [place + base() for place in addresses(asked) or ([asked] if own else [])]


def _keep_key(request: Request, response: Response, code: str, key: str) -> None:
    response.set_cookie(
        KEY.format(code=code),
        key,
        max_age=KEY_S,
        path=f"{base()}/rooms/{code}",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def _page(request: Request, body: Body, status: int = 200) -> Response:
    page = answer(request, body, "text/html", "private, no-cache")
    page.status_code = status if page.status_code == 200 else page.status_code
    give_name(request, page)
    return page


def _json(document: Any) -> Response:
    return JSONResponse(document, headers=NO_STORE)
