import torch
from torch import nn
from torch.nn.functional import cross_entropy

depth = 12  # «depth»
WIDTH, POSITIONS, CLASSES = 64, 16, 500


# Length of the gradient of each layer's second feed-forward matrix, in one network of the setup
# "PyTorch’s default"; the figure has the median of several.
def gradients(is_pre):
    torch.manual_seed(0)
    # PyTorch's own layers as they start, without dropout.
    layers = [
        nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, 0.0, batch_first=True, norm_first=is_pre)
        for _ in range(depth)
    ]
    network = nn.Sequential(*layers, *([nn.LayerNorm(WIDTH)] if is_pre else []))
    x = torch.randn(1, POSITIONS, WIDTH)
    readout = torch.randn(CLASSES, WIDTH) / WIDTH**0.5
    targets = torch.randint(CLASSES, (POSITIONS,))
    cross_entropy(network(x)[0] @ readout.T, targets).backward()
    return torch.stack([layer.linear2.weight.grad.norm() for layer in layers])


# From the first layer to the last: Post-LN, then Pre-LN.
print(gradients(False), gradients(True))
