"""The residual stream forward and backward: the result that is shipped."""

import torch
from torch.testing import assert_close

from lnviz.topics.transformer.profiles import PROFILES
from lnviz.topics.transformer.road import ROAD

RESULT = ROAD.result


def test_the_networks_are_those_of_the_profiles() -> None:
    assert RESULT.specification == PROFILES.result.specification


def test_there_is_a_number_at_every_place_of_every_layer_and_nowhere_else() -> None:
    over = ("placement", "place", "depth", "layer")
    for name in ("size", "gradient"):
        values = RESULT.tensor(name, *over)
        layers = torch.arange(values.shape[-1]) < torch.tensor(RESULT.axes["depth"])[:, None]
        assert torch.equal(values.isfinite(), layers.expand_as(values))
        assert (values[..., layers] > 0).all()


def test_a_sum_has_the_same_gradient_as_what_was_added_to_it() -> None:
    for added, total in (("attention adds", "first sum"), ("feed-forward adds", "second sum")):
        one, other = (
            RESULT.tensor("gradient", "placement", "depth", "layer", place=place)
            for place in (added, total)
        )
        assert_close(one, other, equal_nan=True)


def test_each_layer_begins_where_the_one_before_has_ended() -> None:
    for name in ("size", "gradient"):
        begins, ends = (
            RESULT.tensor(name, "placement", "depth", "layer", place=place)
            for place in ("in", "out")
        )
        inside = begins[..., 1:].isfinite()
        assert_close(begins[..., 1:][inside], ends[..., :-1][inside])
