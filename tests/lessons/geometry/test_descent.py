import pytest
from torch.testing import assert_close

from lnviz.explorable import Readout
from lnviz.lessons.geometry.descent import SETTLING
from tests.lessons.geometry.drawing import figure
from tests.lessons.running import control, views


@pytest.mark.slow
def test_the_weights_are_long_where_the_learning_rate_is_large() -> None:
    shown = figure("descent")
    grown = shown.tensors["layer length at end"].values
    assert grown[-1] > 10 * grown[0]
    left = shown.tensors["left"].values
    assert left[-1] < 1 < 90 < left[0] <= 100
    # The start is as long at every rate, so what is left goes with the square of the end.
    assert_close(left * grown.square(), (left * grown.square())[0].expand(len(left)))


def test_from_a_rate_of_1_6_on_the_loss_jumps_without_a_norm_and_falls_with_layernorm() -> None:
    shown = figure("descent")
    for rate in control(shown, "learning rate").values:
        state = shown.state_at(learning_rate=rate)
        none, layer = (shown.lookup(f"{norm} loss", state).cpu() for norm in ("none", "layer"))
        jumps = int((none[-50:].diff() > 0).sum())
        if rate < SETTLING:
            assert jumps == 0
        else:
            assert jumps > 10
            assert (layer[-50:].diff() <= 0).all()
            assert layer[-1] < layer[0]


def test_what_is_said_of_the_loss_without_a_norm_follows_the_rate() -> None:
    shown = figure("descent")
    for rate, jumps in ((1.0, False), (10.0, True)):
        (said,) = [
            view.text
            for view in views(shown, Readout)
            if rate in view.when.get("learning rate", ())
        ]
        assert ("jumps" in said) == jumps
