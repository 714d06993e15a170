"""Who somebody is: a name that this server has signed and a browser keeps, or else the address."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv6Network

from itsdangerous import BadSignature, Signer
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from lnviz.database import secrets as kept
from lnviz.topics.lab import keeping
from lnviz.web.assets import base
from lnviz.web.shares import Rate

VARIABLE = "LNVIZ_SECRET"
"""Names the environment variable with the secret; without it, the database has one."""

COOKIE = "lnviz-visitor"
KEPT = 30 * 24 * 3600  # seconds, as long as a training that has ended
LETTERS = 22
"""How long names are: 16 bytes, in base 64."""

CLASS = 240
"""Names that an address gets at once: a class may come at the same moment."""

LATER = 0.2
"""Names a second that it gets after those."""

_NAME = re.compile(rf"[\w-]{{{LETTERS}}}", re.ASCII)


@dataclass(frozen=True)
class Visitor:
    """Somebody who asks.

    Attributes:
        address: From where: of IPv6 the part that one household shares.
        name: The name that was signed here; empty where somebody has none, and then all who have
            none at this address are one visitor.
    """

    address: str
    name: str = ""

    @cached_property
    def owner(self) -> str:
        """Whose something is that is kept, which does not hold the name or the address itself.

        No name is an address, whatever either is.
        """
        return _hashed("name", self.name) if self.name else self.home

    @cached_property
    def home(self) -> str:
        """What is kept of the address."""
        return _hashed("address", self.address)


class Names:
    """Makes names, signs them, and knows them again.

    Args:
        secret: What to sign with; without one nobody has a name yet.
        clock: Seconds that pass.
    """

    def __init__(self, secret: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self._signer: Signer | None = None
        self._rate = Rate(CLASS, LATER, clock)
        if secret:
            self.know([secret])

    def know(self, known: Sequence[str]) -> None:
        """Sign with the last of these secrets, and take what any of them has signed."""
        self._signer = Signer(known, salt=COOKIE, digest_method=hashlib.sha256)

    def read(self, cookie: str) -> str:
        """Return the name in a cookie; nothing where it is not one that was made here."""
        name = cookie.partition(".")[0]
        if self._signer is None or not _NAME.fullmatch(name):
            return ""
        try:
            self._signer.unsign(cookie)
        except BadSignature:
            return ""
        return name

    def signed(self, name: str) -> str:
        """Return a name as a browser keeps it; nothing as long as there is no secret."""
        return self._signer.sign(name).decode() if self._signer else ""

    def given(self, visitor: Visitor) -> str:
        """Return what the browser of a visitor is to keep; nothing where too many have asked."""
        name = visitor.name
        if not name and self._signer and self._rate.take(visitor.address):
            name = secrets.token_urlsafe(16)
        return self.signed(name) if name else ""


NAMES = Names(os.environ.get(VARIABLE, ""))
"""Those of this process; all processes of a server have the same secret."""


def refresh() -> None:
    """Take the secret from the database, where nothing else is said: it may have been rotated.

    Raises:
        StoreError: It cannot be read.
    """
    if not os.environ.get(VARIABLE):
        NAMES.know(kept.known(keeping.store()))


def visitor(request: HTTPConnection) -> Visitor:
    """Return who asks."""
    return Visitor(network(request), NAMES.read(request.cookies.get(COOKIE, "")))


def name(request: Request, page: Response) -> None:
    """Have the browser keep its name, or a new one, from now on for a while."""
    if given := NAMES.given(visitor(request)):
        page.set_cookie(
            COOKIE, given, max_age=KEPT, path=base() or "/", httponly=True, samesite="lax"
        )


def network(request: HTTPConnection) -> str:
    """Return from where is asked; see `place`."""
    return place(request.client.host if request.client else "")


def place(host: str) -> str:
    """Return what counts as one address: of IPv6 the part that one household shares.

    >>> place("2001:db8:1:2:3:4:5:6"), place("192.0.2.1")
    ('2001:db8:1:2::/64', '192.0.2.1')
    """
    return str(IPv6Network((host.partition("%")[0], 64), strict=False)) if ":" in host else host


def _hashed(kind: str, text: str) -> str:
    return hashlib.sha256(f"{kind} {text}".encode()).hexdigest()[:32]
