"""Ports that a server may listen on, and what to do about one that is taken."""

from __future__ import annotations

import argparse
import errno
import os
import socket

DEFAULT_PORT = 8501
LOCAL_ADDRESS = "127.0.0.1"
"""Address at which only programs on this machine reach a server."""


def parse_port(text: str) -> int:
    """Return the port that a command-line argument names.

    Raises:
        ArgumentTypeError: It is no port.
    """
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(
            "A port must be a number from 1 to 65535, or 0 for any free port, but got "
            f"{text[:24]!r}."
        )
    return int(text)


def port_problem(address: str, port: int) -> str:
    """Return why no server can listen at an address and port, and what to do; empty if one can.

    >>> with socket.create_server((LOCAL_ADDRESS, 0)) as server:
    ...     port_problem(LOCAL_ADDRESS, server.getsockname()[1]).partition(" is in use. ")[2]
    'Stop the program that uses it, or name another port, such as --port 8502.'
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        socket.create_server((address, port), family=family).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            other = DEFAULT_PORT + 1 if port != DEFAULT_PORT + 1 else DEFAULT_PORT + 2
            return (
                f"Port {port} is in use. Stop the program that uses it, or name another port, "
                f"such as --port {other}."
            )
        if error.errno == errno.EACCES:
            return f"You may not use port {port}. Name one above 1023, such as --port 8501."
        reason = os.strerror(error.errno or 0)
        return f"The server cannot listen at {address}, port {port}: {reason}."
    return ""
