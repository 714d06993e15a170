"""Identity of clients: an anonymous id in a signed cookie or, without a cookie, the network."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from lnviz.web.assets import base_path
from lnviz.web.client_network import client_network
from lnviz.web.identity_cookie import COOKIE, COOKIE_MAX_AGE_S, IDENTITY_COOKIES, set_cookie
from lnviz.web.responses import CompressedBody, conditional_response


class Client(NamedTuple):
    """The client of a request; clients without an id count as one client per network.

    Attributes:
        network: The IPv4 address, or the /64 prefix of the IPv6 address.
        id: The id in the signed cookie; empty without a cookie.
    """

    network: str
    id: str = ""

    @property
    def owner_hash(self) -> str:
        """Key of the client's uploads and jobs: a hash of the id or, without an id, the network."""
        return _hash("name", self.id) if self.id else self.network_hash

    @property
    def network_hash(self) -> str:
        """A hash of the client's network, stored instead of the IP address."""
        return _hash("address", self.network)


def identify_client(request: HTTPConnection) -> Client:
    """Return the client that sent a request, from its cookie and IP address."""
    return Client(client_network(request), IDENTITY_COOKIES.verify(request.cookies.get(COOKIE, "")))


def page_response(
    request: Request, body: CompressedBody, status: int = 200, room: str = ""
) -> Response:
    """Return an HTML page as a response that issues or renews the identity cookie.

    No cookie is set for pages in a frame: browsers do not keep cookies of frames in other sites, so
    each load would use up a new id.

    Args:
        request: The request.
        body: The page.
        status: Status of the response.
        room: Code of an existing room, if the page is for its participants.
    """
    response = conditional_response(request, body, "text/html", "private, no-cache")
    response.status_code = status if response.status_code == 200 else response.status_code
    if request.headers.get("sec-fetch-dest", "document") != "document":
        return response
    client = identify_client(request)
    if not client.id and IDENTITY_COOKIES.maybe_newer_key(request.cookies.get(COOKIE, "")):
        return response
    if cookie := IDENTITY_COOKIES.issue(client.id, client.network, room):
        set_cookie(request, response, COOKIE, cookie, COOKIE_MAX_AGE_S, base_path() or "/")
    return response


def _hash(kind: str, text: str) -> str:
    return hashlib.sha256(f"{kind} {text}".encode()).hexdigest()[:32]
