import zlib

import torch
from torch.nn import functional as F

H = 4
cell = "lstm"  # «cell»
separate = True  # «norms»
gate_by_gate = False  # «statistics»
scale = 1.0  # «input scale»
# One row of a handwritten digit.
x = scale * torch.tensor([0.0, 0.25, 0.9375, 0.375, 0.375, 0.9375, 0.25, 0.0])  # «row»


def generator(name):
    return torch.Generator().manual_seed(zlib.crc32(f"0 {name}".encode()))


def drawn(name, *shape, bound=H**-0.5):
    return bound * (2 * torch.rand(shape, generator=generator(name)) - 1)


def norm(name, a, gates=1):
    groups = gates if gate_by_gate else 1
    standardized = F.layer_norm(a.view(groups, -1), (len(a) // groups,)).flatten()
    gain = 1 + 0.25 * torch.randn(len(a), generator=generator(name + ".weight"))
    return gain * standardized + 0.25 * torch.randn(len(a), generator=generator(name + ".bias"))


gates = {"lstm": 4, "gru": 3}[cell]
h, *c = drawn("state", {"lstm": 2, "gru": 1}[cell], H, bound=1.0)
from_input = drawn("weight_ih", gates * H, len(x)) @ x
from_state = drawn("weight_hh", gates * H, H) @ h

if cell == "lstm":
    if separate:
        total = norm("norm_ih", from_input, 4) + norm("norm_hh", from_state, 4)
    else:
        total = norm("norm_sum", from_input + from_state, 4)
    i, f, g, o = (total + drawn("bias", 4 * H)).chunk(4)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    c = [f * c[0] + i * g]
    h = o * norm("norm_cell", c[0]).tanh()
    leaves = torch.cat([i, f, g, o])
else:
    # Rows of the gates r and z, then those of the candidate.
    (gates_x, new_x), (gates_h, new_h) = (a.split([2 * H, H]) for a in (from_input, from_state))
    if separate:
        total = norm("norm_ih", gates_x, 2) + norm("norm_hh", gates_h, 2)
    else:
        total = norm("norm_sum", gates_x + gates_h, 2)
    r, z = total.sigmoid().chunk(2)
    if separate:
        candidate = (norm("norm_ih_new", new_x) + r * norm("norm_hh_new", new_h)).tanh()
    else:
        candidate = norm("norm_sum_new", new_x + r * new_h).tanh()
    h = (1 - z) * h + z * candidate
    leaves = torch.cat([r, z, candidate])
print(leaves, *c, h)
