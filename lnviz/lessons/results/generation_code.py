import torch

start = 0.0  # «axis begins at»
before, after = torch.tensor([10.0, 9.0], dtype=torch.float64)  # «nats»

heights = torch.stack([before - start, after - start])  # of bars on an axis that begins there
drawn = (heights[0] - heights[1]) / heights[0]
real = (before - after) / before

print(heights[1] / heights[0], drawn / real)  # the second bar by the first; the exaggeration
