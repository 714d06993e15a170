"""Partial RMSNorm (pRMSNorm), which estimates the RMS from the first k values only."""

from __future__ import annotations

import torch

from lnviz.norms.arguments import Values, as_float_tensor, upcast
from lnviz.norms.normalize import Normalized, normalize


def partial_rms_norm(x: Values, *, eps: float = 1e-5) -> Normalized:
    r"""Divide each vector by the RMS of its first k values, for every k at once.

    $$y = \frac{x}{\sqrt{\frac1k \sum_{i \le k} x_i^2 + \epsilon}}, \quad k = 1, \dots, D$$

    With k = D it is RMSNorm.

    Args:
        x: floating-point values `(*leading, D)`.
        eps: added to the mean square, 0 or more.

    Returns:
        The result of `normalize` without centering, with k as the second to last dimension: `y` is
            `(*leading, D, D)`, and `var` is `(*leading, D, 1)`.

    Raises:
        TypeError, ValueError: as `normalize`.

    Source: Zhang and Sennrich 2019 (arXiv 1910.07467), section 5. They choose k as the fraction p
    of D, rounded up.

    >>> partial_rms_norm(torch.tensor([3.0, 4.0, 0.0]), eps=0.0).y[0]
    tensor([1.0000, 1.3333, 0.0000])
    """
    values = as_float_tensor(x)
    counts = torch.arange(1, values.shape[-1] + 1, device=values.device)
    var = (upcast(values).square().cumsum(-1) / counts).unsqueeze(-1)  # *sweeps,D,1
    return normalize(values.unsqueeze(-2), -1, center=False, eps=eps, var=var)
