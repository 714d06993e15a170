import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from lnviz.lessons.inside import dividing, swap
from lnviz.lessons.inside.loss_text_values import EVEN
from lnviz.lessons.interpolation import format_value as format_number
from lnviz.pretrained import smollm2
from lnviz.pretrained.records import EPSILONS, SWAP_KINDS
from lnviz.pretrained.stored_records import stored_records
from tests.lessons.claims import page_contains
from tests.lessons.running import control

PAGE, SMALL = stored_records("smollm2").passage_record, stored_records("minilm").passage_record
RMS = torch.tensor(PAGE.x_rms)
ALONE = np.array(PAGE.swaps.alone)


def at(figure, **values):
    return float(figure.lookup("loss", figure.state_at(**values)))


@pytest.mark.parametrize(("key", "found"), [("smollm2", PAGE), ("minilm", SMALL)])
def test_the_figure_shows_the_record(key, found):
    figure = swap.build(key)
    losses = found.swaps
    assert at(figure, replaced="gains") == pytest.approx(losses.together[1])
    assert at(figure, replaced="tanh", layer=2.0) == pytest.approx(
        losses.alone[found.locations.index("layers.2")][3]
    )
    assert at(figure, replaced="epsilon", epsilon=0.1) == pytest.approx(losses.epsilons[11])
    assert at(figure, replaced="epsilon", epsilon=0.1, layer=0.0) == pytest.approx(
        stored_records(key).epsilon_losses_by_location[found.locations.index("layers.0")][11]
    )


@pytest.mark.parametrize(("key", "own"), [("smollm2", 1e-5), ("minilm", 1e-12)])
def test_epsilon_at_rest_is_the_one_that_a_model_was_trained_with(key, own):
    figure = swap.build(key)
    assert figure.controls[2].start == own == swap.SHAPES[key].eps
    losses = [at(figure, replaced="epsilon", epsilon=eps) for eps in (own, 1e-12)]
    assert losses[0] == pytest.approx(losses[1], abs=0.01)


def test_a_loss_beyond_float32_is_said_and_has_a_sign_of_its_own():
    figure = swap.build("smollm2")
    state = figure.state_at(replaced="sigma")
    assert math.isnan(at(figure, replaced="sigma"))
    assert figure.lookup("beyond", state).isfinite().nonzero().tolist() == [[0]]
    assert "beyond" not in swap.build("minilm").tensors


def test_without_losses_place_by_place_epsilon_is_so_for_every_norm():
    figure = swap.build("smollm2", "1")
    everywhere = at(figure, replaced="epsilon", epsilon=1.0)
    assert everywhere == at(figure, replaced="epsilon", epsilon=1.0, layer=5.0)
    assert control(figure, "layer").when == {"replaced": SWAP_KINDS}


def test_a_text_of_one_token_has_no_loss_and_the_figure_says_so():
    none = replace(PAGE.swaps, loss=None)
    (((said,),),) = (swap.swap_figure(replace(PAGE, swaps=none)).views,)
    assert "no next token" in said.text


def test_a_text_of_which_a_model_is_sure_and_right_is_drawn_too():
    alone = ((0.0, *PAGE.swaps.alone[0][1:]), *PAGE.swaps.alone[1:])
    figure = swap.swap_figure(replace(PAGE, swaps=replace(PAGE.swaps, alone=alone, loss=0.0)))
    place = figure.state_at(layer=0.0)
    assert at(figure, layer=0.0) == 0
    assert float(figure.lookup("height", place)) == pytest.approx(math.log10(swap.LEAST))


def test_there_are_as_many_replacements_as_the_text_says():
    replacements = format_number(swap.build().controls[0].size, "words")
    assert page_contains("inside", f"with {replacements} replacements")


def test_a_model_that_knows_nothing_has_the_loss_that_is_drawn():
    scores = torch.zeros(1, smollm2.VOCABULARY)
    assert float(torch.nn.functional.cross_entropy(scores, torch.tensor([7]))) == pytest.approx(
        swap.EVENLY
    )


def test_the_means_are_small_on_the_page():
    share = torch.tensor(PAGE.x_mean).abs() / RMS
    assert share.max() < 0.13
    assert share.median() < 0.024


def test_averaged_gains_cost_the_most_at_the_final_norm():
    gains = ALONE[:, SWAP_KINDS.index("gains")]
    assert PAGE.locations[int(gains.argmax())] == "final"
    assert gains[-1] > 2 * swap.EVENLY
    assert gains[:-1].max() < swap.EVENLY / 2


def test_some_replacements_are_worse_than_knowing_nothing():
    centering, gains, sigma, tanh = PAGE.swaps.together
    assert abs(centering - PAGE.swaps.loss) < 0.03
    assert sigma is None
    assert gains > swap.EVENLY
    assert tanh > 10 * swap.EVENLY


def test_of_twice_the_stream_a_gated_layer_makes_four_times_as_much():
    layer = smollm2.GatedFeedForward(smollm2.SHAPE)
    x = 100 * torch.randn(1, smollm2.SHAPE.width, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        once, twice = layer(x).y, layer(2 * x).y
    assert float(twice.norm() / once.norm()) == pytest.approx(4, rel=0.01)


def test_epsilon_counts_in_layer_0_where_the_stream_is_small():
    first = RMS[0]
    assert 0.09 < first.mean() < 0.12
    assert 0.008 < RMS.square().min() < first.square().mean() < 0.014
    losses = (
        np.array(stored_records("smollm2").epsilon_losses_by_location)[:, EPSILONS.index(1e-2)]
        - PAGE.swaps.loss
    )
    together = PAGE.swaps.epsilons[EPSILONS.index(1e-2)] - PAGE.swaps.loss
    assert losses[0] > 0.95 * together > 0.1 * PAGE.swaps.loss * 0.95
    assert abs(losses[1:]).max() < 0.01
    assert all(
        loss < 1.1 * PAGE.swaps.loss
        for loss in PAGE.swaps.epsilons[EPSILONS.index(1e-5) : EPSILONS.index(1e-2)]
    )


def test_where_tokens_are_equally_large_their_norms_can_be_frozen():
    spread = RMS.amax(1) / RMS.amin(1)
    even = {name for name, ratio in zip(PAGE.norms, spread, strict=True) if ratio < 2}
    assert even == {f"{place}.{part}" for place in EVEN for part in ("attention", "feedforward")}
    cost = np.abs(ALONE[:, SWAP_KINDS.index("sigma")] - PAGE.swaps.loss)
    assert [PAGE.locations[n] for n in np.flatnonzero(cost < 0.01)] == ["layers.11"]
    assert cost[PAGE.locations.index("layers.0")] < 0.03


def test_from_layer_12_on_the_first_token_is_much_larger():
    start = PAGE.norms.index("layers.12.attention")
    median = RMS[:, 1:].median(1).values
    assert (RMS[start:-1, 0] > 9 * median[start:-1]).all()
    assert (RMS[start:-1].mean(1) > median[start:-1]).all()
    assert RMS[-1, 0] > 3 * RMS[-1, 1:].max()
    assert ALONE[-1, SWAP_KINDS.index("sigma")] - PAGE.swaps.loss < 0.15


def test_what_minilm_does_without_centering_adds_up():
    alone = [losses[0] for losses in SMALL.swaps.alone]
    assert SMALL.swaps.together[0] > sum(alone) > max(alone)


def test_minilm_does_not_feel_a_small_epsilon():
    upto = EPSILONS.index(1e-4) + 1
    for found in (SMALL, *stored_records("minilm").sentence_records):
        assert all(abs(loss) < 0.0005 for loss in found.swaps.epsilons[:upto])


def test_what_a_norm_divides_by_is_what_its_kind_says():
    assert torch.equal(dividing.spreads(PAGE), RMS)
    mean = torch.tensor(SMALL.x_mean)
    assert torch.allclose(
        dividing.spreads(SMALL).square() + mean.square(), torch.tensor(SMALL.x_rms).square()
    )


def test_before_layer_12_the_first_token_is_not_the_largest_everywhere():
    rows = [PAGE.norms.index(f"layers.{layer}.attention") for layer in range(3, 12)]
    assert (RMS[rows, 1:].amax(1) > RMS[rows, 0]).all()
