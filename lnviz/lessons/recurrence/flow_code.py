import torch
from torch.nn import functional as F

size = 32  # «hidden»
steps = 20  # «steps»
inputs = 0.0  # «input»
tanh = False  # «tanh»
radius = 1.1  # «spectral radius»
shown = "layer"  # «norm»
CASES = 8

generator = torch.Generator().manual_seed(0)


def normal(*shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


weight = normal(size, size)
weight = (weight / torch.linalg.eigvals(weight).abs().max()).float() * radius
first = normal(CASES, size)
first = (first / first.square().mean(-1, keepdim=True).sqrt()).float().requires_grad_()
added = (normal(steps, CASES, size) * inputs).float()
last = normal(CASES, size).float()
norms = {
    "none": lambda x: x,
    "layer": lambda x: F.layer_norm(x, x.shape[-1:]),
    "rms": lambda x: F.rms_norm(x, x.shape[-1:], eps=1e-5),
    "batch": lambda x: F.batch_norm(x, None, None, training=True),
}


def step(norm, h, x):
    a = norm(h @ weight.T + x)
    return a.tanh() if tanh else a


def magnitudes(values):
    return torch.stack([v.detach().double().square().mean().sqrt() for v in values])


forth, back, states = [], [], {}
for name, norm in norms.items():
    states[name] = [first]
    for x in added:
        states[name].append(step(norm, states[name][-1], x))
    gradients = torch.autograd.grad((states[name][-1] * last).sum(), states[name])
    forth.append(magnitudes(states[name]))
    back.append(magnitudes(gradients) / magnitudes(gradients)[-1])

# The Jacobian of the last step, for the first sequence.
before = states[shown][-2].detach()


def own(h):
    return step(norms[shown], torch.cat([h[None], before[1:]]), added[-1])[0]


jacobian = torch.func.jacrev(own)(before[0])
print(torch.stack(forth), torch.stack(back), torch.linalg.svdvals(jacobian))
