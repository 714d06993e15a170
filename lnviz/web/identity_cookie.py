"""Signed cookie with a browser's anonymous id."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable, Sequence

from itsdangerous import BadSignature, BadTimeSignature, TimestampSigner
from itsdangerous.encoding import base64_encode
from starlette.requests import Request
from starlette.responses import Response

from lnviz.database import signing_keys
from lnviz.database.session import get_database
from lnviz.web.rate_limit import RateLimiter

SECRET_ENV = "LNVIZ_SECRET"
"""Environment variable with the signing key; without it, the key is in the database."""

COOKIE = "lnviz-visitor"
COOKIE_MAX_AGE_S = 30 * 24 * 3600  # as long as a training is kept after its end
ID_LENGTH = 22
"""Characters of an id: 16 random bytes in base 64."""

ISSUE_BURST = 400
"""Ids that are issued to one network at once: a class may come at the same moment."""

ISSUES_PER_SECOND = 0.2
"""Ids that are issued to a network in a second after those."""

ROOM_ISSUE_BURST = 800
"""Ids that are issued at once to one network for a room: two classes with all of its seats."""

ROOM_ISSUES_PER_SECOND = 10.0
"""Ids that are issued to a network for a room in a second after those, whoever has used them up."""

_ID = re.compile(rf"[\w-]{{{ID_LENGTH}}}", re.ASCII)


class IdentityCookies:
    """Issues anonymous client ids in signed cookies, and verifies the cookies' signatures.

    Args:
        secret: The signing key. If it is missing, no cookie is issued or valid until `set_keys` is
            called.
        clock: Returns the time in seconds.
    """

    def __init__(self, secret: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self._signer: TimestampSigner | None = None
        self._secret = ""
        self._keys_set_at = 0  # seconds since 1970
        self._issued = RateLimiter(ISSUE_BURST, ISSUES_PER_SECOND, clock)
        self._issued_in_rooms = RateLimiter(ROOM_ISSUE_BURST, ROOM_ISSUES_PER_SECOND, clock)
        if secret:
            self.set_keys([secret])

    def set_keys(self, keys: Sequence[str]) -> None:
        """Set the signing keys; the last key signs cookies, and all keys verify them."""
        self._signer = TimestampSigner(keys, salt=COOKIE, digest_method=hashlib.sha256)
        self._secret = keys[-1]
        self._keys_set_at = int(time.time())

    @property
    def has_keys(self) -> bool:
        """True if a signing key is set."""
        return self._signer is not None

    def verify(self, cookie: str) -> str:
        """Return the client id in a cookie; "" if the signature is invalid or has expired."""
        client_id = cookie.partition(".")[0]
        if self._signer is None or not _ID.fullmatch(client_id):
            return ""
        try:
            self._signer.unsign(cookie, max_age=COOKIE_MAX_AGE_S)
        except BadSignature:
            return ""
        return client_id

    def maybe_newer_key(self, cookie: str) -> bool:
        """Return whether a cookie may be signed with a key that this process has not loaded yet.

        This is possible if its time stamp is later than the last `set_keys`: another process may
        have signed the cookie after the keys were rotated.
        """
        if self._signer is None:
            return bool(cookie)
        try:
            self._signer.unsign(cookie)
        except BadTimeSignature as error:
            signed = error.date_signed
            return signed is not None and signed.timestamp() >= self._keys_set_at
        except BadSignature:
            pass  # without a time stamp
        return False

    def sign(self, client_id: str) -> str:
        """Return the signed cookie for a client id; "" if there is no signing key yet.

        The cookie has the id, its seal for nginx (see `_nginx_seal`), a time stamp, and the
        signature of all three.
        """
        if self._signer is None:
            return ""
        return self._signer.sign(f"{client_id}.{_nginx_seal(self._secret, client_id)}").decode()

    def issue(self, client_id: str, network: str, room: str = "") -> str:
        """Return a signed cookie with the client's id; an empty id is replaced by a new one.

        Args:
            client_id: Id of the client, or "".
            network: Network of the client.
            room: Code of an existing room that the client joins, which has ids of its own: who has
                the code is not kept out by others of the network.

        Returns:
            The cookie; empty if there is no key, or if too many were issued to the network.
        """
        if not client_id and self._signer and self._may_issue(network, room):
            client_id = secrets.token_urlsafe(16)
        return self.sign(client_id) if client_id else ""

    def _may_issue(self, network: str, room: str) -> bool:
        if room:
            return self._issued_in_rooms.try_acquire(f"{room} {network}")
        return self._issued.try_acquire(network)


IDENTITY_COOKIES = IdentityCookies(os.environ.get(SECRET_ENV, ""))
"""The cookies of this process; all processes of a server share the key."""


def reload_signing_keys() -> None:
    """Reload the signing keys, which may have been rotated, from the environment or the database.

    Raises:
        StoreError: The database cannot be read.
    """
    secret = os.environ.get(SECRET_ENV)
    IDENTITY_COOKIES.set_keys([secret] if secret else signing_keys.active_keys(get_database()))


def set_cookie(
    request: Request, response: Response, name: str, value: str, max_age_s: int, path: str
) -> None:
    """Set a cookie: HttpOnly, SameSite=Lax, and Secure under HTTPS."""
    response.set_cookie(
        name,
        value,
        max_age=max_age_s,
        path=path,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def _nginx_seal(secret: str, client_id: str) -> str:
    """Return the hash by which nginx recognizes client ids that this server has issued.

    `secure_link_md5` computes the same hash in deploy/nginx.conf. The MD5 of a secret and a text of
    fixed length cannot be forged without the secret.
    """
    return base64_encode(hashlib.md5(f"{secret} {client_id}".encode()).digest()).decode()
