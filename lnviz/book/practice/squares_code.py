import torch

row = [0.04, 1.0, -0.22, 0.26, 0.11, -0.11]  # «row»
largest = 256.0  # «largest number»
eps = 1e-5  # «epsilon added»


def size_after_norm(dtype):
    x = (largest * torch.tensor(row)).to(dtype)
    y = x * torch.rsqrt(x.square().mean() + eps)  # no .float() before the square
    return y.double().square().mean().sqrt()


formats = torch.float16, torch.bfloat16, torch.float32
print(torch.stack([size_after_norm(dtype) for dtype in formats]))
