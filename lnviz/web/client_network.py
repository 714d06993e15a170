"""Network of a client: its IPv4 address, or the IPv6 prefix that one household shares."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Network, ip_address

from starlette.requests import HTTPConnection


def client_network(request: HTTPConnection) -> str:
    """Return the network of a request's client: its IPv4 address or IPv6 prefix."""
    return normalize_ip(request.client.host if request.client else "")


def normalize_ip(host: str) -> str:
    """Return an IPv4 address unchanged, or the /64 prefix of an IPv6 address.

    A household has a whole /64, so a single client could use any number of its addresses. Text that
    is not an IP address is returned unchanged.

    >>> normalize_ip("2001:db8:1:2:3:4:5:6"), normalize_ip("192.0.2.1")
    ('2001:db8:1:2::/64', '192.0.2.1')
    >>> normalize_ip("::ffff:192.0.2.1")
    '192.0.2.1'
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((address, 64), strict=False))
