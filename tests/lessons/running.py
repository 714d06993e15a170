from collections.abc import Mapping
from typing import Any

from torch import Tensor

from lnviz.explorable import Explorable


def printed(explorable: Explorable, state: Mapping[str, int]) -> list[Tensor]:
    """What the figure's code prints at a state, run as it stands."""
    results: list[Any] = []
    exec(explorable.code_at(state), {"print": lambda *values: results.extend(values)})
    return [result.detach() for result in results]
