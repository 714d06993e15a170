"""Where phones find a room: the addresses of this machine, and their pictures for a camera."""

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
"""Names the environment variable with the address that the server listens on; all without it."""

QUIET_ZONE = 4  # modules around a QR code: ISO/IEC 18004, section 9.1
PROBE_TARGETS = ("192.0.2.1", "10.255.255.254", "172.31.255.254", "192.168.255.254")
"""Addresses that networks of a school lead to; nothing is sent there."""


def lan_urls(origin: str) -> list[str]:
    """Return the addresses by which phones may reach this server, the likeliest first.

    Args:
        origin: scheme and host by which this server was asked.

    A name or an address that another machine has used is the one; where a laptop has asked itself,
    all that it has in its networks, with the same port; none where it listens to itself alone.

    >>> lan_urls("https://lnviz.example.org")
    ['https://lnviz.example.org']
    """
    there = urlsplit(origin)
    if not is_loopback(there.hostname or ""):
        return [origin]
    listening = os.environ.get(VARIABLE, "")
    if is_loopback(listening) and listening not in ("0.0.0.0", "::"):
        return []
    port = f":{there.port}" if there.port else ""
    return [f"{there.scheme}://{address}{port}" for address in _lan_addresses()]


def is_loopback(host: str) -> bool:
    """Whether a name means whatever machine asks for it.

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
    r"""Return what a QR code says so that a phone joins a Wi-Fi.

    Source: the format of ZXing, which the cameras of phones read.

    >>> wifi_uri("Hall; 2", "a:b")
    'WIFI:T:WPA;S:Hall\\; 2;P:a\\:b;;'
    >>> wifi_uri("Open", "")
    'WIFI:T:nopass;S:Open;;'
    """

    def quoted(text: str) -> str:
        return re.sub(r'([\\;,:"])', r"\\\1", text)

    secret = f"P:{quoted(password)};" if password else ""
    return f"WIFI:T:{'WPA' if password else 'nopass'};S:{quoted(name)};{secret};"


def _lan_addresses() -> list[str]:
    found: dict[str, None] = {}
    for there in PROBE_TARGETS:
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((there, 9))
            found[probe.getsockname()[0]] = None
    with suppress(OSError):
        for *_, address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET):
            found[str(address[0])] = None
    return [address for address in found if not is_loopback(address)]
