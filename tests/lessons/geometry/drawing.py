"""What the tests of these figures share."""

from functools import partial

import torch
from torch import Tensor

from lnviz.explorable import Explorable
from lnviz.lessons.geometry.model import SHOWN
from tests.lessons.running import built

figure = partial(built, "geometry")


def at_each_norm(explorable: Explorable, name: str, **state: object) -> Tensor:
    """A tensor of each norm at a state."""
    where = explorable.state_at(**state)
    return torch.stack([explorable.lookup(name.format(norm.key), where) for norm in SHOWN]).cpu()
