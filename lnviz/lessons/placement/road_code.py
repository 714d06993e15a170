import torch
from torch.nn.functional import cross_entropy, layer_norm

layers = 12  # «layers»
WIDTH, POSITIONS, CLASSES = 64, 16, 500

torch.manual_seed(0)
x = torch.randn(POSITIONS, WIDTH)
weights = torch.randn(layers, 4, WIDTH, WIDTH) / WIDTH**0.5
readout = torch.randn(CLASSES, WIDTH) / WIDTH**0.5
targets = torch.randint(CLASSES, (POSITIONS,))


def norm(h):
    return layer_norm(h, (WIDTH,))


def attention(h, matrices):
    # Queries and keys are 0, so every position gets the mean of all values.
    return (h @ matrices[0].T @ matrices[1].T).mean(0)


def feed_forward(h, matrices):
    return torch.relu(h @ matrices[2].T) @ matrices[3].T


# After every layer: size of the sum, gradient of the sum, gradient of the second matrix.
def measured(is_pre):
    h, sums = x, []
    own = [matrices.clone().requires_grad_() for matrices in weights]
    for matrices in own:
        for sublayer in (attention, feed_forward):
            h = h + sublayer(norm(h), matrices) if is_pre else norm(h + sublayer(h, matrices))
        sums.append(h)
    loss = cross_entropy((norm(h) if is_pre else h) @ readout.T, targets)
    back = torch.autograd.grad(loss, sums + own)
    size = [each.detach().square().mean().sqrt() for each in sums]
    of_sum = [each.norm() for each in back[:layers]]
    of_second = [each[3].norm() for each in back[layers:]]
    return torch.tensor([size, of_sum, of_second])


# Post-LN, then Pre-LN: one network each. The figure has the median of several.
print(measured(is_pre=False), measured(is_pre=True))
