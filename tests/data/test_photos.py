from lnviz.data.photos import SIZE, photos


def test_photographs_are_shares_of_red_green_and_blue() -> None:
    found = photos()
    assert found.images.shape == (len(found.names), 3, SIZE, SIZE)
    assert found.images.min() >= 0
    assert found.images.max() <= 1


def test_no_two_photographs_are_alike() -> None:
    levels = photos().images.mean((2, 3))
    assert len(levels.unique(dim=0)) == len(levels)
