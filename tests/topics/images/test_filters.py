import torch
from torch.testing import assert_close

from lnviz.topics.images import BANKS, Bank, responses
from lnviz.topics.images.filters import FILTERS, gabor


def test_every_bank_has_its_filters_of_length_1() -> None:
    for make in BANKS.values():
        bank = make()
        assert bank.weight.shape == (FILTERS, 1, 3, 3)
        lengths = bank.weight.flatten(1).norm(dim=1)
        assert_close(lengths, torch.ones(FILTERS), rtol=0, atol=0.01)


def test_an_even_area_gives_a_gabor_filter_nothing() -> None:
    even = responses(torch.ones(1, 1, 5, 5), gabor())
    assert_close(even[..., 2, 2], torch.zeros(1, FILTERS), rtol=0, atol=9 / 512)


def test_gabor_filters_differ_from_each_other() -> None:
    weight = gabor().weight.flatten(1)
    apart = torch.cdist(weight, weight) + torch.eye(FILTERS)
    assert (apart > 0.1).all()


def test_a_response_is_the_sum_of_what_the_filter_lies_on() -> None:
    image = torch.arange(16.0).view(1, 1, 4, 4) / 16
    found = responses(image, Bank(torch.ones(1, 1, 3, 3)))
    assert found[0, 0, 1, 1] == image[..., :3, :3].sum()
    assert found[0, 0, 0, 0] == image[..., :2, :2].sum()  # the rest lies on zeros
