from pydoc_data.topics import topics  # the figure has those of Python 3.11

import torch
from torch.nn.functional import cross_entropy, gelu, layer_norm, scaled_dot_product_attention

layers = 12  # «layers»
WIDTH, HEADS, POSITIONS = 64, 4, 16

text = "".join(topics[name] for name in sorted(topics))
alphabet = sorted(set(text))

torch.manual_seed(0)
begin = int(torch.randint(len(text) - POSITIONS, ()))
codes = torch.tensor([alphabet.index(letter) for letter in text[begin : begin + POSITIONS + 1]])
x = torch.randn(len(alphabet), WIDTH)[codes[:-1]] + torch.randn(POSITIONS, WIDTH)
unembedding = torch.randn(len(alphabet), WIDTH) / WIDTH**0.5
shapes = [(WIDTH, WIDTH)] * 4 + [(4 * WIDTH, WIDTH), (WIDTH, 4 * WIDTH)]
weights = [
    [torch.nn.init.xavier_uniform_(torch.empty(shape)) for shape in shapes] for _ in range(layers)
]


def norm(h):
    return layer_norm(h, (WIDTH,))


def attention(h, matrices):
    # Each is heads x positions x width of a head.
    q, k, v = ((h @ matrix.T).unflatten(-1, (HEADS, -1)).transpose(0, 1) for matrix in matrices[:3])
    mixed = scaled_dot_product_attention(q, k, v, is_causal=True)
    return mixed.transpose(0, 1).flatten(1) @ matrices[3].T


def feed_forward(h, matrices):
    return gelu(h @ matrices[4].T) @ matrices[5].T


# After every layer: RMS of the sum, gradient of the sum, gradient of the second matrix.
def measured(is_pre):
    h, sums = x, []
    own = [[matrix.clone().requires_grad_() for matrix in matrices] for matrices in weights]
    for matrices in own:
        for sublayer in (attention, feed_forward):
            h = h + sublayer(norm(h), matrices) if is_pre else norm(h + sublayer(h, matrices))
        sums.append(h)
    loss = cross_entropy((norm(h) if is_pre else h) @ unembedding.T, codes[1:])
    back = torch.autograd.grad(loss, sums + [matrices[5] for matrices in own])
    size = [each.detach().square().mean().sqrt() for each in sums]
    return torch.tensor(
        [size, [g.norm() for g in back[:layers]], [g.norm() for g in back[layers:]]]
    )


# Post-LN, then Pre-LN: one network each. The figure has the median of several.
print(measured(is_pre=False), measured(is_pre=True))
