import torch
from torch.nn import functional as F

batch = torch.tensor([[0.1, 2.7, -0.6, 0.7], [-0.8, 1.8, 1.4, 1.2]])  # «batch»
case = 0  # «case»
scale = 1.0  # «input scale»

batch[case] *= scale
x = batch[case]
layer = F.layer_norm(x, x.shape)
# WeightNorm is not among them: it divides by weights, which a vector does not have.
outputs = {
    "LayerNorm": layer,
    "RMSNorm": F.rms_norm(x, x.shape, eps=1e-5),
    "ScaleNorm": len(x) ** 0.5 * F.normalize(x, dim=0),
    "AdaNorm": (1 - 0.1 * layer) * layer,
    "GroupNorm": F.group_norm(x[None], 2)[0],
    "DyT": torch.tanh(0.5 * x),
    "Derf": torch.erf(0.5 * x),
    "BatchNorm": F.batch_norm(batch, None, None, training=True)[case],
    "PowerNorm": x / (batch.square().mean(0) + 1e-5).sqrt(),
}
print(torch.stack(list(outputs.values())))
