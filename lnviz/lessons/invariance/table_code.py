import torch

x = [[0.1, 2.7, -0.6], [-0.8, 1.8, 1.4]]  # «x»
W = [[0.5, -1.2, 0.3], [0.8, 0.1, -0.4], [-0.7, 0.9, 1.1], [0.2, -0.3, 0.6]]  # «W»
v = [1.5, -0.4, 0.7]  # «v»
c = [-0.6, 1.1, 0.2]  # «c»
s = 2.0  # «strength»
eps = 0.0  # «with epsilon»
norm, change = "layer", "case_rescale"  # «entry»
activation = "identity"  # «activation»

x, W, v, c = (torch.tensor(values).double() for values in (x, W, v, c))
only_first = torch.ones(len(W), 1).index_fill(0, torch.tensor(0), s)
first_case = torch.ones(len(x), 1).index_fill(0, torch.tensor(0), s)
changed = {
    "weight_matrix_rescale": (s * W, x),
    "weight_matrix_recenter": (W + s * v, x),
    "weight_vector_rescale": (only_first * W, x),
    "dataset_rescale": (W, s * x),
    "dataset_recenter": (W, x + s * c),
    "case_rescale": (W, first_case * x),
}


def layer(W, x):
    a = x @ W.T
    halves = a.unflatten(1, (2, -1))
    mean, var = {
        "batch": (a.mean(0), a.var(0, correction=0)),
        "weight": (0, W.square().sum(1)),
        "layer": (a.mean(1, True), a.var(1, correction=0, keepdim=True)),
        "rms": (0, a.square().mean(1, True)),
        "group": tuple(
            t.expand_as(halves).flatten(1)
            for t in (halves.mean(2, True), halves.var(2, correction=0, keepdim=True))
        ),
        "dyt": (0, None),
        "none": (0, None),
    }[norm]
    if var is None:
        h = torch.tanh(0.5 * a) if norm == "dyt" else a
    else:
        rounding = 16 * torch.finfo(a.dtype).eps
        flat = var <= (rounding * mean) ** 2  # equal values: 0/0 counts as 0
        h = ((a - mean) / (var + eps).sqrt()).masked_fill(flat, 0)
    return {"identity": h, "relu": torch.relu(h), "tanh": torch.tanh(h)}[activation]


before, after = layer(W, x), layer(*changed[change])
largest = before.abs().max()
print(
    after,
    (after - before).abs().max() / (largest if largest > 0 else 1),
)
