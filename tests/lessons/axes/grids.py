"""The figure of the grid, of examples and of other numbers, and what it holds at a state."""

from functools import cache

from torch import Tensor

from lnviz.data.uploads import DataTable
from lnviz.explorable import Explorable, Grid
from lnviz.lessons.axes.grid import build
from tests.drawing import drawn
from tests.lessons.kept import kept
from tests.lessons.running import control, texts

EPS = 1e-5


ARRAYS = {
    "two by two": drawn(2, 2),
    "prime width": drawn(5, 7),
    "wide": drawn(3, 30),
    "tall": drawn(40, 6),
    "large numbers": 1e6 * (drawn(4, 6) + 3),
    "tiny": 1e-6 * drawn(4, 6),
    "eighths": (8 * drawn(4, 6)).round() / 8,
}


def own(values: Tensor) -> str:
    """The `data` parameter of a visitor's numbers."""
    return kept(DataTable(values))


@cache
def grid(data: str, case: int = 1, feature: int = 1) -> Explorable:
    """The figure of an example, of an array above, or of digits by seed."""
    if data in ARRAYS:
        return build(own(ARRAYS[data]), 0, case, feature)
    name, _, seed = data.partition(" ")
    return build(name, int(seed or 0))


EXAMPLES = ["worked", "digits 0", "digits 7"]
DATA = [*EXAMPLES, *ARRAYS]


def norms(figure: Explorable) -> list[str]:
    return [option.value for option in control(figure, "norm").options]


def table(figure: Explorable, tensor: str, **values: object) -> Tensor:
    """A tensor at a state, as the rows and columns on the screen."""
    pointer = control(figure, "cell")
    state = figure.state_at(**values)
    swept = figure.tensors[tensor]
    place = tuple(state[name] if name != "cell" else slice(None) for name in swept.dims)
    return swept.values[place].reshape(len(pointer.rows), len(pointer.columns)).cpu()


def grids(figure: Explorable) -> list[Grid]:
    return [view for view in figure.views[0] if isinstance(view, Grid)]


def sentences(figure: Explorable) -> str:
    return texts(figure)
