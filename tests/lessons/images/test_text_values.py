"""What the lesson's text says besides its figures."""

from lnviz.data.photos import photos
from lnviz.topics.images import KINDS


def test_layer_norm_leaves_the_leaves_blue_green_and_instance_norm_does_not() -> None:
    batch = photos()
    leaves = batch.names.index("leaves")
    for key, is_left in (("layer", True), ("instance", False)):
        red, green, blue = KINDS[key].standardized(batch.images).x_hat[leaves].mean((1, 2))
        assert (min(green, blue) > red + 1) == is_left
        assert abs(green - blue) < 0.1
