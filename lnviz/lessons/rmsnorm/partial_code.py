import torch
from torch.nn import functional as F

row = torch.tensor([0.5, 2.0, -1.0, 0.25])  # «row»
fraction = 0.5  # «fraction»

rms = F.rms_norm(row, row.shape, eps=1e-5)
some = row[: round(fraction * len(row))]  # pRMSNorm looks at the first components only
print(rms, row / (some.square().mean() + 1e-5).sqrt())
