"""The geometry lesson's figures as PyTorch that runs by itself."""

from __future__ import annotations

from lnviz.geometry import NORMS

CASES, INPUTS, UNITS = 24, 5, 3
TURN = 3
"""Degrees from one point of a curve over directions to the next."""

_FAMILIES = {
    "softmax": ("z.logsumexp(-1)", "z.softmax(-1)"),
    "logistic": ("torch.nn.functional.softplus(z, threshold=50).sum(-1)", "z.sigmoid()"),
    "linear": ("z.square().sum(-1) / 2", "z"),
}
"""For each family A, whose slope is what the model predicts, and that slope."""


def model(family: str, seed: int) -> str:
    """A drawn model, its norms and its predictions."""
    partition, mean = _FAMILIES[family]
    return f"""{drawn(seed)}

def natural(W, norm):
    return g * standardized(x @ W.T, W, norm) + b


def A(z):
    return {partition}


def predict(z):  # the slope of A
    return {mean}


def divergence(z, after):  # KL, averaged over the cases
    return (A(after) - A(z) - (predict(z) * (after - z)).sum(-1)).mean()
"""


def drawn(seed: int) -> str:
    """A drawn layer and the norms."""
    return f"""import torch

{generator(seed)}

# {CASES} cases of {INPUTS} inputs, {UNITS} units.
x = normal({INPUTS}) / 2 + normal({CASES}, {INPUTS})
W = normal({UNITS}, {INPUTS}) / {INPUTS}**0.5
g = torch.rand({UNITS}, generator=generator, dtype=torch.float64) + 0.5
b = normal({UNITS}) / 2
norms = {list(NORMS)}


def standardized(a, W, norm):
    if norm == "none":
        return a
    over = 0 if norm == "batch" else 1
    if norm in ("batch", "layer"):
        a = a - a.mean(over, keepdim=True)
    sigma = W.norm(dim=1) if norm == "weight" else a.square().mean(over, keepdim=True).sqrt()
    return (a / sigma).nan_to_num(0)  # 0/0 counts as 0
"""


def generator(seed: int) -> str:
    """Numbers drawn from a seed."""
    return f"""generator = torch.Generator().manual_seed({seed})


def normal(*shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)
"""


def plane(part: str, seed: int) -> str:
    """The two directions in which the weights move, of length 1 and at right angles."""
    moved = "W" if part == "matrix" else "W * (torch.arange(len(W)) == 0)[:, None]"
    across = "" if part == "matrix" else "across[1:] = 0\n"
    return f"""
along = {moved}
rest = W - along
along = along / along.norm()
generator.manual_seed({seed})
across = normal(*W.shape)
{across}across -= (across * along).sum() * along
across /= across.norm()
"""


def step(family: str, part: str, seed: int, size: float) -> str:
    """How far one step moves the model, under every norm."""
    return f"""import math

{model(family, seed)}
{plane(part, seed).lstrip()}
before = rest + «weight norm» * along
turn = math.radians(«direction»)
after = before + {size} * (math.cos(turn) * along + math.sin(turn) * across)
moved = [divergence(natural(before, norm), natural(after, norm)) for norm in norms]
print(torch.stack(moved))  # in the order of norms
"""


def reach(family: str, seed: int) -> str:
    """A step's divergence, exactly and to second order, by direction."""
    return f"""import math

from torch.autograd.functional import jvp

{model(family, seed)}
{plane("matrix", seed).lstrip()}
norm = «norm»
z = natural(along, norm)
exact, quadratic = [], []
for degrees in range(0, 181, {TURN}):
    turn = math.radians(degrees)
    # Rounded, so that 90 and 180 degrees are exactly across and backward.
    step = round(math.cos(turn), 12) * along + round(math.sin(turn), 12) * across
    exact.append(divergence(z, natural(along + «step size» * step, norm)))
    # Half of the step by the Fisher matrix by the step.
    _, slope = jvp(lambda W: natural(W, norm), along, «step size» * step)
    _, change = jvp(predict, z, slope)
    quadratic.append((slope * change).sum(-1).mean() / 2)
print(torch.stack(exact))
print(torch.stack(quadratic))
"""


def gain(seed: int) -> str:
    """The curvature along a gain in the linear model."""
    return f"""{drawn(seed)}

a = «input scale» * x @ W.T
found = []
for norm in norms:
    # Without a norm the step is along the weight vector: equation 35 has equation 34's x_hat.
    x_hat = standardized(a, W, "weight" if norm == "none" else norm)
    found.append(x_hat.square().mean())  # averaged over cases and units
print(torch.stack(found))  # in the order of norms
"""


def descent(family: str, seed: int, steps: int, taught: int) -> str:
    """Gradient descent under every norm: how long the weights become, and the loss."""
    return f"""{model(family, seed)}

generator.manual_seed({taught})
targets = predict(x @ normal(*W.shape).T)
lengths, losses = [], []
for norm in norms:
    w = W.clone()
    for step in range({steps + 1}):
        w.requires_grad_()
        z = natural(w, norm)
        loss = (A(z) - (z * targets).sum(-1)).mean()
        (slope,) = torch.autograd.grad(loss, w)
        w = w.detach()
        if step < {steps}:
            w = w - «learning rate» * slope
    lengths.append(w.norm())
    losses.append(loss.detach())
print(torch.stack(lengths))  # in the order of norms
print(torch.stack(losses))
"""
