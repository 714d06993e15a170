import torch
from torch import Tensor, nn


def drawn(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def jolted(module: nn.Module, seed: int = 7) -> nn.Module:
    """The module in float64, every gain, bias and weight somewhere of its own."""
    module.double()
    for k, parameter in enumerate(module.parameters()):
        parameter.data += 0.5 * drawn(*parameter.shape, seed=seed + k)
    return module
