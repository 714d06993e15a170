"""A run from a file is accepted up to each of its bounds, and refused beyond it."""

from dataclasses import replace

import pytest
import torch

from lnviz.diagnostics import NormWatcher, schema
from lnviz.diagnostics.schema import validate
from lnviz.results.arrays import ArrayDataset, NamedArray
from tests.diagnostics.models import Reader, read


@pytest.fixture(scope="module")
def result():
    with NormWatcher(Reader(1)) as watched:
        read(watched.model).backward()
    return watched.run.result


def with_values(result, name, change):
    """The arrays, the first value of one of them changed."""
    values = result.arrays[name].values.clone()
    values.view(-1)[0] = change(values) if callable(change) else change
    array = NamedArray(result.arrays[name].dims, values)
    return ArrayDataset(result.axes, {**result.arrays, name: array})


def renamed(result, names):
    return ArrayDataset({**result.axes, "norm": names}, result.arrays)


def test_a_run_as_it_was_saved_is_valid(result):
    validate(result.specification, result)


BOUNDS = [
    ("call", 1, 0),
    ("call", 2**31, 2**31 + 1),
    ("pass", 0, -1),
    ("pass", 2**31, 2**31 + 1),
    ("training", 1, 2),
    ("training", 0, -1),
    ("frozen", 1, 2),
    ("frozen", 0, -1),
    ("batch", 0, -1),
    ("batch", 2**31, 2**31 + 1),
    ("size", 1, 0),
    ("size", 2**24, 2**24 + 1),
    ("format", 0, -1),
    ("format", 3, 4),
    ("gains_norm", 0, -1),
    ("gains_norm", 2, 3),
    ("biases_norm", 0, -1),
    ("biases_norm", 2, 3),
]


@pytest.mark.parametrize(("name", "inside", "beyond"), BOUNDS)
def test_whole_numbers_are_held_to_their_bounds(result, name, inside, beyond):
    validate(result.specification, with_values(result, name, inside))
    with pytest.raises(ValueError, match=f"^{name} is not a whole number from"):
        validate(result.specification, with_values(result, name, beyond))


@pytest.mark.parametrize("beyond", [-1, 3])
def test_a_row_is_of_a_norm_that_there_is(result, beyond):
    with pytest.raises(ValueError, match=r"^norm is not a whole number from 0 to 2"):
        validate(result.specification, with_values(result, "norm", beyond))


def test_every_norm_was_called(result):
    rows = result.arrays["norm"].values
    assert rows.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="a norm that was not called"):
        validate(result.specification, with_values(result, "norm", 1))


@pytest.mark.parametrize(("name", "dtype"), [("call", torch.float32), ("x_rms", torch.int64)])
def test_numbers_are_of_their_kind(result, name, dtype):
    array = NamedArray(("row",), result.arrays[name].values.to(dtype))
    with pytest.raises(ValueError, match=f"^{name} is not a"):
        validate(result.specification, ArrayDataset(result.axes, {**result.arrays, name: array}))


SPECIFICATIONS = [
    ("model", "m" * 256, "m" * 257, "a name is not a text"),
    ("classes", ("c" * 256,) * 3, ("c" * 257, "c", "c"), "a description of a norm is not a text"),
    ("classes", ("c",) * 3, ("c",) * 2, "does not describe every norm"),
    ("classes", ("c",) * 3, ["c"] * 3, "does not describe every norm"),
    ("gains", ("g",) * 3, (1, "g", "g"), "a description of a norm is not a text"),
    ("kinds", ("rms", "group", "batch"), ("rms", "group", "other"), "a norm's kind is none of"),
    ("axes", ("", "tokens", "rows"), ("", "tokens", "other"), "a wrong axis is none of"),
    ("over", ((-8,), (8,), (-1, 0)), ((-9,), (8,), (-1,)), "dimensions are not whole numbers"),
    ("over", ((-8,), (8,), (-1, 0)), ((-8,), (9,), (-1,)), "dimensions are not whole numbers"),
    ("over", ((-1,),) * 3, ((), (-1,), (-1,)), "dimensions are not whole numbers"),
    ("over", ((-1,),) * 3, ((True,), (-1,), (-1,)), "dimensions are not whole numbers"),
    ("groups", (0, 1, 2**24), (0, 1, 2**24 + 1), "number of groups is out of range"),
    ("groups", (0, 1, 2), (-1, 1, 2), "number of groups is out of range"),
]


@pytest.mark.parametrize(("field", "inside", "beyond", "says"), SPECIFICATIONS)
def test_a_specification_is_held_to_its_bounds(result, field, inside, beyond, says):
    validate(replace(result.specification, **{field: inside}), result)
    with pytest.raises(ValueError, match=says):
        validate(replace(result.specification, **{field: beyond}), result)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("a", "b", "n" * 257), "a name is not a text"),
        (("a", "b", 3), "a name is not a text"),
        (("a", "b", "a"), "it lists a norm twice"),
    ],
)
def test_names_of_norms_are_short_and_distinct(result, names, says):
    validate(result.specification, renamed(result, ("a", "b", "n" * 256)))
    with pytest.raises(ValueError, match=says):
        validate(result.specification, renamed(result, names))


def test_norms_and_gains_are_as_many_as_can_be_drawn(result, monkeypatch):
    monkeypatch.setattr(schema, "MAX_NORMS", 3)
    monkeypatch.setattr(schema, "MAX_PADDED_GAINS", 3 * 64)
    validate(result.specification, result)
    monkeypatch.setattr(schema, "MAX_PADDED_GAINS", 3 * 64 - 1)
    with pytest.raises(ValueError, match="too many gains to draw"):
        validate(result.specification, result)
    monkeypatch.setattr(schema, "MAX_NORMS", 2)
    with pytest.raises(ValueError, match="it has 3 norms, more than 2"):
        validate(result.specification, result)


def test_arrays_are_those_of_a_run(result):
    fewer = {name: array for name, array in result.arrays.items() if name != "eps"}
    with pytest.raises(ValueError, match="its arrays are not those of a run"):
        validate(result.specification, ArrayDataset(result.axes, fewer))
    arrays = {
        name: NamedArray(dims, values[:, :-1] if "token" in dims else values)
        for name, (dims, values) in result.arrays.items()
    }
    axes = {**result.axes, "token": result.axes["token"][:-1]}
    with pytest.raises(ValueError, match="wrong lengths"):
        validate(result.specification, ArrayDataset(axes, arrays))
