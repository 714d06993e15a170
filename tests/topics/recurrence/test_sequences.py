"""Digits as sequences."""

import pytest
import torch
from torch.testing import assert_close

from lnviz.data.examples import digit_images
from lnviz.topics.recurrence.sequences import append_empty_steps, digit_sequences


def digits() -> tuple[torch.Tensor, torch.Tensor]:
    """The images, as shares of ink, and their labels."""
    read = digit_images()
    return read.images.view(-1, 8, 8), read.targets


@pytest.mark.parametrize("reading", ["rows", "pixels"])
def test_every_image_is_read_once_in_training_or_in_testing(reading: str) -> None:
    split = digit_sequences(reading)
    read = torch.cat([split.train.x, split.test.x]).flatten(1)
    labels = torch.cat([split.train.labels, split.test.labels])
    images, targets = digits()
    expected = torch.cat([images.flatten(1), targets[:, None]], 1)
    found = torch.cat([read, labels[:, None]], 1)

    def ordered(rows: torch.Tensor) -> list[list[float]]:
        return sorted(rows.tolist())

    assert ordered(found) == ordered(expected)
    assert len(split.test.x) == 355


def test_a_step_is_a_row_or_a_pixel_from_the_top_left() -> None:
    rows, pixels = (digit_sequences(reading).train.x[0] for reading in ("rows", "pixels"))
    image = digits()[0][0]
    assert torch.equal(rows, image)
    assert torch.equal(pixels[:, 0], image.flatten())


def test_training_and_testing_have_every_digit_about_as_often() -> None:
    split = digit_sequences("rows")
    shares = [part.labels.bincount() / len(part.labels) for part in (split.train, split.test)]
    assert_close(shares[0], shares[1], rtol=0, atol=0.005)


def test_waiting_appends_empty_steps() -> None:
    x = torch.randn(3, 2, 4, 3)
    longer = append_empty_steps(x, 5)
    assert longer.shape == (3, 2, 9, 3)
    assert torch.equal(longer[..., :4, :], x)
    assert not longer[..., 4:, :].any()
    assert torch.equal(append_empty_steps(x, 0), x)


def test_what_makes_no_sequence_is_refused() -> None:
    with pytest.raises(ValueError, match="read by rows or pixels, got 'columns'"):
        digit_sequences("columns")
    with pytest.raises(ValueError, match="takes 0 steps or more, got -1"):
        append_empty_steps(torch.ones(1, 2, 3), -1)
