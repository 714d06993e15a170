import torch
from torch.nn import functional as F

logits = [[8.4, -2.2, -0.6, -2.0, 0.9], [-2.8, 6.3, 1.4, -0.7, 1.5]]  # «logits»
image = 1  # «held-out image»
scale = 1.0  # «logit scale»

logits = torch.tensor(logits)  # of a trained classifier, a row for each held-out image
z = scale * logits[image - 1]
plain = z.softmax(0)
normed = F.layer_norm(z, z.shape, eps=0.0).softmax(0)
print(torch.stack([plain, normed]))
