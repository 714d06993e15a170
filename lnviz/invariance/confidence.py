"""Why LayerNorm stays away from the output logits: their scale carries the confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from lnviz.arguments import check_eps
from lnviz.invariance.layer import standardize

TRAINING_CASES = 1_297
CLASSES = 10
STEPS = 30
CONVERGED = 1e-9


@dataclass(frozen=True, eq=False)
class Digits:
    """Handwritten digits.

    Attributes:
        images: pixels from 0 to 1, 8 x 8 of them a row.
        targets: the digit each image shows.
    """

    images: Float[Tensor, "N 64"]
    targets: Int[Tensor, " N"]


@dataclass(frozen=True, eq=False)
class Classifier:
    """What a trained classifier says about digits it was not trained on.

    Attributes:
        logits: its outputs before the softmax.
        targets: the right digits.
    """

    logits: Float[Tensor, "N 10"]
    targets: Int[Tensor, " N"]

    @property
    def right(self) -> Bool[Tensor, " N"]:
        """Whether the largest logit is the right one's."""
        return self.logits.argmax(-1) == self.targets


@dataclass(frozen=True, eq=False)
class Confidence:
    """How sure a softmax is of each case, with and without LayerNorm on the logits.

    Attributes:
        entropy: of the softmax of the scaled logits, in nats.
        entropy_layer: the same behind LayerNorm.
        top: the largest probability.
        top_layer: the same behind LayerNorm.
        most: the largest probability that LayerNorm lets through, whatever the logits.
    """

    entropy: Float[Tensor, "S N"]
    entropy_layer: Float[Tensor, "S N"]
    top: Float[Tensor, "S N"]
    top_layer: Float[Tensor, "S N"]
    most: float


def confidence(
    logits: Float[Tensor, "N K"], scales: Float[Tensor, " S"], *, eps: float = 0.0
) -> Confidence:
    r"""Compare the softmax of scaled logits with that of the same logits behind LayerNorm.

    $$p = \mathrm{softmax}(s z) \text{ or } \mathrm{softmax}(LN(s z)), \quad
    H = -\sum_k p_k \ln p_k$$

    LayerNorm with gain 1 and bias 0 gives the same probabilities at every scale s > 0. It also
    bounds them: K standardized logits reach $\sqrt{K - 1}$ at most, and then all others are
    $-1/\sqrt{K - 1}$, so that $p \le 1 / (1 + (K - 1)\,e^{-K/\sqrt{K - 1}})$.

    Args:
        logits: one row a case, K classes.
        scales: what the logits are multiplied by.
        eps: added to the variance.

    Returns:
        Entropies and largest probabilities, scales leading.

    Raises:
        ValueError: fewer than two classes, or an epsilon that is not allowed.

    Source: Ba, Kiros and Hinton 2016, section 6.6: "the prediction confidence is determined by the
    scale of the logits", hence no LayerNorm on them. The bound follows from Jensen's inequality.

    >>> sure = confidence(torch.tensor([[1.0, 2.0, 4.0]]), torch.tensor([1.0, 10.0]))
    >>> sure.top.flatten(), sure.top_layer.flatten()
    (tensor([0.8438, 1.0000]), tensor([0.7743, 0.7743]))
    """
    classes = logits.shape[-1]
    if classes < 2:
        raise ValueError(f"A softmax chooses between two classes or more, got {classes}.")
    check_eps(eps)
    scaled = scales.to(logits).view(-1, 1, 1) * logits  # S,N,K
    no_weights = logits.new_ones(classes, 1)
    normed = standardize("layer", scaled.unsqueeze(-2), no_weights, eps).x_hat.squeeze(-2)
    reach = math.sqrt(classes - 1)
    return Confidence(
        entropy=_entropy(scaled),
        entropy_layer=_entropy(normed),
        top=scaled.softmax(-1).amax(-1),
        top_layer=normed.softmax(-1).amax(-1),
        most=1 / (1 + (classes - 1) * math.exp(-classes / reach)),
    )


def _entropy(logits: Float[Tensor, "S N K"]) -> Float[Tensor, "S N"]:
    log_p = logits.log_softmax(-1)
    return -(log_p.exp() * log_p).sum(-1)


@lru_cache(maxsize=1)
def digit_images() -> Digits:
    """Return the handwritten digits that come with scikit-learn, to feed to a layer.

    The tensors are shared between callers: do not write into them.

    Returns:
        All 1,797 images; the first ten are the digits 0 to 9.

    Source: E. Alpaydin and C. Kaynak 1998, Optical Recognition of Handwritten Digits, UCI Machine
    Learning Repository.

    >>> digit_images().images.shape
    torch.Size([1797, 64])
    """
    # Imported here: scikit-learn takes a second or two, and only this needs it.
    from sklearn.datasets import load_digits

    bundled = load_digits()
    return Digits(
        torch.from_numpy(bundled.data).float() / 16, torch.from_numpy(bundled.target).long()
    )


@lru_cache(maxsize=1)
def digits_classifier() -> Classifier:
    r"""Train a softmax layer on digits, and return its logits for digits it has not seen.

    $$\min_W \; -\sum_n \ln \mathrm{softmax}(W x_n)_{y_n} + \tfrac12 \|W\|^2$$

    A column of ones stands for the bias. The sum has one minimum, and Newton's method is there
    after a few steps: nothing is drawn and nothing depends on when training stopped. The last 500
    images are held out. The result is shared between callers: do not write into it.

    Returns:
        Logits for the images held out.

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
            return Classifier(x[TRAINING_CASES:] @ weight.T, digits.targets[TRAINING_CASES:])
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
