import torch

x = [[0.1, 2.7, -0.6], [-0.8, 1.8, 1.4], [0.8, 2.3, 0.2]]  # «x»
case_scale = 0.01  # «example scale»
eps = 1e-5  # «epsilon»

x = torch.tensor(x)
scaled = x.clone()
scaled[1] *= case_scale  # one example
others = torch.arange(len(x)) != 1


def normalize(x, over):  # PyTorch's batch_norm refuses an epsilon of 0
    mean = x.mean(over, keepdim=True)
    var = x.var(over, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


def change(over, rows):  # in percent of the largest output
    before, after = (normalize(values, over)[rows] for values in (x, scaled))
    return 100 * (after - before).abs().max() / before.abs().max()


print(torch.stack([change(1, ~others), change(0, others)]))
