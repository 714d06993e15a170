"""The paper's equations, one a line: what the cells are held against."""

import torch
from torch import Tensor

EPS = 1e-5


def LN(z: Tensor, alpha: Tensor, beta: Tensor, gates: int = 1, eps: float = EPS) -> Tensor:
    """Equations 15 and 16, with epsilon; with several gates, for each block of rows by itself."""
    blocks = []
    for block in z.chunk(gates, -1):
        mu = block.sum(-1, keepdim=True) / block.shape[-1]
        sigma = ((block - mu).pow(2).sum(-1, keepdim=True) / block.shape[-1] + eps).sqrt()
        blocks.append((block - mu) / sigma)
    return torch.cat(blocks, -1) * alpha + beta


def sigma(z: Tensor) -> Tensor:
    return 1 / (1 + torch.exp(-z))


def lstm(
    x: Tensor, h: Tensor, c: Tensor, p: dict[str, Tensor], gates: int = 1
) -> tuple[Tensor, Tensor]:
    """Equations 20 to 22."""
    summed = (
        LN(h @ p["weight_hh"].T, p["norm_hh.weight"], p["norm_hh.bias"], gates)
        + LN(x @ p["weight_ih"].T, p["norm_ih.weight"], p["norm_ih.bias"], gates)
        + p["bias"]
    )
    return after_the_gates(summed, c, p)


def lstm_with_one_norm(
    x: Tensor, h: Tensor, c: Tensor, p: dict[str, Tensor], gates: int = 1
) -> tuple[Tensor, Tensor]:
    """Equation 20 with one norm on the sum, then 21 and 22."""
    a = h @ p["weight_hh"].T + x @ p["weight_ih"].T
    summed = LN(a, p["norm_sum.weight"], p["norm_sum.bias"], gates) + p["bias"]
    return after_the_gates(summed, c, p)


def after_the_gates(summed: Tensor, c: Tensor, p: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    i, f, g, o = summed.chunk(4, -1)
    c = sigma(f) * c + sigma(i) * torch.tanh(g)
    h = sigma(o) * torch.tanh(LN(c, p["norm_cell.weight"], p["norm_cell.bias"]))
    return h, c


def gru(x: Tensor, h: Tensor, p: dict[str, Tensor], gates: int = 1) -> Tensor:
    """Equations 26 to 28, with the rows ordered reset, update, new."""
    units = h.shape[-1]
    W_h, U = p["weight_hh"][: 2 * units], p["weight_hh"][2 * units :]
    W_x, W = p["weight_ih"][: 2 * units], p["weight_ih"][2 * units :]
    r, z = (
        LN(h @ W_h.T, p["norm_hh.weight"], p["norm_hh.bias"], gates)
        + LN(x @ W_x.T, p["norm_ih.weight"], p["norm_ih.bias"], gates)
    ).chunk(2, -1)
    new = torch.tanh(
        LN(x @ W.T, p["norm_ih_new.weight"], p["norm_ih_new.bias"])
        + sigma(r) * LN(h @ U.T, p["norm_hh_new.weight"], p["norm_hh_new.bias"])
    )
    return (1 - sigma(z)) * h + sigma(z) * new
