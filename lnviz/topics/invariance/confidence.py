"""The effect of LayerNorm on output logits: it removes their scale, and so the confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.norms import LAYER
from lnviz.norms.arguments import check_eps
from lnviz.norms.degenerate import normalize_degenerate


@dataclass(frozen=True, eq=False)
class Predicted:
    """Logits and the softmax predictions computed from them.

    Attributes:
        logits: z, for every scale and example.
    """

    logits: Float[Tensor, "S N K"]

    @cached_property
    def probabilities(self) -> Float[Tensor, "S N K"]:
        """The predicted class probabilities: the softmax of the logits."""
        return self.logits.softmax(-1)

    @cached_property
    def top(self) -> Float[Tensor, "S N"]:
        """The largest class probability of each example."""
        return self.probabilities.amax(-1)

    @cached_property
    def entropy(self) -> Float[Tensor, "S N"]:
        """The entropy of each example's class probabilities, in nats."""
        log_p = self.logits.log_softmax(-1)
        return -(log_p.exp() * log_p).sum(-1)

    def separation(self, right: Bool[Tensor, " N"]) -> Float[Tensor, " S"]:
        """Return how well the top probability separates right from wrong predictions (ROC AUC).

        Args:
            right: mask of the right predictions; there must be both right and wrong ones.

        Returns:
            The area under the ROC curve: the fraction of pairs of a right and a wrong prediction in
            which the right one has the larger top probability. Ties count half.

        >>> import torch
        >>> sure = Predicted(torch.tensor([[[0.0, 9.0], [0.0, 5.0], [0.0, 7.0]]]))
        >>> sure.separation(torch.tensor([True, True, False]))
        tensor([0.5000])
        """
        ahead = self.top[:, right, None] - self.top[:, None, ~right]  # S,right,wrong
        return (ahead.sign() + 1).mean((1, 2)) / 2


@dataclass(frozen=True, eq=False)
class Confidence:
    """Softmax predictions from scaled logits, with and without LayerNorm.

    Attributes:
        plain: the predictions of the scaled logits.
        normed: the predictions after LayerNorm.
        most: upper bound of a probability after LayerNorm, for any logits.
    """

    plain: Predicted
    normed: Predicted
    most: float


def confidence(
    logits: Float[Tensor, "N K"], scales: Float[Tensor, " S"], *, eps: float = 0.0
) -> Confidence:
    r"""Compare the softmax of scaled logits, with LayerNorm applied to the logits and without.

    $$p = \mathrm{softmax}(s z) \text{ or } \mathrm{softmax}(LN(s z)), \quad
    H = -\sum_k p_k \ln p_k$$

    LayerNorm with gain 1 and bias 0 gives the same probabilities at every scale s > 0. It also
    bounds them: one of K standardized logits is at most $\sqrt{K - 1}$, in which case all others
    are $-1/\sqrt{K - 1}$, so that $p \le 1 / (1 + (K - 1)\,e^{-K/\sqrt{K - 1}})$.

    Args:
        logits: one row per example, K classes.
        scales: factors s of the logits.
        eps: added to the variance.

    Returns:
        Both predictions; the first axis is the scale.

    Raises:
        ValueError: there are fewer than two classes, or the epsilon is invalid.

    Source: Ba, Kiros and Hinton 2016, section 6.6: "the prediction confidence is determined by the
    scale of the logits", hence no LayerNorm on them. The bound follows from Jensen's inequality.

    >>> import torch
    >>> sure = confidence(torch.tensor([[1.0, 2.0, 4.0]]), torch.tensor([1.0, 10.0]))
    >>> sure.plain.top.flatten(), sure.normed.top.flatten()
    (tensor([0.8438, 1.0000]), tensor([0.7743, 0.7743]))
    """
    classes = logits.shape[-1]
    if classes < 2:
        raise ValueError(f"A softmax chooses between two classes or more, got {classes}.")
    check_eps(eps)
    scaled = scales.to(logits).view(-1, 1, 1) * logits  # S,N,K
    reach = math.sqrt(classes - 1)
    return Confidence(
        plain=Predicted(scaled),
        normed=Predicted(normalize_degenerate(LAYER, scaled, "ND", eps=eps).x_hat),
        most=1 / (1 + (classes - 1) * math.exp(-classes / reach)),
    )
