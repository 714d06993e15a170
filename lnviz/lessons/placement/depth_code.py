import torch
from torch.nn.functional import cross_entropy, layer_norm

layers = 12  # «layers»
WIDTH, POSITIONS, CLASSES = 64, 16, 500

torch.manual_seed(0)
x = torch.randn(POSITIONS, WIDTH)
targets = torch.randint(CLASSES, (POSITIONS,))
readout = torch.randn(CLASSES, WIDTH) / WIDTH**0.5
# Square matrices after Xavier: values, output, and the two of the feed-forward layer.
weights = torch.randn(layers, 4, WIDTH, WIDTH) / WIDTH**0.5
weights = [[matrix.requires_grad_() for matrix in layer] for layer in weights]


def norm(h):
    return layer_norm(h, (WIDTH,))


def attention(h, values, output):
    # Queries and keys are 0, so every position gets the mean of all values.
    return (h @ values.T @ output.T).mean(0)


def feed_forward(h, first, second):
    return torch.relu(h @ first.T) @ second.T


def post(h):
    for values, output, first, second in weights:
        h = norm(h + attention(h, values, output))
        h = norm(h + feed_forward(h, first, second))
    return h


def pre(h):
    for values, output, first, second in weights:
        h = h + attention(norm(h), values, output)
        h = h + feed_forward(norm(h), first, second)
    return norm(h)


def gradient(network):
    loss = cross_entropy(network(x) @ readout.T, targets)
    return torch.autograd.grad(loss, weights[-1][-1])[0].norm()


# The last layer's second feed-forward matrix: Post-LN, then Pre-LN. The figure has the mean of
# several such networks.
print(torch.stack([gradient(post), gradient(pre)]))
