"""Code for the grid figure's program: each norm as a PyTorch module and written by hand."""

from __future__ import annotations

from lnviz.norms import BATCH, Norm

BY_HAND = """

# By hand, with {learned} for each feature.
{statistics}
x_hat = (x - mean) / ({spread} + 1e-5).sqrt()
y = {y}"""


def norm_code(norm: Norm, width: int) -> str:
    """Return Python code that applies a norm, first with PyTorch's module and then by hand.

    Args:
        norm: BatchNorm, GroupNorm, LayerNorm or RMSNorm.
        width: D, the number of features.
    """
    if norm is BATCH:
        return (
            "if batch_size > 1:  # PyTorch refuses a batch of one\n"
            f"    print(nn.BatchNorm1d({width})(x))"
        ) + _by_hand(_moments(0))
    if norm.group_count:
        size = width // norm.group_count
        return f"print(nn.GroupNorm({norm.group_count}, {width})(x))" + _by_hand(
            f"parts = x.reshape(len(x), {norm.group_count}, {size})\n"
            f"mean = parts.mean(2).repeat_interleave({size}, 1)\n"
            f"variance = parts.var(2, correction=0).repeat_interleave({size}, 1)"
        )
    if norm.center:
        return f"print(nn.LayerNorm({width})(x))" + _by_hand(_moments(1))
    return f"print(nn.RMSNorm({width}, eps=1e-5)(x))" + BY_HAND.format(
        learned="only a gain",
        statistics="mean = 0  # none is subtracted\nmean_square = x.square().mean(1, keepdim=True)",
        spread="mean_square",
        y="gain * x_hat",
    )


def _by_hand(statistics: str) -> str:
    return BY_HAND.format(
        learned="a gain and a bias",
        statistics=statistics,
        spread="variance",
        y="gain * x_hat + bias",
    )


def _moments(axis: int) -> str:
    return (
        f"mean = x.mean({axis}, keepdim=True)\nvariance = x.var({axis}, correction=0, keepdim=True)"
    )
