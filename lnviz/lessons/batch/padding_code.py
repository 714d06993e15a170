import torch
from torch.nn import functional as F

longest = 32  # «longest sequence»
LENGTHS = [longest, 9, 5, 12, 7, 16, 4, 10, 8, 14, 6, 11, 5, 13, 7, 9]
UNITS = 6

torch.manual_seed(0)
# Random vectors in place of words; padding is zero.
words = 0.3 + torch.randn(len(LENGTHS), longest, UNITS)
real = torch.arange(longest) < torch.tensor(LENGTHS)[:, None]
x = words * real[..., None]


def standardized(word, places):
    return (word - places.mean(0)) / (places.var(0, correction=0) + 1e-5).sqrt()


word = x[1, 0]  # the first word of the second sequence
all_places = standardized(word, x.flatten(0, 1))
with_mask = standardized(word, x[real])
print(all_places, with_mask, F.layer_norm(word, (UNITS,)))
