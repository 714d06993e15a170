"""Starlette path converters for room codes and integers."""

from __future__ import annotations

from starlette.convertors import Convertor, register_url_convertor


class RoomCodeConverter(Convertor[str]):
    """Converter of a room code: six digits."""

    regex = "[0-9]{6}"

    def convert(self, value: str) -> str:
        """Return the code in a path."""
        return value

    def to_string(self, value: str) -> str:
        """Return a code as it is in a path."""
        return value


class TypedCodeConverter(RoomCodeConverter):
    """Converter of a room code as people type it: six digits, perhaps in two halves."""

    regex = "[0-9]{3} ?[0-9]{3}"


class IntegerConverter(Convertor[int]):
    """Converter of a non-negative integer with at most 18 digits."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        """Return the integer in a path."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return an integer as it is in a path."""
        return str(value)


def register() -> None:
    """Register the converters as `code`, `typed` and `number`."""
    register_url_convertor("code", RoomCodeConverter())
    register_url_convertor("typed", TypedCodeConverter())
    register_url_convertor("number", IntegerConverter())
