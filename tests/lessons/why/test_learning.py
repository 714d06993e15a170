from functools import partial

import pytest

from lnviz.explorable import Readout
from lnviz.lessons.why import learning, text_values
from lnviz.lessons.why.learning import LEARNED, accuracy_of
from lnviz.topics.depth.learning import DEPTH
from tests.lessons.running import built, printed, views

SCALES = DEPTH.result.specification.scales
RATES = DEPTH.result.specification.rates

figure = partial(built, "why", "learning")
STEPS = figure().steps


def test_the_text_is_right_about_the_stored_result() -> None:
    values = text_values.text_values()
    assert values["small-fails"] < 25
    assert min(values["large-learns"], values["small-learns"]) > 80


def test_the_best_networks_with_and_without_a_norm_read_about_as_well() -> None:
    best = {}
    for norm in ("none", "layer"):
        accuracy = DEPTH.result.tensor("accuracy", "rate", "scale", "seed", norm=norm)
        best[norm] = accuracy.flatten(0, 1)[accuracy_of(norm).argmax()]
    one, other = best.values()
    assert one.min() < other.max()
    assert other.min() < one.max()


def test_each_scale_learns_under_layer_norm_and_larger_ones_at_larger_rates() -> None:
    learns = accuracy_of("layer") > LEARNED  # rates,scales
    assert learns[RATES.index(text_values.ALL_SCALES_RATE)].all()
    best = accuracy_of("layer").argmax(0)
    assert (best.diff() >= 0).all()
    assert best[0] < best[-1]
    # Without a norm a scale is right or wrong whatever the rate.
    assert not (accuracy_of("none") > LEARNED).any(0).all()


def test_the_pairs_that_learn_are_counted() -> None:
    (finding,) = [view for view in views(figure(), Readout) if view.style == "finding"]
    counts = {norm: int((accuracy_of(norm) > LEARNED).sum()) for norm in ("layer", "none")}
    cells = len(SCALES) * len(RATES)
    assert f"LayerNorm, {counts['layer']} of {cells} combinations" in finding.text
    assert f"Without a norm, {counts['none']} do." in finding.text
    values = text_values.text_values()
    assert values["layer-count"] == counts["layer"]
    assert values["none-count"] == counts["none"]
    assert values["none-failing"] == (accuracy_of("none") <= LEARNED).all(0).sum()


@pytest.mark.parametrize("norm", learning.TITLES)
def test_the_table_shows_the_accuracy_of_each_cell_and_marks_those_that_learned(norm: str) -> None:
    wrong = figure().tensors[f"{norm} wrong"]
    shown = [wrong.words[int(at)] for at in wrong.values]
    numbers = [float(text.rstrip(learning.CHECK_MARK)) for text in shown]
    assert numbers == pytest.approx((100 * accuracy_of(norm)).flatten().tolist(), abs=0.51)
    marked = [text.endswith(learning.CHECK_MARK) for text in shown]
    assert marked == (accuracy_of(norm) > LEARNED).flatten().tolist()
    assert figure().tensors[f"{norm} right"].values.tolist() == numbers


def test_the_best_cells_are_named() -> None:
    (note,) = [view for view in views(figure(), Readout) if view.style == "note"]
    for norm, where in (("none", "without a norm"), ("layer", "with LayerNorm")):
        rate, scale = divmod(int(accuracy_of(norm).argmax()), len(SCALES))
        best = f"{100 * accuracy_of(norm).max():.0f} {where}"
        assert f"{best} (rate {RATES[rate]:g}, scale {SCALES[scale]:g})" in note.text


def test_the_steps_are_right_about_their_cells() -> None:
    def right(norm: str, scale: float, rate: float) -> float:
        return float(accuracy_of(norm)[RATES.index(rate), SCALES.index(scale)])

    cells = [figure().start_state(), *(step.positions(figure().controls) for step in STEPS[1:])]
    where = [(SCALES[at["run"] % len(SCALES)], RATES[at["run"] // len(SCALES)]) for at in cells]
    assert where == [(0.5, 0.001), (1.0, 0.001), (8.0, 0.01), (1.41, 0.01)]
    assert right("layer", *where[0]) > LEARNED > right("none", *where[0])
    assert right("none", *where[1]) > right("layer", *where[1]) > LEARNED
    assert right("layer", *where[2]) > 0.85 > LEARNED > right("none", *where[2])
    assert right("layer", *where[3]) == pytest.approx(0.1, abs=0.03)
    assert figure().tensors["none loss"].values[cells[2]["run"]].min() == learning.TOP
    # No cell is above half without a norm at the scale of the third step.
    assert not (accuracy_of("none")[:, SCALES.index(8.0)] > LEARNED).any()


@pytest.mark.parametrize("norm", ["none", "layer"])
def test_a_mean_lies_in_its_band_in_every_cell(norm: str) -> None:
    low, mean, high = (figure().tensors[f"{norm} {end}"].values for end in ("low", "loss", "high"))
    assert (low <= mean + 1e-5).all()
    assert (mean <= high + 1e-5).all()
    assert high.max() <= learning.TOP


def test_at_the_start_one_network_learns_and_the_other_does_not() -> None:
    start = figure().start_state()
    right = [float(figure().lookup(f"{norm} right", start)) for norm in ("none", "layer")]
    assert right[0] < 100 * LEARNED < right[1]
    ends = [float(figure().lookup(f"{norm} end", start)) for norm in ("none", "layer")]
    assert ends[0] > 1.5 * ends[1]


def test_the_code_trains_both_networks_at_the_cell_pointed_at() -> None:
    state = figure().state_at(run=1)
    assert f"scale, rate = {SCALES[1]:g}, {RATES[0]:g}\n" in figure().code_at(state)
    plain, normed = printed(figure(), state)
    assert plain.isfinite().all()
    assert len(normed) == len(plain)
