import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lnviz.data.examples import digit_images
from lnviz.norms import CATALOGUE
from lnviz.topics.invariance import (
    SOURCES,
    STRENGTHS,
    TABLE_1,
    TRANSFORMATIONS,
    InvarianceTable,
    RandomData,
    measure,
)
from tests.topics.invariance.stated import EXACT, MARGIN, NO, STATED, YES, at

# Worked out as in the paper, for norms it does not treat.
DERIVED = {
    "group": [True, True, False, True, False, True],
    "scale": [True, False, False, True, False, True],
    "ada": [True, True, False, True, False, True],
    "power": [True, False, True, True, False, False],
    "dyt": [False] * 6,
    "derf": [False] * 6,
    "none": [False] * 6,
}


@pytest.fixture(scope="module", params=["identity", "relu", "tanh"])
def exact(request: pytest.FixtureRequest) -> InvarianceTable:
    return measure(activation=request.param)


@pytest.fixture(scope="module")
def in_places() -> InvarianceTable:
    return measure(data=RandomData(places=4))


@pytest.mark.parametrize(("norm", "transformation"), YES)
def test_what_the_paper_calls_invariant_is_so_to_nine_digits(
    exact: InvarianceTable, norm: str, transformation: str
) -> None:
    assert exact.change(norm, transformation) < EXACT
    assert exact.entry(norm, transformation).agrees


@pytest.mark.parametrize(("norm", "transformation"), NO)
def test_what_the_paper_calls_not_invariant_changes_visibly_at_strength_two(
    exact: InvarianceTable, norm: str, transformation: str
) -> None:
    assert at(exact, norm, transformation, 2.0) > MARGIN
    assert exact.entry(norm, transformation).agrees


@pytest.mark.parametrize("norm", DERIVED)
def test_the_rows_of_norms_the_paper_leaves_out_are_what_the_algebra_says(
    exact: InvarianceTable, norm: str
) -> None:
    entries = [exact.entry(norm, t) for t in TRANSFORMATIONS]
    assert [entry.invariant for entry in entries] == DERIVED[norm]
    assert all(entry.change < EXACT or entry.change > MARGIN for entry in entries)
    assert all(entry.stated is None and entry.agrees for entry in entries)


def test_rmsnorm_is_layernorm_without_the_re_centering_of_the_weights(
    exact: InvarianceTable,
) -> None:
    differing = [t for t in TRANSFORMATIONS if TABLE_1["rms"][t] != TABLE_1["layer"][t]]
    assert differing == ["weight_matrix_recenter"]
    changes = {
        norm: [at(exact, norm, t, 2.0) > MARGIN for t in TRANSFORMATIONS]
        for norm in ("layer", "rms")
    }
    measured = zip(TRANSFORMATIONS, changes["layer"], changes["rms"], strict=True)
    assert [t for t, layer, rms in measured if layer != rms] == differing


def test_every_row_that_is_stated_has_a_source() -> None:
    assert set(SOURCES) == set(TABLE_1)


def test_instancenorm_ignores_all_but_the_re_centering_of_the_weights(
    in_places: InvarianceTable,
) -> None:
    row = {t: in_places.change("instance", t) for t in TRANSFORMATIONS}
    assert row.pop("weight_matrix_recenter") > MARGIN
    assert max(row.values()) < EXACT


def test_layernorm_over_several_places_no_longer_ignores_the_re_centering_of_the_weights(
    in_places: InvarianceTable,
) -> None:
    entry = in_places.entry("layer", "weight_matrix_recenter")
    assert entry.change > MARGIN
    assert not entry.agrees


@pytest.mark.parametrize(("dtype", "off"), [(torch.bfloat16, 0.2), (torch.float16, 0.02)])
def test_16_bits_show_the_same_table_but_for_rounding(dtype: torch.dtype, off: float) -> None:
    measured = measure(dtype=dtype)
    rounded = [measured.change(*entry[:2]) for entry in STATED if entry[2]]
    assert torch.finfo(dtype).eps < max(rounded) < off
    assert all(measured.change(*entry[:2]) > 2 * off for entry in STATED if not entry[2])


def test_float32_shows_the_same_table() -> None:
    measured = measure(dtype=torch.float32)
    assert measured.changes.dtype == torch.float32
    for norm, transformation, stated in STATED:
        change = measured.change(norm, transformation)
        assert change < 1e-3 if stated else change > MARGIN


def test_the_table_of_real_digits_is_the_same() -> None:
    measured = measure(data=digit_images().images[:16], layers=8)
    assert all(measured.entry(norm, t).agrees for norm, t, _ in STATED)


def test_images_as_places_are_data_for_instancenorm() -> None:
    rows = digit_images().images[:16].unflatten(1, (8, 8))
    measured = measure(["instance"], data=rows, layers=4)
    assert measured.change("instance", "case_rescale") < EXACT
    assert measured.change("instance", "weight_matrix_recenter") > MARGIN


sizes = st.integers(1, 6)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    case=st.sampled_from(YES),
    layers=st.integers(1, 3),
    units=st.integers(1, 9),
    data=st.builds(RandomData, cases=sizes, inputs=sizes),
    strengths=st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=4),
    seed=st.integers(0, 9999),
)
def test_invariance_holds_for_every_shape_and_positive_strength(
    case: tuple[str, str],
    layers: int,
    units: int,
    data: RandomData,
    strengths: list[float],
    seed: int,
) -> None:
    norm, transformation = case
    measured = measure(
        [norm],
        [transformation],
        layers=layers,
        units=units,
        data=data,
        strengths=strengths,
        seed=seed,
    )
    # Of two units or cases the spread can be small beside the mean that re-centering adds.
    assert measured.change(norm, transformation) < 1e-6


@pytest.mark.parametrize(
    ("norm", "transformation"), [(n, t) for n, t in YES if TRANSFORMATIONS[t].kind != "recenter"]
)
def test_negative_factors_change_the_output(norm: str, transformation: str) -> None:
    assert measure([norm], [transformation], strengths=[-1.0]).change(norm, transformation) > MARGIN


@pytest.mark.parametrize(
    ("norm", "transformation"), [(n, t) for n, t in YES if t.endswith("_recenter")]
)
def test_re_centering_by_a_negative_multiple_changes_nothing(
    norm: str, transformation: str
) -> None:
    assert measure([norm], [transformation], strengths=[-3.0, 0.0]).change(norm, transformation) < (
        EXACT
    )


def test_the_table_holds_the_largest_change_over_layers_and_strengths() -> None:
    measured = measure(["layer", "none"], ["case_rescale", "dataset_recenter"], layers=5)
    assert measured.changes.shape == (2, 2, len(STRENGTHS), 5)
    table = measured.table()
    assert list(table) == ["layer", "none"]
    assert list(table["none"]) == ["case_rescale", "dataset_recenter"]
    assert table["none"]["dataset_recenter"] == float(measured.changes[1, 1].max())


def test_the_seed_decides_the_layers() -> None:
    one, same, other = (measure(["none"], layers=2, seed=seed).changes for seed in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_instancenorm_is_left_out_with_a_sentence_where_there_is_one_place() -> None:
    measured = measure(layers=1)
    assert measured.norms == tuple(n for n in CATALOGUE if n != "instance")
    assert "has one" in measured.notes["instance"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "norm"),
    [
        (torch.zeros(3, 4), "layer"),
        (torch.full((3, 4), 0.1), "batch"),
        (torch.tensor([[0.0, 0.0], [1.0, 2.0]]), "rms"),
        (torch.ones(1, 4), "batch"),
    ],
)
@pytest.mark.parametrize("eps", [0.0, 1e-5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_data_without_spread_gives_finite_changes_and_a_note(
    data: Tensor, norm: str, eps: float, dtype: torch.dtype
) -> None:
    measured = measure(data=data, strengths=[-1.0, 0.0, 2.0], eps=eps, layers=2, dtype=dtype)
    assert measured.changes.isfinite().all()
    assert "0/0 counts as 0" in measured.notes[norm]


def test_data_whose_squares_vanish_in_float32_has_no_spread_there() -> None:
    data = torch.tensor([[1e-30, 2e-30], [3e-30, -1e-30]])
    small, fine = (measure(["rms"], data=data, dtype=d) for d in (torch.float32, torch.float64))
    assert small.changes.isfinite().all()
    assert "float32 can tell from 0" in small.notes["rms"]
    assert not fine.notes
    assert fine.change("rms", "case_rescale") < EXACT


def test_one_unit_leaves_layernorm_nothing_but_the_bias() -> None:
    measured = measure(["layer"], units=1)
    assert measured.changes.max() == 0
    assert "0/0 counts as 0" in measured.notes["layer"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"norms": ["batchnorm"]}, "norm must be one of .*batch, weight, .*; got 'batchnorm'"),
        ({"transformations": ["scale"]}, "transformation must be one of .*; got 'scale'"),
        ({"activation": "gelu"}, "activation must be one of identity, relu, tanh; got 'gelu'"),
        ({"norms": []}, "norms must name at least one, got none"),
        ({"transformations": []}, "transformations must name at least one, got none"),
        ({"norms": ["instance"]}, "InstanceNorm averages over an example’s positions"),
        ({"dtype": torch.int8}, "dtype must be .*; got torch.int8"),
        ({"layers": 0}, "layers must be 1 or more, got 0"),
        ({"units": 0}, "units must be 1 or more, got 0"),
        ({"data": RandomData(cases=0)}, "cases must be 1 or more, got 0"),
        ({"data": RandomData(places=-1)}, "places must be 1 or more, got -1"),
        ({"strengths": []}, "strengths must be finite numbers, at least one; got \\(\\)"),
        ({"strengths": [float("nan")]}, "strengths must be finite numbers"),
        ({"eps": -1e-5}, "eps must be 0 or greater, but got -1e-05"),
        ({"eps": float("nan")}, "eps must be 0 or greater, but got nan"),
        ({"data": torch.ones(3)}, r"Data must be cases x inputs, .* got shape \(3,\)"),
        ({"data": torch.ones(3, 0)}, r"at least one of each; got shape \(3, 0\)"),
        ({"data": torch.tensor([[1.0, torch.nan]])}, "Data must be finite, got NaN or infinity"),
        (
            {"data": torch.full((2, 2), 1e200, dtype=torch.float64)},
            "squares of the pre-activations must fit",
        ),
    ],
)
def test_what_cannot_be_measured_is_said(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        measure(**arguments)  # type: ignore[arg-type]


def test_whole_numbers_are_no_data() -> None:
    with pytest.raises(TypeError, match=r"Data must be floating point, got torch\.int64"):
        measure(data=torch.ones(2, 2, dtype=torch.int64))
