"""Parts of a figure's document: what a field is says how it travels, what it refers to, its type.

A field's annotation is the one place where that is said: `Template`, `Name`, `When`, a plain
value, another part, or tuples and mappings of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from lnviz.explorable.template import conditions, names, pieces


def _itself(value: Any) -> Any:
    return value


def _nothing(_: Any) -> Iterable[str]:
    return ()


@dataclass(frozen=True)
class Kind:
    """What a field may be.

    Args:
        type: Its type in TypeScript.
        document: Gives a value as JSON.
        names: Gives the controls and tensors that a value refers to.
    """

    type: str
    document: Callable[[Any], Any] = _itself
    names: Callable[[Any], Iterable[str]] = _nothing


Template = Annotated[str, Kind("Pieces", pieces, names)]
"""A text with live numbers, as in `Readout`."""

Name = Annotated[str, Kind("Name", names=lambda name: [name])]
"""The name of a control or a tensor."""

NameOrNone = Annotated[str, Kind("NameOrNone", names=lambda name: [name] if name else [])]
"""The name of a control or a tensor; empty where there is none."""

When = Annotated[dict[str, tuple[Any, ...]], Kind("When", conditions, list)]
"""For each control named, the values at which a view is shown."""


@dataclass(frozen=True)
class Part:
    """A frozen dataclass that is part of a figure's document, and an interface of `payload.d.ts`.

    A subclass may name its `kind`, which then leads the document. A field whose metadata have a
    `key` has that name there; with an empty one it stays here.
    """

    kind: ClassVar[str]

    def __init_subclass__(cls, kind: str = "") -> None:
        cls.kind = kind

    def payload(self) -> dict[str, Any]:
        """Return the interface of this name in `payload.d.ts`, conditions by value."""
        return ({"kind": self.kind} if self.kind else {}) | {
            key: kind.document(getattr(self, name)) for name, key, kind in self.sent()
        }

    def names(self) -> Iterator[str]:
        """Return the controls and tensors it refers to."""
        for name, _, kind in self.sent():
            yield from kind.names(getattr(self, name))

    @classmethod
    @cache
    def sent(cls) -> tuple[tuple[str, str, Kind], ...]:
        """Return the fields that travel: each one's name, its key in the document and its kind."""
        hints = get_type_hints(cls, include_extras=True)
        keys = {field.name: field.metadata.get("key", field.name) for field in fields(cls)}
        return tuple((name, key, kind_of(hints[name])) for name, key in keys.items() if key)


PLAIN = {str: "string", int: "number", float: "number", bool: "boolean"}


def kind_of(hint: Any) -> Kind:
    """Return the kind that an annotation stands for.

    Raises:
        TypeError: It stands for none.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return Kind(PLAIN[hint])
    if isinstance(hint, type) and issubclass(hint, Part):
        return Kind(hint.__name__, hint.payload, hint.names)
    if origin is Annotated and isinstance(arguments[1], Kind):
        return arguments[1]
    if origin is Literal:
        return Kind(" | ".join(f'"{value}"' for value in arguments))
    if origin in (Union, UnionType) and len(arguments) == 2 and arguments[1] is NoneType:
        of = kind_of(arguments[0])
        return Kind(
            f"{of.type} | null",
            lambda value: None if value is None else of.document(value),
            lambda value: () if value is None else of.names(value),
        )
    if origin is tuple and arguments[-1] is Ellipsis:
        return _items(f"{kind_of(arguments[0]).type}[]", kind_of(arguments[0]))
    if origin is tuple and len(set(arguments)) == 1:
        of = kind_of(arguments[0])
        return _items(f"[{', '.join([of.type] * len(arguments))}]", of)
    if origin is Mapping:
        of = kind_of(arguments[1])
        return Kind(
            f"Record<string, {of.type}>",
            lambda values: {str(key): of.document(value) for key, value in values.items()},
            lambda values: chain.from_iterable(map(of.names, values.values())),
        )
    raise TypeError(f"no field of a document is {hint!r}")


def _items(name: str, of: Kind) -> Kind:
    return Kind(
        name,
        lambda values: [of.document(value) for value in values],
        lambda values: chain.from_iterable(map(of.names, values)),
    )
