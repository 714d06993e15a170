import pytest
import torch

from lnviz.lessons.inside import gains, text_values
from lnviz.lessons.inside.reading import near_zero_gains, sublayer_norms
from lnviz.pretrained import PACKAGES
from lnviz.pretrained.stored_records import stored_records

NORMS = {key: stored_records(key).passage_record.norms for key in PACKAGES}


@pytest.mark.slow
@pytest.mark.parametrize("key", PACKAGES)
def test_the_figure_counts_the_gains(key):
    found, own = gains.build(key), stored_records(key).gains[5]
    state = found.state_at(norm=5.0, off_below=0.1)
    assert float(found.lookup("off", state)) == near_zero_gains(key)[5].sum()
    assert float(found.lookup("negative", state)) == (own < 0).sum()
    component = stored_records(key).passage_record.zeroed.component
    smaller = (own.abs() < own[component].abs()).sum()
    assert float(found.lookup("own below", state)) == smaller
    assert float(found.lookup("near", state)) == ((own - 1).abs() <= gains.CLOSE).sum()
    assert float(found.lookup("least", state)) == pytest.approx(float(own.min()))
    assert float(found.lookup("counts", state).sum()) == len(own)


@pytest.mark.parametrize("key", PACKAGES)
def test_the_smallest_gains_are_named_in_their_order(key):
    found = gains.build(key)
    state = found.state_at(norm=len(NORMS[key]) - 1.0)
    named = [int(found.lookup(f"which {at}", state)) for at in range(3)]
    assert named == stored_records(key).gains[-1].abs().argsort()[:3].tolist()


def test_the_figure_counts_the_biases():
    figure = gains.build("minilm")
    for norm, biases in enumerate(stored_records("minilm").biases):
        state = figure.state_at(norm=float(norm))
        least, most, median, far = (
            float(figure.lookup(f"bias {name}", state))
            for name in ("least", "most", "median", "far")
        )
        assert (least, most) == pytest.approx((float(biases.min()), float(biases.max())))
        assert median == pytest.approx(float(biases.abs().quantile(0.5)))
        assert far == (biases.abs() > gains.CLOSE).sum()


def test_the_feed_forward_norms_of_smollm2_switch_off_one_component_each():
    off, values = near_zero_gains("smollm2"), text_values.text_values()
    found = [
        off[norm].nonzero().flatten().tolist()
        for norm in sublayer_norms(NORMS["smollm2"], "feedforward")
    ]
    start, turn, end = (int(values[name]) for name in ("off-from", "second-to", "off-to"))
    assert found[start : turn + 1] == [[values["second"]]] * (turn + 1 - start)
    assert found[turn + 1 : end + 1] == [[values["massive"]]] * (end - turn)
    assert end - start == 24


def test_from_a_layer_on_attentions_norms_switch_nothing_off():
    off, values = near_zero_gains("smollm2"), text_values.text_values()
    later = sublayer_norms(NORMS["smollm2"], "attention")[int(values["none-from"]) :]
    assert not off[later].any()
    assert len(later) > 20
    assert off.sum(-1).argmax() == 0


def test_minilm_switches_off_three_components_and_those_behind_its_last_norm():
    off, found = near_zero_gains("minilm"), stored_records("minilm")
    assert not off[:-1].any()
    dead = off[-1].nonzero().flatten()
    assert len(dead) == 3
    assert found.gains[-1][dead].abs().max() < 5e-9
    assert found.biases[-1][dead].abs().max() < 5e-7


def test_the_component_that_is_most_often_the_largest_in_minilm_is_one_of_those():
    for record in (
        *stored_records("minilm").sentence_records,
        stored_records("minilm").passage_record,
    ):
        largest = torch.tensor(record.largest)[:, 1:, 0]
        assert largest.flatten().mode().values == text_values.text_values()["dead-2"]


def test_minilms_large_component_has_the_largest_gains_at_attention_and_small_ones_behind():
    values, sizes = text_values.text_values(), stored_records("minilm").gains.abs()
    component = int(values["minilm-massive"])
    attention, behind = (
        sublayer_norms(NORMS["minilm"], part) for part in ("attention", "feedforward")
    )
    first = attention[: int(values["largest-to"]) + 1]
    assert (sizes[first].argmax(-1) == component).all()
    smaller = (sizes[behind] < sizes[behind, component, None]).sum(-1)
    assert smaller.max() < values["smallest"] < 20


def test_the_gains_of_the_first_norm_are_far_smaller_than_those_of_the_last():
    values = text_values.text_values()
    assert values["first-median"] < 0.05 < 1 < values["final-median"]


def test_a_gain_can_be_moved_into_the_matrix_behind_it():
    x_hat = torch.tensor([1.0, -2.0])
    before = x_hat * 0.02 @ torch.tensor([5.0, 5.0])
    torch.testing.assert_close(before, x_hat @ torch.tensor([0.1, 0.1]))


def test_before_training_gains_are_1_and_biases_0():
    norm = torch.nn.LayerNorm(3)
    assert norm.weight.tolist() == [1, 1, 1]
    assert norm.bias.tolist() == [0, 0, 0]
