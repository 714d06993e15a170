from torch.testing import assert_close

from lnviz.lessons.geometry.model import SHOWN
from tests.lessons.geometry.drawing import figure


def test_the_lines_that_are_said_to_lie_on_each_other_do() -> None:
    tensors = figure("gain").tensors
    none, batch, weight, rms, layer = (tensors[norm.key].values.log10() for norm in SHOWN)
    for one, other in ((none, weight), (batch, layer), (layer, rms)):
        assert_close(one, other, atol=1e-4, rtol=0.0)
    assert_close(layer, layer[:1].expand(len(layer)), atol=1e-4, rtol=0.0)
