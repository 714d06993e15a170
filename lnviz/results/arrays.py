"""Arrays with named axes: the data structure in which results are stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

Coordinate = int | float | str
Axes = dict[str, tuple[Coordinate, ...]]


class NamedArray(NamedTuple):
    """A tensor with named dimensions.

    Attributes:
        dims: names of the dimensions.
        values: the tensor; a scalar without dimensions. Integers may be small ones.
    """

    dims: tuple[str, ...]
    values: Tensor


@dataclass(frozen=True, eq=False)
class ArrayDataset:
    """Several named arrays with shared axes (a minimal `xarray.Dataset`).

    Attributes:
        axes: the coordinates of each axis, by the axis's name.
        arrays: the arrays by name.

    Raises:
        ValueError: the shape of an array does not match its axes.

    >>> import torch
    >>> error = NamedArray(("norm", "size"), torch.tensor([[0.5, 0.2], [0.4, 0.3]]))
    >>> data = ArrayDataset({"norm": ("batch", "layer"), "size": (2, 8)}, {"error": error})
    >>> data.tensor("error", "size", norm="layer")
    tensor([0.4000, 0.3000])
    >>> data.tensor("error", norm="batch", size=8)
    tensor(0.2000)
    """

    axes: Mapping[str, tuple[Coordinate, ...]]
    arrays: Mapping[str, NamedArray]

    def __post_init__(self) -> None:
        for name, array in self.arrays.items():
            unknown = [axis for axis in array.dims if axis not in self.axes]
            if unknown:
                raise ValueError(
                    f"Every axis of an array must have coordinates, but {name!r}, over "
                    f"{array.dims}, has none for {unknown[0]!r}."
                )
            sizes = tuple(len(self.axes[axis]) for axis in array.dims)
            if sizes != tuple(array.values.shape):
                raise ValueError(
                    f"{name!r}, over {array.dims}, must have the shape {sizes} of its axes, but "
                    f"got {tuple(array.values.shape)}."
                )

    def tensor(self, name: str, *over: str, **at: Coordinate) -> Tensor:
        """Return an array with the given order of dimensions, at given coordinates of other axes.

        Integers are 64-bit ones.

        Args:
            name: the name of the array.
            over: the axes of the result, in order.
            at: a coordinate of each remaining axis, by the axis's name.

        Raises:
            KeyError: no array has this name.
            ValueError: the array has other axes, or a coordinate does not exist.
        """
        array = self.arrays[name]
        if sorted((*over, *at)) != sorted(array.dims):
            raise ValueError(
                f"Each axis of {name!r} must be named once ({', '.join(array.dims) or 'none'}), "
                f"but got {', '.join((*over, *at)) or 'none'}."
            )
        values, remaining = array.values, list(array.dims)
        for axis, coordinate in at.items():
            values = values.select(remaining.index(axis), self.index(axis, coordinate))
            remaining.remove(axis)
        return _widened(values.permute([remaining.index(axis) for axis in over]))

    def labels(self, axis: str) -> tuple[str, ...]:
        """Return an axis's coordinates as strings."""
        return tuple(map(str, self.axes[axis]))

    def index(self, axis: str, coordinate: Coordinate) -> int:
        """Return the index of a coordinate on its axis.

        Raises:
            ValueError: the axis has no such coordinate.
        """
        if coordinate not in self.axes[axis]:
            raise ValueError(
                f"The axis {axis!r} has the coordinates {', '.join(map(str, self.axes[axis]))}, "
                f"not {coordinate!r}."
            )
        return self.axes[axis].index(coordinate)


def _widened(values: Tensor) -> Tensor:
    """Return small integers as 64-bit ones, in which sums and products do not overflow."""
    if values.is_floating_point() or values.dtype == torch.bool:
        return values
    return values.long()
