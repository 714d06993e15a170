import pytest

from lnviz.topics.batch.synchronizing import NETWORKS


@pytest.mark.parametrize(
    ("key", "layers", "channels"),
    [("layer", 1, 64), ("resnet18", 20, 4_800), ("resnet50", 53, 26_560), ("vgg16", 13, 4_224)],
)
def test_networks_have_the_layers_and_channels_of_their_papers(
    key: str, layers: int, channels: int
) -> None:
    network = NETWORKS[key]
    assert len(network.channels) == layers
    assert sum(network.channels) == channels


def test_a_worker_sends_four_numbers_a_channel_and_a_count_a_layer_and_waits_twice() -> None:
    network = NETWORKS["resnet50"]
    assert network.sent == 4 * 26_560 + 53
    assert network.waits == 106
