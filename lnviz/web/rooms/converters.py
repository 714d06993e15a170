"""What stands in the addresses of rooms, for Starlette's routes."""

from __future__ import annotations

from starlette.convertors import Convertor, register_url_convertor


class RoomCodeConverter(Convertor[str]):
    """Six digits."""

    regex = "[0-9]{6}"

    def convert(self, value: str) -> str:
        """Return what stands in the path."""
        return value

    def to_string(self, value: str) -> str:
        """Return what stands in a path."""
        return value


class TypedCodeConverter(RoomCodeConverter):
    """Six digits, in two halves for whoever has typed what the wall shows."""

    regex = "[0-9]{3} ?[0-9]{3}"


class IntegerConverter(Convertor[int]):
    """A whole number of so many digits that nothing chokes on it."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        """Return the number in the path."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return what stands in a path."""
        return str(value)


def register() -> None:
    """Have routes know `code`, `typed` and `number`."""
    register_url_convertor("code", RoomCodeConverter())
    register_url_convertor("typed", TypedCodeConverter())
    register_url_convertor("number", IntegerConverter())
