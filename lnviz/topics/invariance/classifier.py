"""A small classifier trained on digits, to show the effect of LayerNorm on confidence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from lnviz.data.examples import digit_images

TRAINING_CASES = 1_297
CLASSES = 10
STEPS = 30
CONVERGED = 1e-9


@dataclass(frozen=True, eq=False)
class Classifier:
    """A trained softmax classifier, with its logits for held-out digits.

    Attributes:
        weight: one row per class, the bias last.
        images: the held-out images, ink from 0 to 1.
        logits: the outputs before the softmax.
        targets: the correct digits.
    """

    weight: Float[Tensor, "10 65"]
    images: Float[Tensor, "N 8 8"]
    logits: Float[Tensor, "N 10"]
    targets: Int[Tensor, " N"]

    @property
    def right(self) -> Bool[Tensor, " N"]:
        """A mask of the held-out digits that are classified correctly."""
        return self.logits.argmax(-1) == self.targets


@lru_cache(maxsize=1)
def digits_classifier() -> Classifier:
    r"""Train a softmax classifier on digits, and return it with its logits for held-out digits.

    $$\min_W \; -\sum_n \ln \mathrm{softmax}(W x_n)_{y_n} + \tfrac12 \|W\|^2$$

    A column of ones implements the bias. The objective has a single minimum, which Newton's method
    reaches in a few steps, so the result depends neither on random numbers nor on when training
    stops. The last 500 images are held out. The result is shared between callers; do not modify it.

    Returns:
        The classifier, with its logits for the held-out images.

    Raises:
        RuntimeError: training did not converge.

    >>> bool(digits_classifier().right.double().mean() > 0.9)
    True
    """
    digits = digit_images()
    x = F.pad(digits.images.double(), (0, 1), value=1.0)  # N,65
    seen, targets = x[:TRAINING_CASES], F.one_hot(digits.targets[:TRAINING_CASES], CLASSES)
    weight = x.new_zeros(CLASSES, x.shape[1])
    for _ in range(STEPS):
        p = (seen @ weight.T).softmax(-1)  # N,10
        slope = (p - targets).T @ seen + weight  # 10,65
        if bool(slope.abs().max() < CONVERGED):
            unseen = slice(TRAINING_CASES, None)
            images = digits.images[unseen].unflatten(1, (8, 8))
            return Classifier(weight, images, x[unseen] @ weight.T, digits.targets[unseen])
        # The Hessian of case n is (diag(p) - p p^T) for the classes times x x^T for the inputs.
        same = torch.einsum("nk,ni,nj->kij", p, seen, seen)  # 10,65,65
        joint = torch.einsum("nk,ni->nki", p, seen).flatten(1)  # N,650
        curvature = torch.block_diag(*same) - joint.T @ joint
        curvature += torch.eye(len(curvature), dtype=x.dtype)
        weight = weight - torch.linalg.solve(curvature, slope.flatten()).view_as(weight)
    raise RuntimeError(
        f"Newton's method should end with a slope under {CONVERGED}, got "
        f"{float(slope.abs().max()):.3g} after {STEPS} steps. Allow it more steps."
    )
