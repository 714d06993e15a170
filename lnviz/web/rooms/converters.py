"""Starlette path converters for room codes and integers in URLs."""

from __future__ import annotations

from starlette.convertors import Convertor, register_url_convertor


class RoomCodeConverter(Convertor[str]):
    """Starlette path converter for a room code: six digits."""

    regex = "[0-9]{6}"

    def convert(self, value: str) -> str:
        """Return the room code in a URL path."""
        return value

    def to_string(self, value: str) -> str:
        """Return a room code as written in a URL path."""
        return value


class TypedCodeConverter(RoomCodeConverter):
    """Starlette path converter for a typed room code: six digits, possibly in two halves."""

    regex = "[0-9]{3} ?[0-9]{3}"


class IntegerConverter(Convertor[int]):
    """Starlette path converter for a non-negative integer with at most 18 digits."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        """Return the integer in a URL path."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return an integer as written in a URL path."""
        return str(value)


def register() -> None:
    """Register the path converters with Starlette as `code`, `typed` and `number`."""
    register_url_convertor("code", RoomCodeConverter())
    register_url_convertor("typed", TypedCodeConverter())
    register_url_convertor("number", IntegerConverter())
