"""Arrays with named axes: what a stored result is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

Coordinate = int | float | str
Axes = dict[str, tuple[Coordinate, ...]]


class NamedArray(NamedTuple):
    """Values over named axes.

    Attributes:
        over: the axes, in the order of the dimensions.
        values: one tensor; without axes a single number.
    """

    dims: tuple[str, ...]
    values: Tensor


@dataclass(frozen=True, eq=False)
class ArrayDataset:
    """A set of arrays that share axes.

    Attributes:
        axes: what stands along each axis, by its name.
        arrays: values, by what they are.

    Raises:
        ValueError: an array does not fit its axes.

    >>> import torch
    >>> error = Array(("norm", "size"), torch.tensor([[0.5, 0.2], [0.4, 0.3]]))
    >>> kept = Arrays({"norm": ("batch", "layer"), "size": (2, 8)}, {"error": error})
    >>> kept.tensor("error", "size", norm="layer")
    tensor([0.4000, 0.3000])
    >>> kept.tensor("error", norm="batch", size=8)
    tensor(0.2000)
    """

    axes: Mapping[str, tuple[Coordinate, ...]]
    arrays: Mapping[str, NamedArray]

    def __post_init__(self) -> None:
        for name, array in self.arrays.items():
            unknown = [axis for axis in array.dims if axis not in self.axes]
            if unknown:
                raise ValueError(
                    f"Every axis of an array has coordinates, got {name!r} over {array.dims} "
                    f"without those of {unknown[0]!r}."
                )
            sizes = tuple(len(self.axes[axis]) for axis in array.dims)
            if sizes != tuple(array.values.shape):
                raise ValueError(
                    f"{name!r} over {array.dims} has to have the shape {sizes} of its axes, got "
                    f"{tuple(array.values.shape)}."
                )

    def tensor(self, name: str, *over: str, **at: Coordinate) -> Tensor:
        """Return the values of an array, its axes in the order that is asked for.

        Args:
            name: the name of the array.
            over: the axes that the tensor's dimensions are.
            at: one coordinate of each other axis, by the axis's name.

        Raises:
            KeyError: there is no such array.
            ValueError: its axes are others, or nothing stands at a coordinate.
        """
        array = self.arrays[name]
        if sorted((*over, *at)) != sorted(array.dims):
            raise ValueError(
                f"Each axis of {name!r} is named once, {', '.join(array.dims) or 'none'}, got "
                f"{', '.join((*over, *at)) or 'none'}."
            )
        values, left = array.values, list(array.dims)
        for axis, coordinate in at.items():
            values = values.select(left.index(axis), self.index(axis, coordinate))
            left.remove(axis)
        return values.permute([left.index(axis) for axis in over])

    def labels(self, axis: str) -> tuple[str, ...]:
        """Return what stands along an axis, as words."""
        return tuple(map(str, self.axes[axis]))

    def index(self, axis: str, coordinate: Coordinate) -> int:
        """Return where along an axis a coordinate stands.

        Raises:
            ValueError: it stands nowhere.
        """
        if coordinate not in self.axes[axis]:
            raise ValueError(
                f"Along {axis!r} stand {', '.join(map(str, self.axes[axis]))}, not {coordinate!r}."
            )
        return self.axes[axis].index(coordinate)
