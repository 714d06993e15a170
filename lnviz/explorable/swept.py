"""Swept tensors: values at all positions of a figure's controls, compressed for the browser."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Num
from torch import Tensor


@dataclass(frozen=True)
class SweptTensor:
    """A tensor whose leading axes are indexed by the positions of a figure's controls.

    Args:
        dims: The names of the controls of the leading dimensions, in order.
        values: Shape `(positions of each control..., *rest)`; views draw the remaining axes.
        decimals: The number of decimal places sent to the browser, so that values with that many
            displayed places are exact, and smooth sweeps compress well. If None, or if a value is
            too large, float32 is sent.
        words: If the values are indices, the words that texts display instead.
    """

    dims: tuple[str, ...]
    values: Num[Tensor, "..."]
    decimals: int | None = None
    words: tuple[str, ...] = ()

    @property
    def slice_shape(self) -> tuple[int, ...]:
        """The shape of the values at one state of the controls, without the leading axes."""
        return tuple(self.values.shape[len(self.dims) :])

    def check(self, name: str, sizes: Mapping[str, int]) -> None:
        """Check that the leading axes match the controls, and that every index has a word.

        Args:
            name: The tensor's name, for error messages.
            sizes: The number of positions of each of the figure's controls.

        Raises:
            ValueError: A control is unknown, an axis has the wrong length, or an index has no word.
        """
        unknown = [control for control in self.dims if control not in sizes]
        if unknown:
            raise ValueError(f"tensor {name!r} is swept over {unknown}, known are {list(sizes)}")
        expected = tuple(sizes[control] for control in self.dims)
        received = tuple(self.values.shape[: len(expected)])
        if received != expected:
            raise ValueError(
                f"tensor {name!r}: leading dimensions must be {expected} for {self.dims}, "
                f"received {received}"
            )
        numbers = self.values[~self.values.isnan()] if self.words else torch.zeros(0)
        if not torch.isin(numbers, torch.arange(len(self.words))).all():
            raise ValueError(
                f"tensor {name!r}: {len(self.words)} words are numbered from 0 to "
                f"{len(self.words) - 1}, received {numbers.amin():g} to {numbers.amax():g}"
            )

    def payload(self) -> dict[str, Any]:
        """Return the tensor as JSON data: shape, and values as zlib-compressed base64 bytes.

        Fixed-point values have the smallest integer type that holds them; its lowest value means
        NaN. They are sent as differences along the axis that compresses best, which is moved to the
        end. Along a slider, most differences are equal.
        """
        array = self.values.detach().cpu().numpy()
        fixed = None if self.decimals is None else _fixed_point(array, self.decimals)
        if fixed is None:
            return self._document(np.ascontiguousarray(array, dtype="<f4"), None, None)
        axes = [axis for axis in range(len(self.dims)) if fixed.shape[axis] > 1]
        candidates = [(None, fixed), *((axis, _differences(fixed, axis)) for axis in axes)]
        axis, best = min(candidates, key=lambda pair: len(zlib.compress(_byte_planes(pair[1]), 1)))
        return self._document(best, self.decimals, axis)

    def _document(
        self, array: npt.NDArray[Any], decimals: int | None, axis: int | None
    ) -> dict[str, Any]:
        return {
            "over": list(self.dims),
            "shape": list(self.values.shape),
            "decimals": decimals,
            "bytes": array.itemsize,
            "difference": axis,
            "words": list(self.words),
            "data": base64.b64encode(zlib.compress(_byte_planes(array), 6)).decode(),
        }


WIDTHS = (np.int8, np.int16, np.int32)


def _fixed_point(array: npt.NDArray[Any], decimals: int) -> npt.NDArray[Any] | None:
    """Return the values as fixed-point integers, or None if one of them is too large."""
    scaled = array.astype(
        np.float64
    )  # then in place, since the largest tensors have millions of values
    scaled *= 10**decimals
    np.rint(scaled, out=scaled)
    known = np.isfinite(scaled)
    largest = max(scaled.max(initial=0, where=known), -scaled.min(initial=0, where=known))
    # The least integer of a width represents NaN and infinity.
    width = next((width for width in WIDTHS if largest <= np.iinfo(width).max), None)
    if width is None:
        return None
    scaled[~known] = np.iinfo(width).min
    return scaled.astype(width)


def _differences(array: npt.NDArray[Any], axis: int) -> npt.NDArray[Any]:
    """Return successive differences along an axis, and move that axis to the end."""
    differences = np.diff(array, axis=axis, prepend=np.zeros_like(array.take([0], axis)))
    return np.ascontiguousarray(np.moveaxis(differences, axis, -1))


def _byte_planes(array: npt.NDArray[Any]) -> bytes:
    """Return the first bytes of all values, then all second bytes, ..., to compress better."""
    return np.frombuffer(array.tobytes(), np.uint8).reshape(-1, array.itemsize).T.tobytes()
