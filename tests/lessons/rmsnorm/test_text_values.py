"""What the lesson's text says besides its figures."""

import re

import pytest
import torch
from torch.nn import functional as F

from lnviz.lessons.rmsnorm.partial import FRACTION
from lnviz.lessons.rmsnorm.text_values import text_values
from lnviz.pretrained.stored_records import stored_records
from lnviz.topics.transformer.centering import CENTERING
from tests.lessons.claims import LESSONS, page_contains, page_text


def test_a_larger_constant_leaves_rmsnorm_less_of_the_differences_and_in_the_end_ones() -> None:
    x = torch.randn(32, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    for sign in (-1, 1):
        found = [F.rms_norm(x + sign * c, (32,)) for c in (3.0, 10.0, 100.0, 1e4)]
        spread = [float(each.max() - each.min()) for each in found]
        assert spread == sorted(spread, reverse=True)
        assert (found[-1] - sign).abs().max() < 1e-3
        assert (found[0] * sign).mean() > 0.5


@pytest.mark.slow
def test_prmsnorm_starts_at_the_share_of_its_authors() -> None:
    assert page_contains(
        "rmsnorm", f"used the first {100 * FRACTION.start}%, where the slider starts"
    )
    assert page_contains("rmsnorm", f"That is {1024 * FRACTION.start:.0f} of 1,024 units")


def test_what_rmsnorm_saved_is_the_share_of_the_times_beside_it() -> None:
    text = page_text(LESSONS / "rmsnorm")
    rows = re.findall(r"\| (\d+) s \| (\d+) s \| ([\d.]+)%", text)
    assert len(rows) == 4
    for layer, rms, saved in rows:
        assert 100 * (1 - int(rms) / int(layer)) == pytest.approx(float(saved), abs=0.051)


def test_means_are_small_before_the_norms_of_the_small_models_and_of_smollm2() -> None:
    result = CENTERING.result
    by_norm = result.tensor("offset", "step", "seed", "place", norm="layer")[-1]
    assert by_norm.max() < 0.2
    page = stored_records("smollm2").passage_record
    share = torch.tensor(page.x_mean).abs() / torch.tensor(page.x_rms)
    assert share.max() < 0.15
    assert text_values()["smollm2-median"] == pytest.approx(share.median().item())
