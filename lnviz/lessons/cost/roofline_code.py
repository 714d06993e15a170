import torch

device = "h100"  # «device»
tokens = 2048  # «tokens»
width = 4096
cpu = (34.6e9, 91.6e9, 91.6e9)  # «cpu»

# Bytes per second, and operations per second: on ordinary circuits, and for matrix products.
bandwidth, plain, matrix = {
    "v100": (900e9, 15.7e12, 125e12),
    "a100": (2039e9, 19.5e12, 312e12),
    "h100": (3.35e12, 67e12, 989e12),
    "h200": (4.8e12, 67e12, 989e12),
    "stored-cpu": cpu,
}[device]
size = 4 if device == "stored-cpu" else 2  # bytes per value


def least(operations, values, peak):
    return max(operations / peak, size * values / bandwidth)


every = tokens * width
work = 7 * every  # LayerNorm's additions and multiplications
# Written out, it goes over all values 12 times, and over its rows' statistics 8 times.
written = least(work, 12 * every + 8 * tokens + 2 * width, plain)
kernel = least(work, 2 * every + 2 * width, plain)
product = least(2 * every * width, 2 * every + width * width, matrix)
print(1e6 * torch.tensor([written, kernel, product]))  # microseconds
