import torch
from torch.testing import assert_close

from lnviz.topics.images.border import border, units


def test_units_are_described_over_the_images() -> None:
    values = torch.randn(20, 2, 3, 4, generator=torch.Generator().manual_seed(0))
    found = units(values)
    assert_close(found.mean[1, 2, 3], values[:, 1, 2, 3].mean())
    assert_close(found.std[1, 2, 3], values[:, 1, 2, 3].std(correction=0))
    assert_close(found.on[1, 2, 3], (values[:, 1, 2, 3] > 0).float().mean())


def test_the_border_is_where_a_filter_of_three_reaches_outside() -> None:
    assert border(4, 5).int().tolist() == [
        [1, 1, 1, 1, 1],
        [1, 0, 0, 0, 1],
        [1, 0, 0, 0, 1],
        [1, 1, 1, 1, 1],
    ]
