"""Numbers and sizes, drawn, and names for what is tested."""

import torch
from hypothesis import strategies as st
from torch import Tensor

from lnviz.norms import Norm

SEEDS = st.integers(0, 2**32)
SIZES = st.integers(1, 7)


def drawn(shape: tuple[int, ...], seed: int, dtype: torch.dtype = torch.float32) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


def named(case: object) -> str:
    if isinstance(case, Norm):
        return f"{case.label}{case.group_count or ''}"
    return str(case)
