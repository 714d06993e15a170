from torch.testing import assert_close

from tests.lessons.geometry.drawing import at_each_norm, figure
from tests.lessons.running import control


def test_the_weights_are_long_where_the_learning_rate_is_large() -> None:
    shown = figure("descent")
    grown = shown.tensors["layer length at end"].values
    assert grown[-1] > 10 * grown[0]
    left = shown.tensors["left"].values
    assert left[-1] < 0.01 < 0.9 < left[0] <= 1
    # The start is as long at every rate, so what is left goes with the square of the end.
    assert_close(left * grown.square(), (left * grown.square())[0].expand(len(left)))


def test_from_a_rate_of_1_6_on_the_loss_settles_under_a_norm_alone() -> None:
    shown = figure("descent")
    for rate in control(shown, "learning rate").values:
        curves = at_each_norm(shown, "{} loss", learning_rate=rate)[:, -20:]
        none, *normed = (curves.amax(-1) - curves.amin(-1)).tolist()
        if 1 <= rate < 1.6:
            assert none < 2e-4
        if rate > 1.62:  # two over the largest curvature
            assert none > 5e-4
            assert max(normed) < 0.02
    for rate in (3.16, 10.0, 30.0, 100.0):
        grown = at_each_norm(shown, "{} length", learning_rate=rate)[1:]
        assert bool((grown[:, -1] - grown[:, -20] < 0.01).all())
