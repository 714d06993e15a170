import torch

search_for = "captions"  # «search for»

# How the four measures are computed, for vectors made up here: 200 images, 5 captions each.
torch.manual_seed(0)
images = torch.rand(200, 16)
shown = images.repeat_interleave(5, 0)  # caption -> what its image shows
captions = shown * torch.rand(1000, 16) + 0.2 * torch.rand(1000, 16)
owner = torch.arange(1000) // 5  # caption -> its image

# Order embeddings: a caption says less than its image, so none of its numbers should be larger.
error = (captions[:, None] - images).clamp(min=0).square().sum(-1)  # captions,images
right = owner[:, None] == torch.arange(200)

if search_for == "images":
    errors = error
else:
    errors, right = error.T, right.T  # images,captions
best = errors.where(right, torch.inf).amin(1, keepdim=True)  # of the right one that fits best
place = 1 + (errors < best).sum(1).float()

recall = [100 * (place <= k).float().mean() for k in (1, 5, 10)]
print(*recall, place.mean())  # R@1, R@5, R@10, mean rank
