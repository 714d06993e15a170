from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from tests import drawing

drawn = partial(drawing.drawn, dtype=torch.float64)


def jolted(module: nn.Module, seed: int = 7) -> nn.Module:
    """The module in float64, every gain, bias and weight somewhere of its own."""
    module.double()
    for k, parameter in enumerate(module.parameters()):
        parameter.data += 0.5 * drawn(*parameter.shape, seed=seed + k)
    return module


def named(step: Any) -> dict[str, Tensor]:
    """All tensors of a step by dotted name, such as `joined.norm_ih.x_hat`."""
    parts: dict[str, Tensor] = {}
    for field in fields(step):
        value = getattr(step, field.name)
        if is_dataclass(value):
            parts |= {f"{field.name}.{name}": part for name, part in named(value).items()}
        elif value is not None:
            parts[field.name] = value
    return parts
