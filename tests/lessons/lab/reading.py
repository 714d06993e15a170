"""The stored runs of digits, read straight from what is shown."""

from jaxtyping import Float
from torch import Tensor

from lnviz.lessons.lab.stored_runs import ALL


def errors(row: str) -> Float[Tensor, "sizes seeds points"]:
    """The validation errors of a norm in %, batch sizes ascending."""
    return ALL.errors[ALL.norms.index(row), :, 0]
