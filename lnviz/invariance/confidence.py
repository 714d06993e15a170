"""Why LayerNorm stays away from the output logits: their scale carries the confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from lnviz.norms import LAYER
from lnviz.norms.arguments import check_eps
from lnviz.norms.spread import defined


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

    >>> import torch
    >>> sure = confidence(torch.tensor([[1.0, 2.0, 4.0]]), torch.tensor([1.0, 10.0]))
    >>> sure.top.flatten(), sure.top_layer.flatten()
    (tensor([0.8438, 1.0000]), tensor([0.7743, 0.7743]))
    """
    classes = logits.shape[-1]
    if classes < 2:
        raise ValueError(f"A softmax chooses between two classes or more, got {classes}.")
    check_eps(eps)
    scaled = scales.to(logits).view(-1, 1, 1) * logits  # S,N,K
    normed = defined(LAYER, scaled, "ND", eps=eps).x_hat
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
