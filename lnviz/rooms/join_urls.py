"""URLs at which phones in the local network reach this server, and QR codes for the URLs."""

from __future__ import annotations

import io
import os
import re
import socket
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

import segno

VARIABLE = "LNVIZ_ADDRESS"
"""Environment variable with the address that the server listens on; unset, it listens on all."""

QUIET_ZONE = 4  # in modules: ISO/IEC 18004, section 9.1
PROBE_TARGETS = ("192.0.2.1", "10.255.255.254", "172.31.255.254", "192.168.255.254")
"""Targets whose routes reveal this machine's addresses in usual networks; nothing is sent there."""


def lan_urls(origin: str) -> list[str]:
    """Return the URLs at which phones may reach this server, most likely first.

    If other machines can use the origin, it is the only URL. If the origin is a loopback address,
    the URLs have this machine's addresses in its networks and the same port; there are none if the
    server listens on the loopback interface only.

    Args:
        origin: Scheme and host of the request.

    >>> lan_urls("https://lnviz.example.org")
    ['https://lnviz.example.org']
    """
    url = urlsplit(origin)
    if not is_loopback(url.hostname or ""):
        return [origin]
    listen_address = os.environ.get(VARIABLE, "")
    if is_loopback(listen_address) and listen_address not in ("0.0.0.0", "::"):
        return []
    port = f":{url.port}" if url.port else ""
    return [f"{url.scheme}://{address}{port}" for address in _lan_addresses()]


def is_loopback(host: str) -> bool:
    """Return whether a host name or IP address is a loopback address, such as `localhost`.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.2", "192.168.1.20", "here.example")]
    [True, True, False, False]
    """
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def qr_svg(text: str) -> str:
    """Return a QR code as an SVG element, black on white in every theme."""
    file = io.BytesIO()
    segno.make_qr(text, error="m").save(
        file, kind="svg", border=QUIET_ZONE, dark="#000", light="#fff", xmldecl=False, omitsize=True
    )
    return file.getvalue().decode()


def wifi_uri(name: str, password: str) -> str:
    r"""Return the text of a QR code that makes a phone join a Wi-Fi network.

    Source: the Wi-Fi format of ZXing, which the cameras of phones read.

    >>> wifi_uri("Hall; 2", "a:b")
    'WIFI:T:WPA;S:Hall\\; 2;P:a\\:b;;'
    >>> wifi_uri("Open", "")
    'WIFI:T:nopass;S:Open;;'
    """

    def escape(text: str) -> str:
        return re.sub(r'([\\;,:"])', r"\\\1", text)

    secret = f"P:{escape(password)};" if password else ""
    return f"WIFI:T:{'WPA' if password else 'nopass'};S:{escape(name)};{secret};"


def _lan_addresses() -> list[str]:
    found: dict[str, None] = {}  # an ordered set
    for target in PROBE_TARGETS:
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            found[probe.getsockname()[0]] = None
    with suppress(OSError):
        for *_, address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET):
            found[str(address[0])] = None
    return [address for address in found if not is_loopback(address)]
