from functools import partial

import torch
from torch import Tensor

from lnviz.lessons.interpolation import format_value
from lnviz.topics.transformer.centering import CENTERING
from lnviz.topics.transformer.learners import PASSAGES
from tests.lessons.running import built, printed, texts

figure = partial(built, "rmsnorm", "centering")
STEP = figure().steps[1]


def losses(norm: str) -> Tensor:
    return CENTERING.result.tensor("loss", "step", "seed", norm=norm)


def changes(rewriting: str, measure: str = "change") -> Tensor:
    return CENTERING.result.tensor(measure, "step", "seed", rewriting=rewriting)


def test_the_text_is_right_about_the_stored_result() -> None:
    assert changes("centered", "exact_change").max() < 1e-10
    assert changes("centered").max() < 1e-5
    assert changes("replaced").min() > 100 * changes("centered").max()
    s = CENTERING.result.specification
    seen = s.model()(torch.zeros(PASSAGES, s.context, dtype=torch.long)).logits
    assert f"among {format_value(len(s.seeds) * seen.numel(), 'g2')} logits" in STEP.text


def test_replacing_the_norms_moves_the_loss_little_and_single_logits_by_several_units() -> None:
    moved = (changes("replaced", "changed_loss") - losses("layer"))[-1]
    assert moved.abs().max() < 0.02
    # less than training another seed does
    assert moved.abs().max() < losses("layer")[-1].max() - losses("layer")[-1].min()
    assert changes("replaced")[-1].max() > 3


def test_whether_the_losses_differ_at_the_end_is_said() -> None:
    layer, rms = losses("layer")[-1], losses("rms")[-1]
    apart = bool(layer.max() < rms.min() or rms.max() < layer.min())
    assert ("do not overlap" in texts(figure())) == apart


def test_the_code_takes_the_centering_out_of_pytorchs_own_layers() -> None:
    (change,) = printed(figure(), figure().start_state())
    assert 0 < change < 1e-4
