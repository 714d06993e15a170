"""What a norm leaves of contrast and brightness, beside the whole batch normalized."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.data.photos import photos
from lnviz.topics.images import KINDS, Sharing
from lnviz.topics.images.exposure import EPS, normalize_exposed

IMAGES = photos().images
OVER_PLACES = {key: kind for key, kind in KINDS.items() if key != "place"}
each_kind = pytest.mark.parametrize("kind", OVER_PLACES.values(), ids=OVER_PLACES)


@given(
    key=st.sampled_from(list(OVER_PLACES)),
    contrast=st.floats(0, 3),
    brightness=st.floats(-1, 1),
    channels=st.sampled_from([1, 3]),
)
@settings(max_examples=40)
def test_scale_and_shift_give_the_batch_normalized(
    key: str, contrast: float, brightness: float, channels: int
) -> None:
    kind = KINDS[key]
    factor, added = torch.ones(4, 3), torch.zeros(4, 3)
    factor[0, :channels], added[0, :channels] = contrast, brightness
    found = normalize_exposed(IMAGES, kind, factor, added)
    changed = factor[..., None, None] * IMAGES + added[..., None, None]
    expected = kind.standardized(changed, EPS).x_hat
    drawn = found.scale[..., None, None] * IMAGES + found.shift[..., None, None]
    assert_close(drawn, expected, rtol=1e-3, atol=2e-3)
    assert_close(found.mean, expected.mean((2, 3)), rtol=1e-3, atol=2e-3)
    assert_close(found.std, expected.std((2, 3), correction=0), rtol=1e-3, atol=2e-3)


@each_kind
def test_sweeps_lead(kind: Sharing) -> None:
    contrast, brightness = torch.rand(5, 4, 3), torch.rand(5, 4, 3)
    together = normalize_exposed(IMAGES, kind, contrast, brightness)
    alone = [
        normalize_exposed(IMAGES, kind, c, b).shift
        for c, b in zip(contrast, brightness, strict=True)
    ]
    assert_close(together.shift, torch.stack(alone))


def test_a_photograph_without_contrast_gives_0() -> None:
    contrast = torch.ones(4, 3)
    contrast[0] = 0
    found = normalize_exposed(IMAGES, KINDS["layer"], contrast, torch.full((4, 3), 0.3))
    assert not found.mean[0].any()
    assert not found.std[0].any()
    assert found.std[1:].all()


@each_kind
def test_an_image_of_one_pixel_gives_numbers(kind: Sharing) -> None:
    found = normalize_exposed(
        torch.full((1, 1, 1, 1), 0.5), kind, torch.ones(1, 1), torch.zeros(1, 1)
    )
    expected = 0.5 if kind.key == "none" else 0.0
    assert found.mean.item() == expected
    assert found.std.item() == 0
