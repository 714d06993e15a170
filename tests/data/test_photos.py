import numpy as np
import torch

from lnviz.data.photos import SIZE, _photo, photos


def test_photographs_are_shares_of_red_green_and_blue() -> None:
    found = photos()
    assert found.images.shape == (len(found.names), 3, SIZE, SIZE)
    assert found.images.min() >= 0
    assert found.images.max() <= 1


def test_no_two_photographs_are_alike() -> None:
    levels = photos().images.mean((2, 3))
    assert len(levels.unique(dim=0)) == len(levels)


def test_the_photographs_are_those_that_scikit_learn_reads() -> None:
    from sklearn.datasets import load_sample_images  # takes a second

    for file, image in zip(("china.jpg", "flower.jpg"), load_sample_images().images, strict=True):
        assert torch.equal(
            _photo(file), torch.from_numpy(image.astype(np.float32)).movedim(-1, 0) / 255
        )
