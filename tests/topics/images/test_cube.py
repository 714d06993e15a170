import torch
from torch.nn import functional as F

from lnviz.data.examples import digit_images
from lnviz.topics.images.cube import CHANNELS, NORMS, activations, bank, shared_statistics
from lnviz.topics.images.sharing import KINDS, group_sharing


def test_activations_are_a_convolution_averaged() -> None:
    images = digit_images().images[:2].view(2, 1, 8, 8)
    assert torch.equal(activations(), F.avg_pool2d(F.conv2d(images, bank().weight), 2))


def test_every_norm_is_laid_over_the_block_and_the_counts_move_group_sharing_alone() -> None:
    x, counts = activations(), (1, 2, 6)
    found = shared_statistics(x, counts)
    for i, key in enumerate(NORMS):
        for j, count in enumerate(counts):
            kind = group_sharing(count) if key == "group" else KINDS[key]
            assert torch.equal(found.x_hat[i, j], kind.standardized(x).x_hat)
            assert torch.equal(found.groups[i, j], kind.groups(x.shape))
    assert found.size[NORMS.index("layer")].unique().tolist() == [CHANNELS * 9]
