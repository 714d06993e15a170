"""Runs of a visitor, wherever they have got to: what is drawn, and what is said."""

import gzip
import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from statistics import median
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from lnviz.database.errors import StoreError
from lnviz.explorable import Chart, ExpiredDataError, Explorable, Grid, ParameterError, Readout
from lnviz.lessons.interpolation import join_words
from lnviz.lessons.lab import trainings as reading
from lnviz.lessons.lab.measures import RUN_METRICS, RunMetric
from lnviz.lessons.lab.series_table import HIGH, LOW
from lnviz.lessons.lab.targets import median as middle
from lnviz.lessons.lab.trainings import load_trainings
from lnviz.lessons.lab.yours import FIGURE, RUN, build
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.run_arrays import to_result
from lnviz.topics.lab.stored import OWN, OWN_TEXT
from lnviz.topics.transformer.documentation import alphabet
from lnviz.topics.transformer.warmup import WARMUP
from lnviz.training import run_repository
from lnviz.training.experiment import TrainingSpec
from lnviz.training.record import LoggedMetrics, TrainingRecord
from tests.explorable.decoding import decode
from tests.lessons import test_laws as laws
from tests.lessons.running import built, said, views

JOB = "job.0123456789abcdef"
ASKED = TrainingSpec("digits", ("none", "batch", "layer"), (4, 1), (0.01, 0.001), (0, 1), 90, 20)
LAYERS = {"none": (), "batch": ("1", "4"), "layer": ("1", "4")}


def point(norm: str, size: int, step: int, runs: int, lost: tuple[int, ...] = ()) -> LoggedMetrics:
    """Numbers that differ wherever something does; the runs named have diverged."""

    def each(scale: float) -> list[float | None]:
        found = [scale * (1 + run / 7) * (1 + len(norm) / 9 + size / 5) for run in range(runs)]
        return [None if run in lost else value for run, value in enumerate(found)]

    falling = 30 / (30 + step)
    weights = {f"{name}.weight": each(falling / 50) for name in (0, 3, 6)}
    values = {
        "loss": each(falling) if step else [None] * runs,
        "validation loss": each(falling),
        "validation error": [0.9 if e is None else e for e in each(falling / 10)],
        "scales": {
            "activations": {str(name): each(2 - falling) for name in (0, 3, 6)},
            "gradients": weights,
            "gains": {name: each(1.0) for name in LAYERS[norm]},
            "gain spreads": {name: each(0.1) for name in LAYERS[norm]},
            "bias spreads": {name: each(0.2) for name in LAYERS[norm]},
        },
    }
    return LoggedMetrics(norm, size, step, step / 50, values)


def record(
    asked: TrainingSpec = ASKED,
    ended: int = 100,
    half: int = 0,
    lost: Mapping[tuple[str, int, int], tuple[int, ...]] | None = None,
) -> TrainingRecord:
    """A record of which so many groups have ended, and the next one has had `half` steps."""
    runs = len(asked.rates) * len(asked.seeds)
    steps = [*range(0, asked.steps, asked.every), asked.steps]
    points, outcomes = [], {}
    gone: dict[tuple[str, int], tuple[int, ...]] = {}
    groups = EXPERIMENTS[asked.experiment].groups(asked)
    groups.sort(key=lambda group: asked.norms.index(group[0]))  # in whatever order they were run
    for at, (norm, size) in enumerate(groups):
        last = asked.steps if at < ended else half if at == ended else -1
        for step in (s for s in steps if s <= last):
            gone[norm, size] = (lost or {}).get((norm, size, step), gone.get((norm, size), ()))
            points.append(point(norm, size, step, runs, gone[norm, size]))
        if at < ended:
            errors = [0.01 * (run + 1) + size / 100 for run in range(runs)]
            loss = [None if run in gone[norm, size] else 0.5 for run in range(runs)]
            outcomes[norm, size] = {"loss": loss, "error": errors}
    made = {"python": "3", "torch": "2", "device": "CPU, 1 thread"}
    return TrainingRecord(asked, made, tuple(points), outcomes)


def changed(found: TrainingRecord, scale: str, rate: int, factor: float) -> TrainingRecord:
    """A record with other scales of the runs at one of its two learning rates."""

    def other(values: dict[str, Any]) -> dict[str, Any]:
        runs = range(2 * rate, 2 * rate + 2)
        layers = {
            name: [v * factor if at in runs else v for at, v in enumerate(each)]
            for name, each in values["scales"][scale].items()
        }
        return values | {"scales": values["scales"] | {scale: layers}}

    return replace(found, metrics=tuple(replace(p, values=other(p.values)) for p in found.metrics))


STATES = {
    "done": record(),
    "half": record(ended=2, half=40),
    "first": record(ended=0, half=20),
    "nothing": record(ended=0, half=-1),
    "begun": record(ended=0, half=0),
    "diverged": record(lost={("layer", 4, 40): (1,), ("none", 1, 20): (0, 1, 2, 3)}),
    "diverged on the way": record(ended=1, half=60, lost={("none", 1, 60): (3,)}),
    "all diverged": record(
        lost={(norm, size, 20): (0, 1, 2, 3) for norm in ASKED.norms for size in (4, 1)}
    ),
    "one seed": record(replace(ASKED, seeds=(7,)), ended=3, half=60),
    "one rate": record(replace(ASKED, rates=(0.1,)), ended=3, half=60),
    "one norm": record(replace(ASKED, norms=("layer",)), ended=1, half=20),
    "no norm alone": record(replace(ASKED, norms=("none",))),
    "one size": record(replace(ASKED, batch_sizes=(4,)), ended=1, half=20),
    "one of all": record(
        replace(ASKED, norms=("layer",), batch_sizes=(4,), rates=(0.1,), seeds=(3,), every=90)
    ),
    "many points": record(replace(ASKED, steps=2000, every=3), ended=1, half=900),
    "a rate without gradients": changed(record(), "gradients", 0, 0.0),
    "rates far apart": changed(record(), "gradients", 0, 1e6),
}


def of(found: TrainingRecord | None) -> Explorable:
    """The figure of a visitor's job with this record."""
    known = {JOB.removeprefix("job."): found}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_repository, "find_record", lambda job: known.get(job))
        return build(JOB)


@cache
def got_to(name: str) -> Explorable:
    """The figure of runs that have got so far."""
    return of(STATES[name])


def texts(figure: Explorable, state: Mapping[str, int] | None = None) -> list[str]:
    """What the readouts say, all of them or at a state, their fields as they are written."""
    return [view.text for view in (said(figure, state) if state else views(figure, Readout))]


def findings(figure: Explorable, state: Mapping[str, int]) -> list[Readout]:
    return [view for view in said(figure, state) if view.style == "finding"]


LAWS = (
    laws.test_no_text_shows_a_number_that_is_undefined,
    laws.test_no_label_and_no_fixed_text_names_a_value_that_is_none,
    laws.test_what_is_drawn_lies_inside_the_axes,
    laws.test_the_words_for_a_picture_follow_every_control_that_moves_it,
    laws.test_no_two_controls_or_parameters_of_a_figure_share_a_name,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", STATES)
def test_what_holds_for_every_figure_holds_wherever_runs_have_got_to(name: str) -> None:
    document = replace(FIGURE, build=lambda **_: got_to(name)).payload({"run": JOB})
    tensors = {n: laws.Over(tuple(t["over"]), decode(t)) for n, t in document["tensors"].items()}
    for law in LAWS:
        law(laws.Drawn(document, tensors))


@pytest.mark.slow
def test_the_largest_that_a_visitor_sees_travels_well() -> None:
    asked = replace(ASKED, batch_sizes=(1, 4, 32, 128), rates=(0.1, 0.01, 0.001), steps=2000)
    figure = replace(FIGURE, build=lambda **_: of(record(asked)))
    written = json.dumps(figure.payload({"run": JOB}), allow_nan=False)
    assert len(gzip.compress(written.encode())) < 300_000


@pytest.mark.parametrize("rate", [0.001, 0.01])
@pytest.mark.parametrize(("norm", "size"), [("none", 1), ("batch", 4), ("layer", 1)])
def test_a_number_is_the_mean_over_the_seeds_of_its_rate(norm: str, size: int, rate: float) -> None:
    figure = got_to("done")
    errors = point(norm, size, 40, 4).values["validation error"]
    of_rate = torch.tensor(errors[:2] if rate == 0.01 else errors[2:], dtype=torch.float64)
    state = figure.state_at(step=40, learning_rate=rate)
    line = figure.lookup(f"{norm} {size} error", state)
    assert_close(10 ** line[1], 100 * of_rate.mean(), check_dtype=False, rtol=1e-3, atol=0)


def test_a_band_that_has_not_ended_is_closed_where_it_has_got_to() -> None:
    figure = got_to("half")
    state = figure.state_at(learning_rate=0.01)
    low, high, places = (
        figure.lookup(f"batch 4 error {what}", state) for what in (LOW, HIGH, "until steps")
    )
    assert places.tolist() == [20, 40, 40, 40, 40]
    assert_close(high[2:], high[1].expand(3))
    assert (low < high).all()
    assert figure.lookup(f"layer 4 error {LOW}", state).isnan().all()


def test_a_line_ends_with_a_cross_where_its_first_run_diverges() -> None:
    figure = got_to("diverged")
    state = figure.state_at(learning_rate=0.01)  # of the first two runs
    line = figure.lookup("layer 4 error", state)
    assert line.isfinite().tolist() == [True, False, False, False, False]
    cross, place = (figure.lookup(f"4 error lost{axis}", state) for axis in ("", " steps"))
    at = ASKED.norms.index("layer")
    assert (float(place[at]), float(cross[at])) == (20.0, pytest.approx(float(line[0])))
    assert cross.isfinite().sum() == 1
    other = figure.state_at(learning_rate=0.001)
    assert figure.lookup("layer 4 error", other).isfinite().all()
    assert figure.lookup("4 error lost", other).isnan().all()


@pytest.mark.slow
@pytest.mark.parametrize("measure", RUN_METRICS, ids=lambda m: m.key)
def test_the_norm_that_is_said_to_be_ahead_has_the_lowest_mean(measure: RunMetric) -> None:
    figure = built("lab", "yours")
    runs = load_trainings([OWN["digits"].result], EXPERIMENTS["digits"])
    for size, step in ((128, 2000), (4, 300)):
        state = figure.state_at(batch_size=size, step=step, measure=measure.key)
        means = runs.values[measure.name][:, runs.sizes.index(size), 0].mean(1)
        means = means[:, runs.steps.index(step)].nan_to_num(math.inf)
        leader = figure.tensors["leader"].words[int(figure.lookup("leader", state))]
        assert leader == runs.rows[int(means.argmin())].label
        assert_close(
            figure.lookup("leads", state),
            measure.in_format(means.min()),
            check_dtype=False,
            rtol=1e-4,
            atol=1e-4,
        )


@pytest.mark.parametrize(("size", "step"), [(128, 2000), (128, 50), (4, 2000), (4, 800)])
def test_norms_whose_ranges_overlap_with_the_leaders_are_not_ranked(size: int, step: int) -> None:
    figure = built("lab", "yours")
    runs = load_trainings([OWN["digits"].result], EXPERIMENTS["digits"])
    seeds = runs.values["validation_error"][:, runs.sizes.index(size), 0]
    seeds = seeds[..., runs.steps.index(step)].tolist()
    leader = min(seeds, key=lambda values: sum(values))
    alike = [
        (row.label, sum(values) / len(values))
        for row, values in zip(runs.rows, seeds, strict=True)
        if min(values) <= max(leader)
    ]
    state = figure.state_at(batch_size=size, step=step)
    text = figure.tensors["alike"].words[int(figure.lookup("alike", state))]
    without = "networks without a norm"
    labels = [label for label, _ in alike if label != "no norm"]
    labels += [without] * (len(labels) < len(alike))
    assert text == join_words(labels)
    trails = float(figure.lookup("trails", state))
    assert trails == pytest.approx(max(mean for _, mean in alike), abs=1e-3)
    assert (step == 50) == (without not in text) or (size, step) == (4, 800)


def test_ranges_that_do_not_overlap_leave_one_norm_ahead() -> None:
    runs = load_trainings([OWN["sequences"].result], EXPERIMENTS["sequences"])
    figure = built("lab", "yours", ("run", "sequences"))
    lows, highs = runs.values["validation_error"][:, -1, 0].aminmax(dim=1)
    leaders = runs.values["validation_error"][:, -1, 0].mean(1).argmin(0)
    reach = highs.gather(0, leaders[None])
    is_apart = (lows <= reach).sum(0) == 1
    assert is_apart.any()
    for step, apart in zip(runs.steps, is_apart.tolist(), strict=True):
        state = figure.state_at(batch_size=runs.sizes[-1], step=step)
        assert bool(figure.lookup("alike", state).isnan()) == apart


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OWN])
def test_the_task_is_told_with_the_size_of_what_it_is_measured_on(name: str) -> None:
    figure = built("lab", "yours", ("run", name))
    count = EXPERIMENTS[name].data().validation.targets.numel()
    (note,) = [text for text in texts(figure) if "*validation error* is" in text]
    assert re.search(rf"\b(on|for) {count:,} (images|characters)\b", note)


def test_a_transformers_baseline_is_what_counting_characters_gives() -> None:
    data = EXPERIMENTS["text"].data()
    seen = torch.cat([data.train.x[:, 0], data.train.x[-1, 1:], data.train.targets[-1, -1:]])
    following = data.validation.targets
    chances = (seen.bincount(minlength=len(alphabet())) + 1.0).double()
    loss = -(chances / chances.sum()).log()[following].mean()
    error = (following != seen.mode().values).double().mean()
    (note,) = [t for t in texts(built("lab", "yours", ("run", "text"))) if "how frequent" in t]
    assert f"a loss of {loss:.2f} nats and an error of {100 * error:.0f}%" in note


@pytest.mark.parametrize(("size", "step"), [(1, 20), (4, 90)])
def test_the_norm_with_the_largest_numbers_in_the_last_layer_is_named(size: int, step: int) -> None:
    figure = got_to("done")
    state = figure.state_at(show="inside", batch_size=size, step=step, learning_rate=0.01)
    ends = {
        norm: sum(point(norm, size, step, 4).values["scales"]["activations"]["6"][:2]) / 2
        for norm in ("none", "batch", "layer")
        if (norm, size) != ("batch", 1)
    }
    expected = max(ends, key=lambda norm: ends[norm])
    labels = {"none": "no norm", "batch": "BatchNorm", "layer": "LayerNorm"}
    named = figure.tensors["largest with"].words[int(figure.lookup("largest with", state))]
    assert named == labels[expected]
    assert float(figure.lookup("largest", state)) == pytest.approx(ends[expected], rel=1e-3)


@pytest.mark.parametrize("name", [name for name in STATES if name not in ("nothing", "begun")])
def test_runs_have_a_live_title_in_every_part(name: str) -> None:
    figure = got_to(name)
    for part in ("curves", "reached", "inside"):
        assert len(findings(figure, figure.state_at(show=part))) == 1, part


def test_a_first_comparison_is_of_two_norms_in_small_batches_and_short() -> None:
    for experiment in RUN.form["experiments"]:
        first = experiment["default"]
        assert len(first["norms"]) == 2
        assert set(first["norms"]) <= {norm["key"] for norm in experiment["norms"]}
        assert (len(first["batch_sizes"]), first["steps"]) == (1, 400)
        assert first["steps"] // first["every"] >= 10


def test_a_divergence_is_told_with_the_number_of_runs() -> None:
    figure = got_to("diverged")
    state = figure.state_at(learning_rate=0.01, step=60, batch_size=4)
    assert float(figure.lookup("layer 4 lost", state)) == 1
    (told,) = [text for text in texts(figure, state) if "had diverged" in text]
    assert "runs with LayerNorm at batch size 4" in told
    before = figure.state_at(learning_rate=0.001, step=60, batch_size=1)
    (told_of_one,) = [text for text in texts(figure, before) if "had diverged" in text]
    assert "runs with no norm at batch size 1" in told_of_one


@pytest.mark.parametrize("wanted", [2.0, 5.01, 10.0, 30.2])
def test_steps_to_an_error_are_those_of_a_plain_count(wanted: float) -> None:
    figure = got_to("half")
    cells = list(product(ASKED.norms, (1, 4)))
    for (cell, (norm, size)), (at, rate) in product(enumerate(cells), enumerate((0.01, 0.001))):
        runs = []
        for run in (2 * at, 2 * at + 1):
            found = STATES["half"].group(norm, size)
            errors = ((p.step, 100 * p.values["validation error"][run]) for p in found if p.step)
            runs.append(next((step for step, error in errors if error <= wanted), math.inf))
        state = figure.state_at(error_to_reach=wanted, learning_rate=rate, group=cell)
        expected = median(runs) if max(runs) < math.inf else math.nan
        shown_there = float(figure.lookup("median", state))
        assert shown_there == pytest.approx(expected, nan_ok=True)
        in_table = float(figure.lookup("median of all", state)[cell])
        assert in_table == pytest.approx(expected, nan_ok=True)
        assert float(figure.lookup("missing", state)) == runs.count(math.inf)


def test_a_median_of_an_even_number_lies_between_the_two_in_the_middle() -> None:
    values = torch.tensor([[4.0, 1.0, 3.0, 9.0], [1.0, math.inf, 2.0, math.inf]])
    assert middle(values).tolist() == [3.5, math.inf]
    assert middle(values[:, :3]).tolist() == [3.0, 2.0]


def test_groups_that_have_not_ended_have_no_test_error_and_a_dash() -> None:
    figure = got_to("half")  # the two without a norm have ended, BatchNorm has not
    steps, _, tested = (v for row in figure.views for v in row if isinstance(v, Grid))
    assert steps.words == ("", "", "–", "", "–", "–")
    assert tested.words == ("", "", "–", "–", "–", "–")
    state = figure.state_at(learning_rate=0.01)
    errors = figure.lookup("tested of all", state)
    assert_close(errors[:2], torch.tensor([2.5, 5.5]), check_dtype=False)
    assert errors[2:].isnan().all()


@pytest.mark.parametrize(("cell", "words"), [(0, "wrongly at the end"), (3, "no test error")])
def test_what_is_said_of_a_cell_is_said_of_its_group(cell: int, words: str) -> None:
    figure = got_to("half")
    state = figure.state_at(show="reached", learning_rate=0.01, group=cell)
    assert any(words in text for text in texts(figure, state))
    (finding,) = findings(figure, state)
    assert (" so far" in finding.text) == (cell == 3)


@pytest.mark.parametrize("rate", [0.001, 0.01])
def test_a_scale_is_the_mean_over_the_seeds(rate: float) -> None:
    figure = got_to("done")
    state = figure.state_at(step=90, batch_size=1, learning_rate=rate)
    found = point("layer", 1, 90, 4).values["scales"]
    runs = slice(0, 2) if rate == 0.01 else slice(2, 4)

    def mean(kind: str) -> torch.Tensor:
        return torch.tensor([values[runs] for values in found[kind].values()]).mean(1)

    for kind in ("activations", "gradients"):
        drawn = figure.lookup(f"layer {kind}", state)
        assert_close(10**drawn, mean(kind), check_dtype=False, rtol=1e-4, atol=0)
    assert_close(figure.lookup("layer gains", state), mean("gains"), check_dtype=False)
    assert_close(
        figure.lookup("layer bias_spreads", state), mean("bias spreads"), check_dtype=False
    )
    low, high, gap = figure.lookup("layer gains band", state).unflatten(-1, (-1, 3)).unbind(-1)
    assert_close((high - low) / 2, mean("gain spreads"), check_dtype=False)
    assert gap.isnan().all()


@pytest.mark.parametrize("name", OWN)
def test_the_layers_of_a_stored_record_have_names_in_words(name: str) -> None:
    figure = built("lab", "yours", *([("run", name)] if name != RUN.start else []))
    charts = [v for row in figure.views for v in row if hasattr(v, "figure")]
    labels = {label for chart in charts[-4:] for label in chart.figure.layout.xaxis.ticktext or ()}
    assert labels
    assert not any("." in label or label.isdigit() for label in labels)


def test_the_numbers_of_the_last_norm_are_drawn_last() -> None:
    figure = built("lab", "yours", ("run", "text"))
    at = {"norm": "layer", "batch_size": 8, "rate": 0.003, "gain": "transformer.final_norm"}
    last = OWN_TEXT.result.tensor("gains", "step", **at)[-1]
    state = figure.state_at(batch_size=8, step=500)
    assert_close(figure.lookup("layer gains", state)[-1], last, check_dtype=False)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("done", "All runs ended"),
        ("half", "Of 5 groups (the runs of one norm at one batch size), 2 have ended."),
        ("half", "In progress: BatchNorm at batch size 4 (last measured at step 40)."),
        ("first", "In progress: no norm at batch size 4 (last measured at step 20)."),
        ("nothing", "Groups without a measurement yet: 5."),
        ("one of all", "All runs ended after 90 steps."),
    ],
)
def test_it_is_said_how_far_the_runs_are(name: str, words: str) -> None:
    assert any(words in text for text in texts(got_to(name)))


@pytest.mark.parametrize("name", ["nothing", "begun"])
def test_runs_without_a_measurement_are_a_figure_that_says_so(name: str) -> None:
    figure = got_to(name)
    assert figure.controls == ()
    assert any(text.startswith("No measurement yet") for text in texts(figure))
    assert any(text.startswith("Experiment: A fully connected network") for text in texts(figure))


@pytest.mark.parametrize(("name", "is_one"), [("one seed", True), ("done", False)])
def test_one_seed_alone_is_said_to_show_no_spread(name: str, is_one: bool) -> None:
    figure = got_to(name)
    assert any("One seed shows no spread" in text for text in texts(figure)) == is_one
    charts = [view.title for row in figure.views for view in row if isinstance(view, Chart)]
    assert any("mean and range of 2 seeds" in title for title in charts) != is_one


def test_a_control_with_one_position_is_left_out() -> None:
    names = {control.name for control in got_to("one of all").controls}
    assert not names & {"step", "batch size", "learning rate"}


def test_of_many_measurements_some_are_shown_and_the_last_one_is() -> None:
    steps = load_trainings([to_result(STATES["many points"])], EXPERIMENTS["digits"]).steps
    assert len(steps) <= reading.MOST
    assert steps[-1] == 2000
    assert set(steps[:-1]) <= set(range(3, 2000, 3))


def test_a_job_that_is_not_there_is_gone_and_the_stored_runs_are_nearest() -> None:
    with pytest.raises(ExpiredDataError, match="does not have these runs") as error:
        of(None)
    assert error.value.nearest == {"run": "digits"}


def test_a_database_that_does_not_answer_is_said_and_the_stored_runs_are_nearest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(_: str) -> None:
        raise StoreError("The database of trainings cannot be used.")

    monkeypatch.setattr(run_repository, "find_record", away)
    with pytest.raises(ParameterError, match="cannot be used") as error:
        build(JOB)
    assert error.value.nearest == {"run": "digits"}


def test_a_job_of_an_experiment_that_is_not_there_is_gone() -> None:
    unknown = replace(ASKED, experiment="tea leaves")
    with pytest.raises(ExpiredDataError, match="does not have the experiment of these runs"):
        of(replace(STATES["done"], specification=unknown))


@pytest.mark.parametrize(
    "value", ["job.", "job.x", JOB + "0", JOB.upper(), "../digits", "tea", "job.%00", "job.'; --"]
)
def test_hostile_values_are_refused_before_anything_is_looked_for(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_repository, "find_record", lambda job: pytest.fail(f"looked for {job}"))
    with pytest.raises(ParameterError) as error:
        FIGURE.parse({"run": value})
    assert error.value.nearest == {"run": "digits"}


@pytest.mark.parametrize("offered", RUN.form["experiments"], ids=lambda offered: offered["name"])
def test_the_form_offers_what_an_experiment_takes(offered: Mapping[str, Any]) -> None:
    experiment = EXPERIMENTS[offered["name"]]
    assert [norm["key"] for norm in offered["norms"]] == list(experiment.norms)
    assert offered["reads_file"] == (experiment.load_file is not None)
    # A file would bring its cases: those of the digits stand for them.
    with_cases = replace(experiment, data=EXPERIMENTS["digits"].data)
    for rate in offered["rates"]:
        with_cases.check(
            TrainingSpec(
                experiment=offered["name"],
                norms=experiment.norms,
                batch_sizes=tuple(offered["batch_sizes"]),
                rates=(rate,),
                seeds=(0,),
                steps=10,
                head=offered["heads"][-1],
                placement=offered["placements"][-1]["key"] if offered["placements"] else "",
                layers=offered["max_layers"],
            )
        )


def test_the_form_offers_the_rates_of_the_table_of_failures() -> None:
    (offered,) = [each for each in RUN.form["experiments"] if each["placements"]]
    assert set(WARMUP.default.rates) <= set(offered["rates"])
    assert WARMUP.default.batch in offered["batch_sizes"]
    assert WARMUP.default.layers <= offered["max_layers"]


def test_every_experiment_is_offered() -> None:
    assert [offered["name"] for offered in RUN.form["experiments"]] == list(EXPERIMENTS)
