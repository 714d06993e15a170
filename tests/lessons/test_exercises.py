"""What the exercises say holds: their numbers are computed here, and their goals can be reached."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

from lnviz.book import find_page
from lnviz.book.export.inventory import FigureInventory
from lnviz.explorable import Slider
from lnviz.lessons import LESSONS, Exercise, FigureGoal, Lesson, NumberExercise, OrderExercise
from lnviz.lessons.data_parameters import load_examples
from lnviz.lessons.exercises import Range
from lnviz.norms import BATCH, INSTANCE, LAYER, Norm, group_norm, normalize
from lnviz.topics.cost.traffic import unfused_traffic
from lnviz.topics.paper import CAPTIONS, DRAW
from lnviz.topics.successors.timeline import SUCCESSORS
from tests.lessons.running import built, document

Document = Mapping[str, Any]

CASE = np.array([1.0, 2.0, 3.0, 6.0])

GAIN, BIAS = 2.0, -1.0
LOGITS = torch.tensor([1000.0, *[0.0] * 9])


LIST = 3 + 4 * np.array([1.0, -1.0])  # mean 3, standard deviation 4
RMS_OF_LIST = np.sqrt((LIST**2).mean())
BASELINE, LN = (float(row[0] or 0) for row in DRAW.rows)
RANKS = [float(CAPTIONS.rows[CAPTIONS.at(model)][3] or 0) for model in ("oe", "ours", "ln")]


def turned(before: npt.NDArray[Any], after: npt.NDArray[Any]) -> float:
    """Degrees between two lists."""
    cosine = before @ after / np.linalg.norm(before) / np.linalg.norm(after)
    return float(np.degrees(np.arccos(min(cosine, 1.0))))


def least(holds: Callable[[int], bool]) -> int:
    """The smallest whole number of which it holds."""
    return next(number for number in count() if holds(number))


def running(momentum: float, *means: float) -> float:
    """A running mean from 0 on."""
    return reduce(lambda old, new: (1 - momentum) * old + momentum * new, means, 0.0)


def shared(norm: Norm, images: int, channels: int, side: int) -> int:
    """How many numbers of a tensor share the mean of the first."""
    groups = norm.groups((images, channels, side, side), "NCHW")
    return int((groups == groups[0, 0, 0, 0]).sum())


def passes() -> npt.NDArray[Any]:
    """How often LayerNorm, written out, reads the tensor, and writes one."""
    return np.sum([each.passes for each in unfused_traffic("layer").forward], axis=0)


COMPUTED: dict[tuple[str, str], Callable[[], Iterable[float]]] = {
    ("axes", "deviation"): lambda: (
        CASE.std(),
        CASE.var(),
        CASE.std(ddof=1),
        np.sqrt((CASE**2).mean()),
        CASE.mean(),
    ),
    ("why", "layers"): lambda: (
        least(lambda layers: 1.1**layers > 100),
        least(lambda layers: 1 + Fraction(layers, 10) > 100),
        least(lambda layers: 1.1**layers > 100) - 1,
    ),
    ("gain-bias", "threshold"): lambda: (-BIAS / GAIN, BIAS / GAIN, -BIAS, -GAIN / BIAS),
    ("batch", "running"): lambda: (
        running(0.1, 5, 5),
        running(0.9, 5, 5),
        running(0.1, 5),
        0.1 * 5 + 0.1 * 5,
    ),
    ("batch", "scatter"): lambda: (np.sqrt(64 / (64 / 16)), 64 / (64 / 16), np.sqrt(4 / 64)),
    ("images", "group"): lambda: (
        shared(group_norm(4), 8, 16, 4),
        shared(LAYER, 8, 16, 4),
        shared(INSTANCE, 8, 16, 4),
        8 * shared(group_norm(4), 8, 16, 4),
        shared(BATCH, 8, 16, 4),
    ),
    ("invariance", "fade"): lambda: (
        np.sqrt(0.01**2 / (0.01**2 + 1e-4)),
        0.01**2 / (0.01**2 + 1e-4),
        0.01,
        1,
    ),
    ("invariance", "cap"): lambda: (
        float(normalize(LOGITS, -1, eps=0).y.softmax(-1)[0]),
        float(LOGITS.softmax(-1)[0]),
        1 / len(LOGITS),
    ),
    ("geometry", "pythagoras"): lambda: (np.hypot(3, 4), 3 + 4, 3**2 + 4**2, 3),
    ("geometry", "rate"): lambda: (0.5 / 2**2, 0.5 / 2, 0.5 * 2**2),
    ("recurrence", "half"): lambda: (
        least(lambda steps: 0.98**steps < 0.5),
        least(lambda steps: 1 - 0.02 * steps < 0.5),
        least(lambda steps: 0.98**steps < 0.5) - 1,
    ),
    ("placement", "norms"): lambda: (2 * 24 + 1, 2 * 24, 24 + 1, 4 * 24 + 1),
    ("placement", "ninth"): lambda: (9**-0.5, 1 / 9, 1, 9**0.5),
    ("inside", "massive"): lambda: (1024**0.5, 1024, 1),
    ("inside", "moved"): lambda: (0.02 * 5, 5 / 0.02, 5),
    ("inside", "unread"): lambda: (40 * 0.1, 0.1, 0.1 / 40, 40),
    ("rmsnorm", "size"): lambda: (RMS_OF_LIST, 3 + 4, LIST.std(), RMS_OF_LIST**2),
    ("rmsnorm", "angle"): lambda: (
        turned(LIST, LIST - LIST.mean()),
        np.degrees(np.arccos(LIST.mean() / RMS_OF_LIST)),
        LIST.mean() / RMS_OF_LIST,
        turned(LIST, LIST / RMS_OF_LIST),
    ),
    ("cost", "bytes"): lambda: (
        2 * 2 * 2048 * 4096 / 1e6,
        2 * 2048 * 4096 / 1e6,
        2 * 4 * 2048 * 4096 / 1e6,
        2 * 16 * 2048 * 4096 / 1e6,
    ),
    ("cost", "written-out"): lambda: (sum(passes()) / 2, sum(passes()), passes()[0]),
    ("successors", "doubled"): lambda: (
        np.tanh(0.5 * 4),
        np.tanh(0.5 * 2),
        2 * np.tanh(0.5 * 2),
        0.5 * 4,
    ),
    ("results", "axis"): lambda: (2 * LN - BASELINE, 82, (LN + BASELINE) / 2),
    ("results", "part"): lambda: (
        100 * (RANKS[1] - RANKS[2]) / (RANKS[0] - RANKS[2]),
        100 * (RANKS[0] - RANKS[1]) / (RANKS[0] - RANKS[2]),
        100,
    ),
    ("lab", "seen"): lambda: (2000 * 4 / 1000, 2000 * 128 / 1000, 2000 * 4),
}
"""For each number: the right one, then the wrong ones in their order."""

NUMBERS = [
    pytest.param(lesson, each, id=f"{lesson.slug}-{each.name}")
    for lesson in LESSONS
    for each in lesson.exercises
    if isinstance(each, NumberExercise)
]
GOALS = [
    pytest.param(lesson, each, id=f"{lesson.slug}-{each.name}")
    for lesson in LESSONS
    for each in lesson.exercises
    if isinstance(each, FigureGoal)
]


def asked_of(slug: str) -> tuple[Exercise, ...]:
    """The exercises of a lesson."""
    lesson = find_page(slug)
    assert lesson is not None
    return lesson.exercises


def test_every_number_is_computed_and_no_other() -> None:
    asked = [(lesson.slug, each) for lesson in LESSONS for each in lesson.exercises]
    named = {(slug, each.name) for slug, each in asked if isinstance(each, NumberExercise)}
    assert named == set(COMPUTED)


@pytest.mark.parametrize(("lesson", "asked"), NUMBERS)
def test_a_number_is_what_computing_it_gives(lesson: Lesson, asked: NumberExercise) -> None:
    right, *wrong = COMPUTED[lesson.slug, asked.name]()
    digit = 10.0 ** int(Decimal(asked.right_text.replace("−", "-").replace(",", "")).as_tuple()[2])
    assert abs(right - asked.right) <= digit / 2
    assert len(wrong) == len(asked.mistakes)
    for computed, typical in zip(wrong, asked.mistakes, strict=True):
        assert abs(computed - typical.value) <= asked.tolerance


@pytest.mark.slow
@pytest.mark.parametrize(("lesson", "asked"), GOALS)
def test_a_goal_is_not_reached_at_the_start(lesson: Lesson, asked: FigureGoal) -> None:
    found = document(lesson.slug, asked.figure)
    start = {c["slug"]: texts(c)[c["start"]] for c in found["controls"] if c["kind"] != "pointer"}
    start |= {p["name"]: str(p["value"]) for p in found["parameters"]}
    assert not all(
        any(holds(one, start.get(name)) for one in allowed)
        for name, allowed in asked.conditions.items()
    )


@pytest.mark.slow
@pytest.mark.parametrize(("lesson", "asked"), GOALS)
def test_a_goal_can_be_reached_in_the_app_and_in_the_export(
    lesson: Lesson, asked: FigureGoal
) -> None:
    figure = lesson.figure(asked.figure)
    assert figure is not None
    stored = [each.values for each in FigureInventory(lesson.slug, figure).payloads]
    query = {}
    for parameter in figure.parameters:
        for value in asked.conditions.get(parameter.name, ()):
            assert isinstance(value, str)
            query[parameter.name] = value
    values = figure.parse(query)
    assert values in stored
    controls = document(lesson.slug, asked.figure, *query.items())["controls"]
    known = {control["slug"]: control for control in controls}
    assert set(asked.conditions) == {*query, *(set(known) & set(asked.conditions))}
    there = {
        known[n]["name"]: positions(known[n], asked.conditions[n])
        for n in asked.conditions
        if n in known
    }
    assert all(there.values())
    for name in set(known) & set(asked.conditions):
        for other, shown in known[name].get("when", {}).items():
            assert set(there.get(other, shown)) & set(shown), f"{name} cannot be seen there"


def positions(control: Document, allowed: Iterable[str | Range]) -> list[int]:
    """Where a control meets a condition; each value that is named is one of its own."""
    found = [[at for at, text in enumerate(texts(control)) if holds(one, text)] for one in allowed]
    assert all(found), (control["slug"], allowed)
    return [at for each in found for at in each]


def texts(control: Document) -> list[str]:
    """A control's values as an address has them."""
    if control["kind"] == "pointer":
        rows, columns = range(len(control["rows"])), range(len(control["columns"]))
        return [f"{row + 1}.{column + 1}" for row in rows for column in columns]
    return [str(value).removesuffix(".0") for value in control["values"]]


def holds(one: str | Range, text: str | None) -> bool:
    if text is None or isinstance(one, str):
        return text == one
    return one[0] <= float(text) <= one[1]


def test_of_two_cases_batch_norm_makes_1_and_minus_1_whatever_they_were() -> None:
    x = load_examples("worked", 0, units=6).values[:2]
    made = normalize(x, 0).x_hat
    assert (made.abs() - 1).abs().max() < 0.01
    assert torch.equal(normalize(x, 1).x_hat[0], normalize(x[:1], 1).x_hat[0])


def test_without_the_fourth_case_batch_norm_alone_puts_out_something_else() -> None:
    x = load_examples("worked", 0, units=6).values
    assert torch.equal(normalize(x, 1).x_hat[:3], normalize(x[:3], 1).x_hat)
    assert (normalize(x, 0).x_hat[:3] - normalize(x[:3], 0).x_hat).abs().max() > 0.1


def test_without_a_norm_the_size_is_about_kept_in_the_goals_window_alone() -> None:
    figure = built("why", "depth")
    growth = figure.tensors["none size after"].values / figure.tensors["size before"].values
    (goal,) = [each for each in asked_of("why") if isinstance(each, FigureGoal)]
    (ends,) = goal.conditions["weight-scale"]
    scale, nonlinearity = figure.controls
    assert isinstance(scale, Slider)
    for value, factor in zip(scale.values, growth[nonlinearity.start_index].tolist(), strict=True):
        assert (0.5 < factor < 2) == holds(ends, str(value)), value


def test_the_norms_of_images_stand_in_the_order_of_the_numbers_they_share() -> None:
    norms = (INSTANCE, replace(LAYER, shared_axes="C"), group_norm(4), BATCH, LAYER)
    assert [shared(norm, 16, 32, 4) for norm in norms] == [16, 32, 128, 256, 512]


def test_case_2_fades_at_a_small_scale_and_a_large_epsilon() -> None:
    figure = built("invariance", "case-scale")
    row = figure.tensors["layer"].values[..., 6:12].norm(dim=-1)
    scale, epsilon = figure.controls[:2]
    assert isinstance(scale, Slider)
    assert isinstance(epsilon, Slider)
    small = [at for at, value in enumerate(scale.values) if value <= 0.02]
    large = [at for at, value in enumerate(epsilon.values) if value >= 0.05]
    assert (row[small][:, large] < 0.1 * row[scale.start_index, epsilon.start_index]).all()


def test_one_unit_with_longer_weights_moves_all_outputs_under_layer_norm_alone() -> None:
    sums = load_examples("worked", 0, units=6).values
    longer = sums * torch.tensor([3.0, 1, 1, 1, 1, 1])
    layer, batch = (normalize(longer, over).x_hat - normalize(sums, over).x_hat for over in (1, 0))
    assert (layer.abs().amax(0) > 0.01).all()
    assert batch.abs().max() < 1e-3


def test_ten_logits_behind_layer_norm_are_no_surer_than_the_exercise_says() -> None:
    drawn = torch.randn(1000, 10, generator=torch.Generator().manual_seed(0)).exp() ** 3
    y = normalize(drawn, -1, eps=0).y.double()
    top, bound = y.amax(-1), normalize(LOGITS, -1, eps=0).y.softmax(-1)[0]
    # The others have mean -top / 9, so by Jensen's inequality at least this sum of exponentials.
    most = 1 / (1 + 9 * (-top * 10 / 9).exp())
    assert (y.softmax(-1).amax(-1) <= most + 1e-6).all()
    # The bound grows with the top, and of ten values with mean 0 and mean square 1 none exceeds 3.
    assert (top <= 3 + 1e-5).all()
    assert 1 / (1 + 9 * math.exp(-3 * 10 / 9)) == pytest.approx(float(bound), abs=1e-6)


def test_a_gain_of_minus_one_turns_the_signs_and_leaves_mean_and_deviation() -> None:
    y = normalize(torch.tensor(CASE), -1, gain=-1.0).y
    assert torch.equal(y, -normalize(torch.tensor(CASE), -1).x_hat)
    assert float(y.mean()) == pytest.approx(0, abs=1e-6)
    assert float(y.std(correction=0)) == pytest.approx(1, abs=1e-4)


def test_a_factor_of_0_002_more_decides_about_a_hundred_times() -> None:
    assert pytest.approx(90, abs=0.5) == 1.046**100
    assert pytest.approx(109, abs=0.5) == 1.048**100


def test_the_proposals_are_ordered_by_the_years_that_are_named() -> None:
    years = {each.label: each.day.year for each in SUCCESSORS} | {"LayerNorm": 2016}
    (order,) = [each for each in asked_of("successors") if isinstance(each, OrderExercise)]
    assert [years[item.text] for item in order.items] == [2016, 2019, 2020, 2025]


def test_the_mean_alone_is_what_a_detached_variance_takes_out_of_a_gradient() -> None:
    x = torch.tensor(CASE, requires_grad=True)
    mean, deviation = x.mean(), x.std(correction=0).detach()
    y = (x - mean) / deviation
    parallel = y.detach()
    (found,) = torch.autograd.grad(y, x, 2 * torch.ones_like(x) + parallel)
    assert torch.allclose(found, parallel / deviation)


def test_bars_from_80_on_look_less_than_nine_tenths_as_high_though_the_numbers_are_close() -> None:
    assert (LN - 80) / (BASELINE - 80) < 0.9 < (LN - 79.5) / (BASELINE - 79.5)
    assert pytest.approx(0.003, abs=0.0005) == (BASELINE - LN) / BASELINE


def test_a_difference_of_4_nats_is_a_factor_of_55_and_one_of_a_tenth_is_1_1() -> None:
    assert np.exp(0.1).round(1) == 1.1
    assert np.exp(4.0).round() == 55
