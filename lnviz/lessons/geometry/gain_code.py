import torch

input_scale = 1.0  # «input scale»
norms = ["none", "batch", "weight", "rms", "layer"]

generator = torch.Generator().manual_seed(0)


def normal(*shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


# 24 examples of 5 inputs, 3 units.
x = input_scale * (normal(5) / 2 + normal(24, 5))
W = normal(3, 5) / 5**0.5


def standardized(a, norm):
    # Without a norm, the step is along the weight vector: equation 35 has equation 34's x_hat.
    if norm in ("none", "weight"):
        return a / W.norm(dim=1)
    over = 0 if norm == "batch" else 1
    if norm in ("batch", "layer"):
        a = a - a.mean(over, keepdim=True)
    return a / a.square().mean(over, keepdim=True).sqrt()


# In the linear model, the curvature along a gain is the mean square of what it multiplies.
curvatures = [standardized(x @ W.T, norm).square().mean() for norm in norms]
print(torch.stack(curvatures))  # in the order of norms, averaged over the units
