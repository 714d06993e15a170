"""What holds for each of these figures, beyond the laws for all."""

import pytest

from lnviz.explorable import Slider
from lnviz.lessons.geometry import LESSON
from tests.lessons.geometry.drawing import figure
from tests.lessons.running import not_finite

NAMES = [found.name for found in LESSON.figures]


# The test of the figure "step" says what is undefined there, and where.
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != "step"])
def test_nothing_undefined_is_drawn(name: str) -> None:
    assert not_finite(figure(name)) == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_slider_has_positions_enough_to_move_smoothly(name: str) -> None:
    sliders = [c for c in figure(name).controls if isinstance(c, Slider)]
    assert sliders
    assert min(slider.size for slider in sliders) > 180
