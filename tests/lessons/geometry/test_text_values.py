"""What the lesson's text says besides its figures."""

from lnviz.topics.geometry.landscape import RECIPES


def test_every_network_of_the_landscape_was_trained_once() -> None:
    assert len({each.seed for each in RECIPES}) == 1
