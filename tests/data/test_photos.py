import torch

from lnviz.data.photos import SIZE, photos


def test_photographs_are_shares_of_red_green_and_blue() -> None:
    found = photos()
    assert found.images.shape == (len(found.names), 3, SIZE, SIZE)
    assert found.images.min() >= 0
    assert found.images.max() <= 1


def test_no_two_photographs_are_alike() -> None:
    levels = photos().images.mean((2, 3))
    assert len(levels.unique(dim=0)) == len(levels)


def test_the_photographs_are_crops_of_those_that_scikit_learn_reads() -> None:
    from tests.data.make_files import crops  # takes a second

    theirs = torch.from_numpy(crops()["images"])
    # Means may be rounded in another order on another machine.
    torch.testing.assert_close(photos().images, theirs, rtol=0, atol=1e-6)
