"""Table 1 of Ba et al. (2016), the invariances of norms, measured on random layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from lnviz.device import device
from lnviz.norms import CATALOGUE
from lnviz.norms.arguments import check_eps
from lnviz.topics.invariance.arguments import as_strengths, reason_not_applicable, require
from lnviz.topics.invariance.layers import ACTIVATIONS, RandomData, draw_layers
from lnviz.topics.invariance.stated import TABLE_1
from lnviz.topics.invariance.transformations import TRANSFORMATIONS, largest_change

STRENGTHS = (0.001, 0.01, 0.1, 0.3, 0.5, 2.0, 3.0, 5.0, 10.0)
SCALES = tuple(10.0 ** (step / 20) for step in range(-120, 61))
"""Strengths from 10⁻⁶ to 1000, dense enough to locate where a statement fails."""

UNITS = 8
"""Number of units. With about as many examples and inputs, 64 layers at all strengths are so few
values that most torch operations do not split them among threads, which would be slower.
"""

VISIBLE = 0.01
"""The smallest change that counts: 1% of the largest output."""

DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


@dataclass(frozen=True)
class Limits:
    """The strengths at which an invariance stops holding, as measured.

    Attributes:
        below: the largest strength below the neutral one where the output changes, or None.
        above: the smallest strength above the neutral one where the output changes, or None.
    """

    below: float | None
    above: float | None


@dataclass(frozen=True)
class InvarianceEntry:
    """One table entry: the measured effect of a transformation on a norm, and the paper's claim.

    Attributes:
        norm: key of the norm.
        transformation: key of the transformation.
        change: the largest relative change of the output.
        invariant: whether the change is too small to count.
        stated: the paper's statement, or None.
        limits: strengths where the output starts to change.
    """

    norm: str
    transformation: str
    change: float
    invariant: bool
    stated: bool | None
    limits: Limits

    @property
    def agrees(self) -> bool:
        """True if the measurement is consistent with the paper's claim."""
        return self.stated in (None, self.invariant)


@dataclass(frozen=True, eq=False)
class InvarianceTable:
    """Measured changes of random layers' outputs, by norm and transformation.

    Attributes:
        norms: keys of the norms that apply to the layer, in the requested order.
        transformations: keys of the transformations.
        strengths: the strengths of the transformations.
        changes: the largest relative change of an output.
        notes: remarks on a norm by its key: the reason why it does not apply, or that it met
            constant groups.
    """

    norms: tuple[str, ...]
    transformations: tuple[str, ...]
    strengths: tuple[float, ...]
    changes: Float[Tensor, "norms transformations strengths layers"]
    notes: Mapping[str, str]

    def curve(self, norm: str, transformation: str) -> Float[Tensor, " strengths"]:
        """Return the largest output change over all layers, by the transformation's strength."""
        return self.changes[
            self.norms.index(norm), self.transformations.index(transformation)
        ].amax(-1)

    def change(self, norm: str, transformation: str) -> float:
        """Return the largest output change over all layers and strengths."""
        return float(self.curve(norm, transformation).max())

    def limits(self, norm: str, transformation: str, tolerance: float = VISIBLE) -> Limits:
        """Return the strengths at which the output starts to change by more than a tolerance.

        Args:
            norm: the norm's key.
            transformation: the transformation's key.
            tolerance: the smallest change that counts, relative to the largest output.

        Returns:
            The nearest such strength on either side of the neutral one, among positive factors: a
            factor of 0 erases the output, and a negative factor changes its sign.

        >>> scaled = measure(["layer"], ["case_rescale"], strengths=SCALES, eps=1e-5, layers=1)
        >>> 0.001 < scaled.limits("layer", "case_rescale").below < 0.1
        True
        """
        change = TRANSFORMATIONS[transformation]
        moved = self.curve(norm, transformation) > tolerance
        at = [s for s, m in zip(self.strengths, moved.tolist(), strict=True) if m]
        if change.kind != "recenter":
            at = [s for s in at if s > 0]
        return Limits(
            max((s for s in at if s < change.neutral), default=None),
            min((s for s in at if s > change.neutral), default=None),
        )

    def entry(self, norm: str, transformation: str, tolerance: float = VISIBLE) -> InvarianceEntry:
        """Return the table entry for a norm and a transformation, with the paper's claim."""
        change = self.change(norm, transformation)
        return InvarianceEntry(
            norm,
            transformation,
            change,
            change <= tolerance,
            TABLE_1[norm][transformation] if norm in TABLE_1 else None,
            self.limits(norm, transformation, tolerance),
        )

    def table(self) -> dict[str, dict[str, float]]:
        """Return the largest output changes by norm and transformation."""
        largest = self.changes.amax((-2, -1)).tolist()
        return {
            norm: dict(zip(self.transformations, row, strict=True))
            for norm, row in zip(self.norms, largest, strict=True)
        }


def measure(
    norms: Sequence[str] = tuple(CATALOGUE),
    transformations: Sequence[str] = tuple(TRANSFORMATIONS),
    *,
    layers: int = 64,
    units: int = UNITS,
    data: RandomData | Shaped[Tensor, "..."] | None = None,
    strengths: Sequence[float] = STRENGTHS,
    eps: float = 0.0,
    dtype: torch.dtype = torch.float64,
    activation: str = "identity",
    seed: int = 0,
) -> InvarianceTable:
    r"""Measure how much each transformation changes the outputs of normalized random layers.

    $$h = f\Big(\frac{g}{\sqrt{\sigma^2 + \epsilon}} \odot (a - \mu) + b\Big), \quad a = W x, \quad
    \frac{\max |h' - h|}{\max |h|}$$

    Every layer is evaluated before and after each transformation. The largest change of an output
    is divided by the layer's largest output. The bias b comes after the norm, since a bias within a
    would break the invariance under re-scaling of the weights. Re-centering adds the strength times
    a vector, which is drawn like a row of the shifted matrix. Transformations of one vector or
    example act on the first. Without a norm, $\mu = 0$ and $\sigma = 1$; DyT has $\tanh(\alpha a)$
    instead of the fraction. All strengths and layers are computed at once.

    Args:
        norms: keys of the catalogue.
        transformations: keys of `TRANSFORMATIONS`.
        layers: number of random layers.
        units: H of each layer.
        data: data of all layers, examples x inputs or examples x positions x inputs; or the shape
            of random data, by default `RandomData()`.
        strengths: factors, or multiples of the added vector. Under every norm, a factor of 0 or
            less changes the output: 0 erases it, and a negative factor changes its sign.
        eps: added to the variance.
        dtype: the dtype to compute in, one of `DTYPES`. In 16 bits, rounding errors are visible.
        activation: f, a key of `ACTIVATIONS`.
        seed: seed of layers and data.

    Returns:
        The changes, by norm and transformation.

    Raises:
        TypeError: data is not floating point.
        ValueError: a name, size, strength, dtype or epsilon is invalid, data are empty or not
            finite, or outputs overflow.

    Source: Ba, Kiros and Hinton 2016, section 5.1, equations 5 to 7 and table 1.

    >>> measured = measure(["layer", "none"], ["case_rescale"], layers=8)
    >>> measured.change("layer", "case_rescale") < 1e-9, measured.change("none", "case_rescale") > 1
    (True, True)
    """
    for norm in norms:
        require("norm", norm, CATALOGUE)
    for transformation in transformations:
        require("transformation", transformation, TRANSFORMATIONS)
    require("activation", activation, ACTIVATIONS)
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(map(str, DTYPES))}; got {dtype}.")
    for name, sizes in (("norms", norms), ("transformations", transformations)):
        if not sizes:
            raise ValueError(f"{name} must name at least one, got none.")
    check_eps(eps)
    at = as_strengths(strengths)
    drawn = draw_layers(layers, units, RandomData() if data is None else data, seed).to(
        device(), dtype
    )
    places = drawn.data.shape[-2]
    notes = {norm: why for norm in norms if (why := reason_not_applicable(norm, places))}
    kept = tuple(norm for norm in norms if norm not in notes)
    if not kept:
        raise ValueError(" ".join(notes.values()))

    before = drawn.outputs(kept, eps, activation)
    for norm in kept:
        if before[norm].flat:
            notes[norm] = (
                f"{CATALOGUE[norm].label} meets groups without a spread that {str(dtype)[6:]} "
                f"can tell from 0. Nothing deviates from the mean there: 0/0 counts as 0."
            )
    columns = []
    for transformation in transformations:
        moved = drawn.transformed(transformation, at.to(device(), dtype))
        after = moved.outputs(kept, eps, activation)
        columns.append(
            torch.stack([largest_change(before[n].values, after[n].values) for n in kept])
        )
    changes = torch.stack(columns, 1).cpu()
    return InvarianceTable(kept, tuple(transformations), tuple(at.tolist()), changes, notes)
