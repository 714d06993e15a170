import torch
from sklearn.datasets import load_digits

size = 16  # «examples in a batch»
BATCHES = 1_000

torch.manual_seed(0)
digits = load_digits()
images, classes = torch.tensor(digits.data / 16).float(), torch.tensor(digits.target)
a = images @ torch.randn(64) * 0.375  # one unit's pre-activations


def estimates(by_class):
    means, variances = [], []
    while len(means) < BATCHES:
        # A new order in every epoch; if sorted, one digit after the other.
        turn = torch.randperm(10)[classes] if by_class else torch.zeros(len(a))
        order = (turn + torch.rand(len(a))).argsort()
        batches = [batch for batch in a[order].split(size) if len(batch) == size]
        means += [batch.mean() for batch in batches]
        variances += [batch.var(correction=0) for batch in batches]
    off = torch.stack(means) - a.mean()
    ratio = torch.stack(variances) / a.var(correction=0)
    return off.square().mean().sqrt() / a.std(correction=0), ratio.mean()


print(*estimates(by_class=False), *estimates(by_class=True))
