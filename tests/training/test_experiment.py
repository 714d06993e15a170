"""Specifications: which are valid, at the bounds and one beyond them."""

from dataclasses import replace
from typing import Any

import pytest
from torch import nn

from lnviz.topics.lab import EXPERIMENTS
from lnviz.training.experiment import (
    MAX_LISTED,
    MAX_MEASUREMENTS,
    MAX_PARAMETERS,
    MAX_RUNS,
    MAX_SAMPLES,
    Experiment,
    SpecificationError,
    TrainingSpec,
)

DIGITS = EXPERIMENTS["digits"]
SMALL = replace(
    DIGITS.default, norms=("layer",), batch_sizes=(4,), seeds=(0,), steps=100_000, every=100_000
)


def is_valid(experiment: Experiment = DIGITS, **changes: Any) -> bool:
    try:
        experiment.check(replace(SMALL, **changes))
    except SpecificationError:
        return False
    return True


@pytest.mark.parametrize(
    ("field", "first", "last", "beyond"),
    [
        ("batch_sizes", 1, len(DIGITS.data().train.x), (0, len(DIGITS.data().train.x) + 1)),
        ("rates", 1e-8, 10.0, (0.0, 9e-9, 10.1)),
        ("seeds", 0, 2**31 - 1, (-1, 2**31)),
    ],
)
def test_values_of_lists_are_within_bounds(
    field: str, first: Any, last: Any, beyond: tuple[Any, ...]
) -> None:
    small = {"steps": 10}
    assert is_valid(**small, **{field: (first,)})
    assert is_valid(**small, **{field: (last,)})
    assert not any(is_valid(**small, **{field: (value,)}) for value in (*beyond, True, "4", None))
    assert not is_valid(**small, **{field: ()})
    assert not is_valid(**small, **{field: (first, first)})


@pytest.mark.parametrize("field", ["steps", "every"])
def test_numbers_of_steps_are_within_bounds(field: str) -> None:
    assert is_valid(**{field: 1 if field == "steps" else 100_000})
    assert is_valid(**{field: 100_000})
    assert is_valid(steps=10, every=1)
    assert not any(is_valid(**{field: value}) for value in (0, 100_001, 1.5, True))


def test_as_many_runs_train_together_as_are_allowed() -> None:
    rates = tuple(0.001 * n for n in range(1, 11))
    assert is_valid(steps=10, rates=rates, seeds=tuple(range(MAX_RUNS // 10)))
    assert not is_valid(steps=10, rates=rates, seeds=tuple(range(MAX_RUNS // 10 + 1)))


def test_as_many_examples_are_sampled_as_are_allowed() -> None:
    seeds, steps = (0, 1), SMALL.steps
    batch = MAX_SAMPLES // (len(seeds) * steps)
    assert is_valid(seeds=seeds, batch_sizes=(1, batch), rates=(0.1, 0.2))
    assert not is_valid(seeds=seeds, batch_sizes=(1, batch + 1), rates=(0.1, 0.2))


def test_as_many_parameters_are_trained_as_are_allowed() -> None:
    runs = 100
    each = MAX_PARAMETERS // runs
    seeds = tuple(range(runs))

    def linear(norm: str, head: str) -> nn.Module:
        return nn.Linear(each, 1, bias=False)

    def larger(norm: str, head: str) -> nn.Module:
        return nn.Linear(each + 1, 1, bias=False)

    assert is_valid(replace(DIGITS, build=linear), steps=10, seeds=seeds)
    assert not is_valid(replace(DIGITS, build=larger), steps=10, seeds=seeds)


def test_as_many_measurements_are_made_as_are_allowed() -> None:
    runs = 100
    steps = MAX_MEASUREMENTS // runs - 1  # and one at the start
    seeds = tuple(range(runs))
    assert is_valid(seeds=seeds, steps=steps, every=1)
    assert not is_valid(seeds=seeds, steps=steps + 1, every=1)
    assert is_valid(seeds=seeds, steps=2 * steps, every=2)
    assert not is_valid(seeds=seeds, steps=steps, every=1, norms=("layer", "rms"))


def test_a_warm_up_is_as_long_as_is_allowed() -> None:
    assert is_valid(steps=10, warm_up=0)
    assert is_valid(steps=10, warm_up=100_000)
    assert not any(is_valid(steps=10, warm_up=n) for n in (-1, 100_001, 0.5, True, None))


def test_placement_and_depth_are_chosen_where_there_is_a_choice() -> None:
    text = EXPERIMENTS["text"]
    small = replace(text.default, steps=10)
    for valid in ({"layers": 1}, {"layers": text.max_layers}, {"placement": "post"}):
        text.check(replace(small, **valid))  # type: ignore[arg-type]
        assert not is_valid(**valid)  # the digits have no choice
    for invalid, sentence in (
        ({"layers": text.max_layers + 1}, "A number of layers must be a whole number from 1 to 12"),
        ({"layers": -1}, "got -1"),
        ({"layers": None}, "got None"),
        ({"placement": "between"}, "has no placement between. Choose from post, pre, sandwich"),
        ({"placement": None}, "has no placement None"),
    ):
        with pytest.raises(SpecificationError, match=sentence):
            text.check(replace(small, **invalid))  # type: ignore[arg-type]
    with pytest.raises(SpecificationError, match="Leave placement and layers out"):
        DIGITS.check(replace(SMALL, layers=2))


def test_a_specification_from_before_there_was_a_choice_is_of_the_defaults() -> None:
    text = EXPERIMENTS["text"]
    document = text.default.to_dict()
    for name in ("placement", "layers", "warm_up"):
        del document[name]
    old = TrainingSpec.from_dict(document)
    text.check(old)
    assert text.architecture(old) == {"placement": "pre", "layers": 2}
    assert old.warm_up == 0


def test_a_message_lists_few_of_the_invalid_values() -> None:
    norms = tuple(f"norm-{n}" for n in range(MAX_LISTED + 1))
    with pytest.raises(SpecificationError) as found:
        DIGITS.check(replace(SMALL, norms=norms, seeds=tuple(range(-1, -8, -1))))
    assert [norm in str(found.value) for norm in norms] == [True] * MAX_LISTED + [False]
    assert "-5." in str(found.value)
    assert "-6" not in str(found.value)


def test_a_batch_of_one_is_left_out_where_a_norm_needs_more() -> None:
    both = replace(SMALL, norms=("batch", "layer"), batch_sizes=(1, 2))
    assert DIGITS.groups(both) == [("layer", 1), ("batch", 2), ("layer", 2)]
    assert DIGITS.total_steps(both) == 3 * both.steps
    assert not is_valid(steps=10, norms=("batch",), batch_sizes=(1,))


def test_a_specification_is_read_as_it_was_written_and_nothing_else_is() -> None:
    document = SMALL.to_dict()
    assert TrainingSpec.from_dict(document) == SMALL
    for wrong in (
        {name: value for name, value in document.items() if name != "norms"},
        document | {"norms": "layer"},
        document | {"more": 1},
    ):
        with pytest.raises(SpecificationError, match="not a training specification"):
            TrainingSpec.from_dict(wrong)
