import pytest
from torch.testing import assert_close

from tests.lessons.geometry.drawing import figure
from tests.lessons.running import printed


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_the_codes_curvatures_are_the_figures(scale: float) -> None:
    shown = figure("gain")
    where = shown.at(input_scale=scale)
    (found,) = printed(shown, where)
    assert_close(found.log10().float(), shown.lookup("on", where).cpu())


def test_the_lines_that_are_said_to_lie_on_each_other_do() -> None:
    none, batch, weight, rms, layer = figure("gain").tensors["on"].values.T
    for one, other in ((none, weight), (batch, layer), (layer, rms)):
        assert_close(one, other, atol=1e-4, rtol=0.0)
    assert_close(layer, layer[:1].expand(len(layer)), atol=1e-4, rtol=0.0)
