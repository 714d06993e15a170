"""Who asks: a name that a browser keeps, by which visitors take turns and find their trainings."""

from __future__ import annotations

import hashlib
import re
import secrets
from ipaddress import IPv6Network

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from lnviz.web.assets import base

COOKIE = "lnviz-visitor"
LETTERS = 22
"""How long names are that are made here: 16 bytes, in base 64."""

_NAME = re.compile(rf"[\w-]{{{LETTERS}}}", re.ASCII)
KEPT = 30 * 24 * 3600  # seconds, as long as a training that has ended


def name(request: Request, page: Response) -> None:
    """Have the browser keep a name, the one that it has or a new one, from now on for a while.

    A class behind one address are many visitors; who has no such name goes by the address.
    """
    page.set_cookie(
        COOKIE,
        _known(request) or secrets.token_urlsafe(16),
        max_age=KEPT,
        path=base() or "/",
        httponly=True,
        samesite="lax",
    )


def visitor(request: HTTPConnection) -> str:
    """Return for whom a figure is computed: a name as they are made here, or else an address.

    A made-up name gains turns, not places or cores.
    """
    return _known(request) or (request.client.host if request.client else "")


def _known(request: HTTPConnection) -> str:
    """The name that comes with a request, if it can be one that was made here."""
    known = request.cookies.get(COOKIE, "")
    return known if _NAME.fullmatch(known) else ""


def network(request: HTTPConnection) -> str:
    """Return from where is asked: an address, of IPv6 the part that one household shares.

    >>> network(Request({"type": "http", "client": ("2001:db8:1:2:3:4:5:6", 1)}))
    '2001:db8:1:2::/64'
    """
    host = request.client.host if request.client else ""
    return str(IPv6Network((host, 64), strict=False)) if ":" in host else host


def owner(request: Request) -> str:
    """Return whose a training is: what is kept does not hold the name by which a browser is known.

    The same for the same visitor; never empty.
    """
    return hashlib.sha256(visitor(request).encode()).hexdigest()[:32]
