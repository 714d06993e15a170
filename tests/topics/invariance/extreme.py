"""Data that leave some norm nothing to divide by."""

import torch

SPREADLESS = {
    "a zero row": torch.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]),
    "zeros": torch.zeros(3, 2),
    "equal rows": torch.full((3, 4), 0.1),
    "one case": torch.tensor([[1.0, 2.0]]),
    "one input": torch.tensor([[1.0], [-2.0]]),
}
