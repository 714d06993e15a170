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
from ipaddress import IPv4Address, IPv6Network, ip_address

from itsdangerous import BadSignature, BadTimeSignature, TimestampSigner
from itsdangerous.encoding import base64_encode
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from lnviz.database import signing_keys as kept
from lnviz.topics.lab import keeping
from lnviz.web.assets import base_path
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.responses import CompressedBody, conditional_response

SECRET_ENV = "LNVIZ_SECRET"
"""Names the environment variable with the secret; without it, the database has one."""

COOKIE = "lnviz-visitor"
COOKIE_MAX_AGE_S = 30 * 24 * 3600  # seconds, as long as a training that has ended
ID_LENGTH = 22
"""How long names are: 16 bytes, in base 64."""

ISSUE_BURST = 400
"""Names that an address gets at once: a class may come at the same moment."""

ISSUES_PER_SECOND = 0.2
"""Names a second that it gets after those."""

CROSS_ORIGIN_ERROR = "This is taken from this site's own pages alone."

_NAME = re.compile(rf"[\w-]{{{ID_LENGTH}}}", re.ASCII)


@dataclass(frozen=True)
class Client:
    """Somebody who asks.

    Attributes:
        address: From where: of IPv6 the part that one household shares.
        name: The name that was signed here; empty where somebody has none, and then all who have
            none at this address are one visitor.
    """

    network: str
    id: str = ""

    @cached_property
    def owner_hash(self) -> str:
        """Whose something is that is kept, which does not hold the name or the address itself.

        No name is an address, whatever either is.
        """
        return _hashed("name", self.id) if self.id else self.network_hash

    @cached_property
    def network_hash(self) -> str:
        """What is kept of the address."""
        return _hashed("address", self.network)


class IdentityCookies:
    """Makes names, signs them, and knows them again.

    Args:
        secret: What to sign with; without one nobody has a name yet.
        clock: Seconds that pass.
    """

    def __init__(self, secret: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self._signer: TimestampSigner | None = None
        self._secret = ""
        self._learned = 0  # when the secrets were looked up last, in seconds since 1970
        self._rate = RateLimiter(ISSUE_BURST, ISSUES_PER_SECOND, clock)
        if secret:
            self.set_keys([secret])

    def set_keys(self, known: Sequence[str]) -> None:
        """Sign with the last of these secrets, and take what any of them has signed."""
        self._signer = TimestampSigner(known, salt=COOKIE, digest_method=hashlib.sha256)
        self._secret = known[-1]
        self._learned = int(time.time())

    @property
    def has_keys(self) -> bool:
        """Whether there is a secret."""
        return self._signer is not None

    def verify(self, cookie: str) -> str:
        """Return the name in a cookie; nothing where it was not signed here, or long ago."""
        name = cookie.partition(".")[0]
        if self._signer is None or not _NAME.fullmatch(name):
            return ""
        try:
            self._signer.unsign(cookie, max_age=COOKIE_MAX_AGE_S)
        except BadSignature:
            return ""
        return name

    def maybe_newer_key(self, cookie: str) -> bool:
        """Say whether a cookie says that it was signed after the secrets were looked up here.

        Another process may have done so, with a secret that has been made since.
        """
        if self._signer is None:
            return bool(cookie)
        try:
            self._signer.unsign(cookie)
        except BadTimeSignature as error:
            signed = error.date_signed
            return signed is not None and signed.timestamp() >= self._learned
        except BadSignature:
            pass  # and it does not say when
        return False

    def sign(self, name: str) -> str:
        """Return a name as a browser keeps it; nothing as long as there is no secret.

        With it comes its seal, by which an nginx in front that knows the secret knows the name.
        """
        if self._signer is None:
            return ""
        return self._signer.sign(f"{name}.{_seal(self._secret, name)}").decode()

    def issue(self, visitor: Client) -> str:
        """Return what the browser of a visitor is to keep; nothing where too many have asked."""
        name = visitor.id
        if not name and self._signer and self._rate.try_acquire(visitor.network):
            name = secrets.token_urlsafe(16)
        return self.sign(name) if name else ""


IDENTITY_COOKIES = IdentityCookies(os.environ.get(SECRET_ENV, ""))
"""Those of this process; all processes of a server have the same secret."""


def reload_signing_keys() -> None:
    """Take the secret from the database, where nothing else is said: it may have been rotated.

    Raises:
        StoreError: It cannot be read.
    """
    said = os.environ.get(SECRET_ENV)
    IDENTITY_COOKIES.set_keys([said] if said else kept.active_keys(keeping.store()))


def identify_client(request: HTTPConnection) -> Client:
    """Return who asks."""
    return Client(client_network(request), IDENTITY_COOKIES.verify(request.cookies.get(COOKIE, "")))


def page_response(request: Request, body: CompressedBody, status: int = 200) -> Response:
    """Answer with a page; the browser keeps its name, or a new one, from now on for a while.

    In a frame of another site it would keep none, and every load would take one.
    """
    shown = conditional_response(request, body, "text/html", "private, no-cache")
    shown.status_code = status if shown.status_code == 200 else shown.status_code
    if request.headers.get("sec-fetch-dest", "document") != "document":
        return shown
    who = identify_client(request)
    if not who.id and IDENTITY_COOKIES.maybe_newer_key(request.cookies.get(COOKIE, "")):
        return shown
    if given := IDENTITY_COOKIES.issue(who):
        set_cookie(request, shown, COOKIE, given, COOKIE_MAX_AGE_S, base_path() or "/")
    return shown


def set_cookie(
    request: Request, response: Response, name: str, value: str, seconds: int, path: str
) -> None:
    """Have the browser keep something for a while, and send it to this site's own pages alone."""
    response.set_cookie(
        name,
        value,
        max_age=seconds,
        path=path,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def is_same_origin(request: HTTPConnection) -> bool:
    """Whether a page of this very site asks, or something that is no browser and has no origin."""
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")


def client_network(request: HTTPConnection) -> str:
    """Return from where is asked; see `place`."""
    return normalize_ip(request.client.host if request.client else "")


def normalize_ip(host: str) -> str:
    """Return what counts as one address: of IPv6 the part that one household shares.

    What is no address counts as it stands.

    >>> place("2001:db8:1:2:3:4:5:6"), place("192.0.2.1"), place("::ffff:192.0.2.1")
    ('2001:db8:1:2::/64', '192.0.2.1', '192.0.2.1')
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((address, 64), strict=False))


def _seal(secret: str, name: str) -> str:
    """What nginx works out, too: `secure_link_md5` of its module of that name.

    MD5 of a secret and of a text whose length is fixed cannot be made without the secret.
    """
    return base64_encode(hashlib.md5(f"{secret} {name}".encode()).digest()).decode()


def _hashed(kind: str, text: str) -> str:
    return hashlib.sha256(f"{kind} {text}".encode()).hexdigest()[:32]
