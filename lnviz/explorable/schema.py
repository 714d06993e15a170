"""Base class of dataclasses that are serialized into a figure's JSON document.

The annotation of a field determines its JSON, the controls and tensors that it refers to, and its
TypeScript type: `Template`, `Name`, `When`, a primitive, another such dataclass, or tuples and
mappings of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from lnviz.explorable.template import conditions_json, parse_template, referenced_names


def _identity(value: Any) -> Any:
    return value


def _no_references(_: Any) -> Iterable[str]:
    return ()


@dataclass(frozen=True)
class FieldType:
    """Serialization of a dataclass field: TypeScript type, JSON conversion, and referenced names.

    Args:
        type: The type in TypeScript.
        to_json: Returns a value as JSON.
        references: Returns the controls and tensors that a value refers to.
    """

    type: str
    to_json: Callable[[Any], Any] = _identity
    references: Callable[[Any], Iterable[str]] = _no_references


Template = Annotated[str, FieldType("Pieces", parse_template, referenced_names)]
"""A text with live numbers, as in `Readout`."""

Name = Annotated[str, FieldType("Name", references=lambda name: [name])]
"""The name of a control or a tensor."""

NameOrNone = Annotated[str, FieldType("NameOrNone", references=lambda name: [name] if name else [])]
"""The name of a control or a tensor; "" for none."""

When = Annotated[dict[str, tuple[Any, ...]], FieldType("When", conditions_json, list)]
"""Conditions: for each control named, the values at which something is shown."""


@dataclass(frozen=True)
class Serializable:
    """Base class of dataclasses in a figure's JSON document, each a type in `payload.d.ts`.

    A subclass may have a `kind`, which is the first entry of its JSON document. A field's metadata
    may have a `key`, its name in the document; fields with an empty key are omitted.
    """

    kind: ClassVar[str]

    def __init_subclass__(cls, kind: str = "") -> None:
        cls.kind = kind

    def payload(self) -> dict[str, Any]:
        """Return this object as JSON data; conditions contain control values, not positions."""
        return ({"kind": self.kind} if self.kind else {}) | {
            key: kind.to_json(getattr(self, name)) for name, key, kind in self.wire_fields()
        }

    def references(self) -> Iterator[str]:
        """Yield the names of the controls and tensors that this object refers to."""
        for name, _, kind in self.wire_fields():
            yield from kind.references(getattr(self, name))

    @classmethod
    @cache
    def wire_fields(cls) -> tuple[tuple[str, str, FieldType], ...]:
        """Return each serialized field's name, key in the JSON document, and `FieldType`."""
        hints = get_type_hints(cls, include_extras=True)
        keys = {field.name: field.metadata.get("key", field.name) for field in fields(cls)}
        return tuple((name, key, field_type(hints[name])) for name, key in keys.items() if key)


PRIMITIVES = {str: "string", int: "number", float: "number", bool: "boolean"}


def field_type(hint: Any) -> FieldType:
    """Return the serialization of a field with this type annotation.

    Raises:
        TypeError: The annotation cannot be serialized.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in PRIMITIVES:
        return FieldType(PRIMITIVES[hint])
    if isinstance(hint, type) and issubclass(hint, Serializable):
        return FieldType(hint.__name__, hint.payload, hint.references)
    if origin is Annotated and isinstance(arguments[1], FieldType):
        return arguments[1]
    if origin is Literal:
        return FieldType(" | ".join(f'"{value}"' for value in arguments))
    if origin in (Union, UnionType) and len(arguments) == 2 and arguments[1] is NoneType:
        of = field_type(arguments[0])
        return FieldType(
            f"{of.type} | null",
            lambda value: None if value is None else of.to_json(value),
            lambda value: () if value is None else of.references(value),
        )
    if origin is tuple and arguments[-1] is Ellipsis:
        return _list_type(f"{field_type(arguments[0]).type}[]", field_type(arguments[0]))
    if origin is tuple and len(set(arguments)) == 1:
        of = field_type(arguments[0])
        return _list_type(f"[{', '.join([of.type] * len(arguments))}]", of)
    if origin is Mapping:
        of = field_type(arguments[1])
        return FieldType(
            f"Record<string, {of.type}>",
            lambda values: {str(key): of.to_json(value) for key, value in values.items()},
            lambda values: chain.from_iterable(map(of.references, values.values())),
        )
    raise TypeError(f"no field of a document is {hint!r}")


def _list_type(name: str, of: FieldType) -> FieldType:
    return FieldType(
        name,
        lambda values: [of.to_json(value) for value in values],
        lambda values: chain.from_iterable(map(of.references, values)),
    )
