"""What the lesson's text says besides its figures."""

from lnviz.data.photos import photos
from lnviz.images import KINDS
from lnviz.images.filters import FILTERS
from lnviz.images.groups import stored
from tests.lessons.claims import says

SIDE = 8


def test_a_first_convolution_has_as_many_units_and_places_as_is_said() -> None:
    assert says("images", f"units of a first convolution over all handwritten digits: {FILTERS} f")
    assert says("images", f"for all {FILTERS * SIDE * SIDE:,} units of an image")
    assert says("images", f"Perhaps the {2 * SIDE * SIDE} places of two images")


def test_the_batches_that_are_compared_go_from_two_to_32() -> None:
    assert (stored().specification.batches[0], stored().specification.batches[-1]) == (2, 32)
    assert says("images", "BatchNorm in batches of two does no worse than in batches of 32.")


def test_layer_norm_leaves_the_leaves_blue_green_and_instance_norm_does_not() -> None:
    batch = photos()
    leaves = batch.names.index("leaves")
    for key, is_left in (("layer", True), ("instance", False)):
        red, green, blue = KINDS[key].standardized(batch.images).x_hat[leaves].mean((1, 2))
        assert (min(green, blue) > red + 1) == is_left
        assert abs(green - blue) < 0.1
