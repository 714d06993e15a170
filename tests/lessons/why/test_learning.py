from functools import partial

import pytest
import torch

from lnviz.explorable import Readout
from lnviz.lessons.why import learning, text_values
from lnviz.lessons.why.learning import LEARNED, accuracy_of
from lnviz.topics.depth.learning import DEPTH
from tests.lessons.running import built, printed, views

SCALES = DEPTH.result.specification.scales
RATES = DEPTH.result.specification.rates

figure = partial(built, "why", "learning")


def test_the_text_is_right_about_the_stored_result() -> None:
    values = text_values.text_values()
    assert values["small-fails"] < LEARNED / 2
    assert min(values["large-learns"], values["small-learns"]) > 0.8
    assert values["none-best"] == pytest.approx(values["layer-best"], abs=0.03)


def test_each_scale_learns_under_layer_norm_and_larger_ones_at_larger_rates() -> None:
    learns = accuracy_of("layer") > LEARNED  # rates,scales
    assert learns.any(0).all()
    best = accuracy_of("layer").argmax(0)
    assert (best.diff() >= 0).all()
    assert best[0] < best[-1]
    # Without a norm a scale is right or wrong whatever the rate.
    assert not (accuracy_of("none") > LEARNED).any(0).all()


def test_the_pairs_that_learn_are_counted() -> None:
    (finding,) = [view for view in views(figure(), Readout) if view.style == "finding"]
    counts = {norm: int((accuracy_of(norm) > LEARNED).sum()) for norm in ("layer", "none")}
    cells = len(SCALES) * len(RATES)
    assert f"LayerNorm {counts['layer']} of {cells} pairs" in finding.text
    assert f"Without a norm, {counts['none']}." in finding.text


def test_the_table_shows_the_accuracy_of_each_cell() -> None:
    wrong = figure().tensors["wrong"]
    shown = [float(wrong.words[int(at)]) for at in wrong.values]
    means = torch.stack([accuracy_of(norm) for norm in learning.NAMES]).flatten()
    assert shown == pytest.approx(means.tolist(), abs=0.0051)


@pytest.mark.parametrize("norm", ["none", "layer"])
def test_a_mean_lies_in_its_band_in_every_cell(norm: str) -> None:
    low, mean, high = (figure().tensors[f"{norm} {end}"].values for end in ("low", "loss", "high"))
    assert (low <= mean + 1e-5).all()
    assert (mean <= high + 1e-5).all()
    assert high.max() <= learning.TOP


def test_at_the_start_one_network_learns_and_the_other_does_not() -> None:
    start = figure().start_state()
    assert float(figure().lookup("accuracy", start)) < LEARNED
    ends = [float(figure().lookup(f"{norm} end", start)) for norm in ("none", "layer")]
    assert ends[0] > 1.5 * ends[1]


def test_the_code_trains_both_networks_at_the_cell_pointed_at() -> None:
    state = figure().state_at(run=1)
    assert f"scale, rate = {SCALES[1]:g}, {RATES[0]:g}\n" in figure().code_at(state)
    plain, normed = printed(figure(), state)
    assert plain.isfinite().all()
    assert len(normed) == len(plain)
