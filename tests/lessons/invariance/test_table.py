from functools import cache
from itertools import product

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.data.uploads import DataTable
from lnviz.explorable import Explorable, Grid, ParameterError
from lnviz.lessons.citation_marks import strip_marks
from lnviz.lessons.invariance.table import build
from lnviz.lessons.invariance.table_controls import (
    ENTRIES,
    EPSILONS,
    NORMS,
    STRENGTH,
)
from lnviz.lessons.invariance.table_views import (
    CAPTIONS,
    POSITIVE,
    WITHOUT_REASONS,
    cancels,
    verdict,
)
from lnviz.topics.invariance import TABLE_1, TRANSFORMATIONS, VISIBLE, Limits, demonstrate
from tests.lessons.kept import kept
from tests.lessons.running import built, not_finite, printed, said, views
from tests.topics.invariance.extreme import SPREADLESS


def figure(*query: tuple[str, str]) -> Explorable:
    return built("invariance", "table", *query)


def reason(norm: str, change: str) -> str:
    """How the reason of an entry begins; a value may follow."""
    case = norm if norm in WITHOUT_REASONS else f"{norm} {change}"
    (told,) = (one for one in CAPTIONS.paragraphs if one.variant == case)
    return strip_marks(told.text).split("{{")[0]


@cache
def of_upload(name: str) -> Explorable:
    return build(kept(DataTable(SPREADLESS[name])))


def state(
    shown: Explorable, norm: str, change: str, strength: float, eps: str = "0"
) -> dict[str, int]:
    return shown.state_at(
        entry=ENTRIES.index((norm, change)), strength=strength, with_epsilon=eps, unit=0
    )


def sentences(shown: Explorable, where: dict[str, int]) -> list[str]:
    """What is said at a state, whatever is there."""
    return [view.text for view in said(shown, where) if not view.if_finite]


def outputs(shown: Explorable, where: dict[str, int]) -> Tensor:
    """The outputs of all units after the change."""
    swept = shown.tensors["out after"]
    return swept.values[tuple(where[name] for name in swept.dims if name != "unit")]


def assert_the_code_prints(shown: Explorable, where: dict[str, int]) -> None:
    after, change = printed(shown, where)
    assert_close(after.flatten().float(), outputs(shown, where), atol=1e-4, rtol=1e-4)
    percent = shown.lookup("change", where)
    assert_close(100 * change.float(), percent, atol=1e-3, rtol=1e-3)


@pytest.mark.slow
def test_the_code_is_defined_at_strength_zero() -> None:
    shown = figure(("data", "digits"), ("activation", "tanh"), ("seed", "9999"))
    for norm, eps in product(NORMS, ("0", "0.001")):
        for change in ("weight_matrix_rescale", "case_rescale"):
            assert_the_code_prints(shown, state(shown, norm, change, 0.0, eps))


@pytest.mark.slow
@pytest.mark.parametrize("name", SPREADLESS)
def test_awkward_data_have_a_defined_picture_and_a_sentence(name: str) -> None:
    shown = of_upload(name)
    # Where there is no factor to name, nothing is said of one.
    assert not_finite(shown) == {"below", "above", "holds"}
    flat = {
        "a zero row": ("layer", "rms", "group"),
        "zeros": ("batch", "layer", "rms", "group"),
        "equal rows": ("batch",),
        "one case": ("batch",),
    }
    for norm in NORMS:
        where = state(shown, norm, "dataset_rescale", 2.0)
        told = " ".join(sentences(shown, where))
        if not bool(outputs(shown, where).any()):
            assert "every output is 0" in told, norm
        assert ("so σ is 0" in told) == (norm in flat.get(name, ())), norm


@pytest.mark.slow
@pytest.mark.parametrize("name", SPREADLESS)
def test_the_code_is_defined_for_awkward_data(name: str) -> None:
    shown = of_upload(name)
    for norm, change in product(NORMS, ("dataset_rescale", "dataset_recenter")):
        assert_the_code_prints(shown, state(shown, norm, change, 2.0))


@pytest.mark.slow
def test_data_too_large_to_square_are_refused_in_words() -> None:
    huge = kept(DataTable(torch.tensor([[1e30, -1e30], [1e30, 1.0]])))
    with pytest.raises(ParameterError, match=r"must fit into float32, .* 3\.4 × 10³⁸"):
        build(huge)


@pytest.mark.slow
def test_no_reason_says_that_a_negative_factor_cancels() -> None:
    shown = figure()
    signs = (-2.0, 0.0, 2.0)
    for norm, change in ENTRIES:
        texts = [sentences(shown, state(shown, norm, change, strength)) for strength in signs]
        scaled = not change.endswith("recenter") and norm not in ("dyt", "none")
        stays = scaled and TABLE_1.get(norm, TABLE_1["layer"])[change]
        given = [any(one.startswith(reason(norm, change)) for one in text) for text in texts]
        assert given == ([False, False, True] if stays else [True, True, True]), (norm, change)
        turned = [any("change sign" in sentence for sentence in text) for text in texts]
        assert turned == [stays, False, False], (norm, change)


def test_every_entry_has_a_reason_or_what_stands_in_its_place() -> None:
    shown = figure()
    general = ("{entry}", "“Stays”", "A factor of 0", "The number is", "On this small layer,")
    for (norm, change), strength in product(ENTRIES, (-2.0, 0.0, 2.0)):
        own = sentences(shown, state(shown, norm, change, strength))
        assert [text for text in own if not text.startswith(general)], (norm, change, strength)


def grids(shown: Explorable) -> list[Grid]:
    """The table, once for each epsilon."""
    return [view for view in views(shown, Grid) if view.words]


def test_a_re_centered_weight_matrix_adds_one_number_to_all_units_of_an_example() -> None:
    shown = figure()
    entry = {"entry": ENTRIES.index(("batch", "weight_matrix_recenter")), "unit": slice(None)}
    before = shown.tensors["before"].values.view(4, 6)
    after = shown.lookup("after", {**state(shown, *ENTRIES[1], 2.0), **entry}).view(4, 6)
    added = after - before
    assert_close(added, added[:, :1].expand_as(added), rtol=0, atol=0.03)  # of two decimals
    assert len(added[:, 0].unique()) == 4  # another one for each example


def test_a_re_centered_weight_matrix_changes_the_length_of_every_weight_vector_by_another_factor() -> (  # noqa: E501
    None
):
    for seed in range(8):
        shown = demonstrate(
            "weight", "weight_matrix_recenter", strengths=[2.0], eps=[0.0], seed=seed
        )
        factors = shown.after.weight[0].norm(dim=-1) / shown.before.weight.norm(dim=-1)
        assert len(factors.round(decimals=3).unique()) == len(factors)
        assert (factors - 1).abs().min() > 1e-3


def test_each_epsilon_has_a_table_of_its_own_on_the_page() -> None:
    assert [grid.when for grid in grids(figure())] == [
        {"with epsilon": (f"{eps:g}",)} for eps in EPSILONS
    ]


def test_entries_that_are_stated_have_a_line_and_others_none() -> None:
    for grid in grids(figure()):
        for (norm, change), words in zip(ENTRIES, grid.words, strict=True):
            stated = TABLE_1[norm][change] if norm in TABLE_1 else None
            expected = {None: "", True: "paper: stays", False: "paper: changes"}[stated]
            assert words.split("\n")[1] == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "query", [(), (("data", "digits"),), (("activation", "relu"), ("seed", "9999"))]
)
def test_without_epsilon_every_verdict_is_what_is_stated(
    query: tuple[tuple[str, str], ...],
) -> None:
    words = grids(figure(*query))[0].words
    for (norm, change), told in zip(ENTRIES, words, strict=True):
        if norm in TABLE_1:
            assert told.split("\n")[0] == ("stays" if TABLE_1[norm][change] else "changes")


@pytest.mark.parametrize("eps", range(len(EPSILONS)))
def test_a_verdict_is_about_the_numbers_of_the_slider(eps: int) -> None:
    changes = figure().tensors["changes"].values[eps]
    for index, (norm, change) in enumerate(ENTRIES):
        told = grids(figure())[eps].words[index].split("\n")[0]
        factor = TRANSFORMATIONS[change].kind != "recenter"
        strengths = POSITIVE if factor else STRENGTH.values
        moved = [s for s in strengths if changes[STRENGTH.values.index(s), index] > VISIBLE]
        if told == "stays":
            assert not moved
        elif told.startswith("stays above"):
            assert max(moved) == float(told.split()[-1]) < 1
        else:
            assert min(moved) < TRANSFORMATIONS[change].neutral < max(moved), (norm, change)


@pytest.mark.parametrize(
    ("norm", "change", "limits", "expected"),
    [
        ("layer", "case_rescale", Limits(None, None), "stays"),
        ("layer", "case_rescale", Limits(0.0158, None), "stays above 0.0158"),
        ("layer", "case_rescale", Limits(None, 3.0), "stays below 3"),
        ("layer", "case_rescale", Limits(0.5, 2.0), "stays near 1"),
        ("batch", "case_rescale", Limits(0.5, 2.0), "changes"),
        ("layer", "dataset_recenter", Limits(None, None), "stays"),
        ("layer", "dataset_recenter", Limits(-1.0, None), "changes"),
    ],
)
def test_a_verdict_says_what_stays_and_from_where_on(
    norm: str, change: str, limits: Limits, expected: str
) -> None:
    assert verdict(norm, change, limits) == expected


def test_the_table_follows_the_strength() -> None:
    shown = figure()
    entry = ENTRIES.index(("layer", "case_rescale"))
    changes = shown.tensors["changes"].values[EPSILONS.index(1e-5), :, entry]
    small, two, negative = (float(changes[STRENGTH.index(s)]) for s in (0.001, 2.0, -1.0))
    assert small > 0.3 > VISIBLE > two
    assert negative > 1


def test_where_epsilon_ends_a_statement_a_factor_is_named() -> None:
    tensors = figure().tensors
    below, above, holds = (tensors[name].values for name in ("below", "above", "holds"))
    for values in (below, above, holds):
        assert values[0].isnan().all()
    case = ENTRIES.index(("layer", "case_rescale"))
    assert 0 < float(below[1, case]) < float(below[2, case]) < 1
    for index, entry in enumerate(ENTRIES):
        for eps in (1, 2):
            named = [not bool(v[eps, index].isnan()) for v in (below, above, holds)]
            assert any(named) == cancels(*entry)
            assert not (named[2] and (named[0] or named[1]))


def test_the_strength_is_logarithmic_on_either_side_of_zero() -> None:
    assert {0.0, 1.0, 2.0, -1.0, 0.001, 10.0, -10.0} <= set(STRENGTH.values)
    assert STRENGTH.log
