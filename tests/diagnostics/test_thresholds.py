"""Each rule fires from its threshold on and not before, on statistics written by hand."""

import math
from dataclasses import replace

import pytest
import torch

from lnviz.diagnostics.findings import LIKELY, NOTE, SURE, WARNING, Finding
from lnviz.diagnostics.norm_spec import IN_INPUT_DTYPE, NormSpec
from lnviz.diagnostics.norm_statistics import (
    ALONE,
    CALL_FIELDS,
    DTYPES,
    FROZEN,
    GRADIENT_FIELDS,
    SUMS,
    UNTRACKED,
    NormStats,
)
from lnviz.diagnostics.rules import apply_rule, find_problems, merge_findings
from lnviz.diagnostics.statistics import CALL_STATISTICS, GAIN_STATISTICS
from lnviz.number_format import number

LAYER = NormSpec("layer", (-1,), eps=1e-5, gain="weight")
BATCH = NormSpec("batch", (0,), eps=1e-5, gain="weight")
HEALTHY = {
    "norm": 0, "call": 1, "pass": 1, "training": 1, "frozen": 0, "batch": 16, "size": 128,
    "format": DTYPES.index("float32"), "output_format": DTYPES.index("float32"),
    "gain_spread": 0.1, "x_rms": 1, "x_median": 1, "x_largest": 4, "share": 0.1,
    "mean_share": 0, "epsilon": 1e-5, "epsilon_most": 1e-5, "constant": 0, "infinite": 0,
    "y_rms": 1, "update": 0.5, "gain_median": 1, "gain_largest": 1, "gradient_in": 1,
    "gradient_out": 1,
}  # fmt: skip
END = torch.finfo(torch.float16).max


def norm(
    name="norm", spec=LAYER, still=False, behind="", axis="", swapped=0.0, facts=(), **changed
):
    """A norm with these numbers in all of its calls; a list has one for each call."""
    values = {
        name: torch.tensor(0.0).double()
        for name in (*CALL_FIELDS, *CALL_STATISTICS, *GAIN_STATISTICS, *GRADIENT_FIELDS)
    }
    values |= dict.fromkeys(
        ("batch_mean", "batch_variance", "padding", "repeated"), torch.tensor(torch.nan).double()
    )
    values |= {
        name: torch.tensor(value, dtype=torch.float64)
        for name, value in (HEALTHY | changed).items()
    }
    count = max(value.numel() for value in values.values())
    calls = {name: value.expand(count) for name, value in values.items()}
    details = {"swapped": torch.tensor(swapped)}
    gains = torch.full((4,), 1.5)
    facts = frozenset(facts)
    return NormStats(name, "Norm", spec, calls, gains, None, details, behind, axis, still, facts)


def kinds(*norms):
    return [finding.kind for finding in find_problems(norms)]


def test_healthy_numbers_give_no_finding():
    assert kinds(norm("a"), norm("b"), norm("c", BATCH, batch_mean=0.1, batch_variance=0.1)) == []


NARROW = dict.fromkeys(("format", "output_format"), DTYPES.index("float16"))
SQUARES = NormSpec("rms", (-1,), precision=IN_INPUT_DTYPE)
RMS = NormSpec("rms", (-1,), eps=1e-5, gain="weight")
EVALUATED = {"spec": BATCH, "training": 0, "batch_mean": 0.0, "batch_variance": 0.0}
ON = [
    ("epsilon", {"epsilon": 0.2}, {"epsilon": 0.19}),
    ("epsilon", {"epsilon": 0.2, "constant": 0.49}, {"epsilon": 0.19, "constant": 0.49}),
    ("overflow", {"infinite": 0.01}, {"infinite": 0.0}),
    ("overflow", NARROW | {"x_largest": END / 4 + 8}, NARROW | {"x_largest": END / 4}),
    ("overflow", {"spec": SQUARES, "x_largest": 257.0} | NARROW,
     {"spec": SQUARES, "x_largest": 255.0} | NARROW),
    ("constant", {"constant": 0.5}, {"constant": 0.49}),
    ("component", {"share": 0.5}, {"share": 0.49}),
    ("component", {"share": 0.5, "size": 64}, {"share": 0.5, "size": 63}),
    ("component", {"share": [0.1, 0.5, 0.1]}, {"share": [0.1, torch.nan, 0.1]}),
    ("batch", {"spec": BATCH, "batch": 4}, {"spec": BATCH, "batch": 5}),
    ("batch", {"spec": BATCH, "batch": 4}, {"spec": BATCH, "batch": 4, "training": 0}),
    ("running", EVALUATED | {"batch_mean": 1.01}, EVALUATED | {"batch_mean": 1.0}),
    ("running", EVALUATED | {"batch_variance": 2.01}, EVALUATED | {"batch_variance": 2.0}),
    ("running", EVALUATED | {"batch_mean": 10.1, "batch": 1},
     EVALUATED | {"batch_mean": 9.9, "batch_variance": 4.0, "batch": 3}),
    ("running", EVALUATED | {"batch_mean": 2.0, "size": 16},
     EVALUATED | {"batch_mean": 2.0, "size": 15}),
    ("running", {"spec": BATCH, "still": True}, {"spec": LAYER, "still": True}),
    ("mode", {"spec": BATCH, "frozen": 1, "gradient_out": torch.nan},
     {"spec": BATCH, "frozen": [1, 0], "gradient_out": torch.nan}),
    ("mode", {"spec": BATCH, "frozen": 1, "gradient_out": torch.nan},
     {"spec": BATCH, "frozen": 1, "gradient_out": [torch.nan, 1.0]}),
    ("mode", {"spec": BATCH, "frozen": 1, "gradient_out": torch.nan},
     {"spec": BATCH, "frozen": 1, "gradient_out": torch.nan, "training": 0}),
    ("axis", {"axis": "channels"}, {"axis": ""}),
    ("axis", {"axis": "features"}, {"axis": ""}),
    ("padding", {"padding": 0.051}, {"padding": 0.05}),
    ("padding", {"repeated": 0.31}, {"repeated": 0.3}),
    ("double", {"behind": "first", "facts": [ALONE]}, {"behind": ""}),
    ("sign", {"size": 2}, {"size": 3}),
    ("sign", {"size": 1, "spec": RMS}, {"size": 2, "spec": RMS}),
    ("sign", {"size": 2}, {"size": 2, "fixed": 1}),
    ("nan", {"y_rms": torch.nan}, {"y_rms": 1.0}),
    ("nan", {"y_rms": torch.inf}, {"y_rms": 1.0}),
    ("underflow", NARROW | {"spec": replace(SQUARES, eps=2e-8)},
     NARROW | {"spec": replace(SQUARES, eps=4e-8)}),
    ("underflow", NARROW | {"spec": SQUARES, "x_median": 0.0078},
     NARROW | {"spec": SQUARES, "x_median": 0.0079}),
    ("dtype", {"format": 1, "output_format": [2, 1]}, {"format": 1, "output_format": [2, 1, 1]}),
    ("dtype", {"format": 0, "output_format": 2}, {"format": 2, "output_format": 3, "fixed": 0}),
    ("tracking", {"spec": BATCH, "training": 0, "facts": [UNTRACKED]},
     {"spec": BATCH, "facts": [UNTRACKED]}),
    ("frozen", {"spec": BATCH, "facts": [FROZEN]}, {"spec": BATCH, "facts": []}),
    ("frozen", {"spec": BATCH, "facts": [FROZEN]},
     {"spec": BATCH, "facts": [FROZEN], "training": 0}),
    ("axis", {"axis": "tokens"}, {"axis": ""}),
    ("mean", {"swapped": 0.51}, {"swapped": 0.5}),
    ("mean", {"swapped": 0.51, "constant": 0.49}, {"swapped": 0.5, "constant": 0.49}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "faulty", "sound"), ON)
def test_a_rule_fires_from_its_threshold_on(kind, faulty, sound):
    assert kinds(norm(**faulty)) == [kind]
    assert kinds(norm(**sound)) == []


def test_constant_groups_are_not_blamed_on_epsilon_padding_or_the_mean():
    assert kinds(norm(constant=0.5, epsilon=1.0, padding=1.0, swapped=1.0)) == ["constant"]


def test_an_overflow_is_told_at_the_first_norm_that_has_it():
    (finding,) = apply_rule(
        "overflow", [norm("a"), norm("b", infinite=0.5), norm("c", infinite=1.0)]
    )
    assert (finding.module, finding.value) == ("b", 0.5)


def test_a_component_counts_in_the_call_where_its_share_is_largest():
    calls = {"share": [0.6, 0.9, 0.7], "component": [1, 2, 3], "group": [4, 5, 6]}
    (finding,) = apply_rule("component", [norm(x_largest=[10.0, 20.0, 30.0], **calls)])
    assert finding.value == 20
    assert finding.reason.startswith("Component 2 of group 5 has the size 20 and makes up 90% of")


def test_a_component_of_a_norm_over_other_axes_is_none():
    assert apply_rule("component", [norm(spec=NormSpec("layer", (1,)), share=0.9)]) == []


@pytest.mark.parametrize(
    ("median", "largest", "number"),
    [(0.019, 1.0, 0.019), (0.02, 1.0, None), (1.0, 50.5, 50.5), (1.0, 50.0, None), (0, 0, None)],
)
def test_gains_count_beside_the_median_of_all_norms(median, largest, number):
    odd = norm("odd", gain_median=[1, median], gain_largest=[1, largest])
    found = apply_rule("gain", [norm("a"), odd, norm("b"), norm("c")])
    assert [finding.value for finding in found] == ([] if number is None else [number])


def test_gains_count_where_there_are_others_to_count_beside():
    odd = norm("odd", gain_median=1, gain_largest=400)
    bare = replace(norm("bare"), gains=None)
    assert (
        apply_rule("gain", [odd]) == apply_rule("gain", [odd, bare]) == apply_rule("gain", []) == []
    )
    assert [finding.module for finding in apply_rule("gain", [odd, norm("other")])] == ["odd"]


def test_gains_do_not_count_where_half_of_the_norms_begin_at_0():
    off = [norm(name, gain_median=0, gain_largest=0.5) for name in "abc"]
    assert apply_rule("gain", [*off, norm("other")]) == []


@pytest.mark.parametrize(
    ("decayed", "sound", "fires"), [(2, 2, True), (2, 3, False), (1, 1, False)]
)
def test_decay_is_of_half_of_the_norms_and_of_two_at_least(decayed, sound, fires):
    small = [norm(f"small {n}", gain_median=0.049) for n in range(decayed)]
    others = [norm(f"other {n}", gain_median=0.05) for n in range(sound)]
    bare = replace(norm("bare", gain_median=0.01), gains=None)
    found = apply_rule("decay", [*small, *others, bare])
    assert [finding.module for finding in found] == [norm.name for norm in small] * fires
    assert apply_rule("decay", [norm("a", gain_median=0, gain_largest=0)] * 4) == []


@pytest.mark.parametrize(("last", "fires"), [(0.249, True), (0.25, False)])
def test_gains_that_a_run_shows_falling_have_decayed_before_they_are_near_0(last, fires):
    fallen = [norm(name, gain_median=[1.0, 0.6, last], **{"pass": [1, 2, 3]}) for name in "ab"]
    found = apply_rule("decay", [*fallen, norm("other")])
    assert [finding.module for finding in found] == ["a", "b"] * fires
    assert all("was 1 at first" in finding.reason for finding in found)
    assert apply_rule("decay", [norm(name, gain_median=last) for name in "ab"]) == []


def deep(name, values, stack="", **changed):
    """A norm for each value of a statistic, one behind the other."""
    return [norm(f"{stack}{n}", **{name: value}, **changed) for n, value in enumerate(values)]


@pytest.mark.parametrize(
    ("sizes", "level"),
    [
        ([1, 1, 5, 5, 5, 10, 1], WARNING),
        ([1, 1, 5, 5, 5, 9.9, 1], None),
        ([1, 1, 5, 5, 10, 1], None),
        ([1, 1, 5, 5, 5, 5, 10], None),
        ([0, 1, 5, 5, 5, 10, 1], None),
        ([0, 0, 0, 0, 0, 0, 0], NOTE),
        ([1, 1, torch.nan, 5, 5, 10, 1], None),
        ([1, 10, 10, 10, 10, 10, 10, 10, 1], None),
        ([1, 3, 10, 10, 10, 10, 20, 21, 1], WARNING),
    ],
)
def test_gradients_of_the_last_quarter_count_beside_those_of_the_first(sizes, level):
    norms = [
        *deep("gradient_out", sizes, stack="blocks.", facts=[SUMS]),
        norm("final", gradient_out=1e9),
        norm("blocks.0.other", size=64, gradient_out=1e9),
    ]
    found = apply_rule("gradient", norms)
    assert [finding.level for finding in found] == [level] * (level is not None)
    assert [finding.module for finding in found] == [f"blocks.{len(sizes) - 2}"] * len(found)


@pytest.mark.parametrize(("last", "level"), [(999, None), (1000, NOTE)])
def test_growing_gradients_are_not_blamed_on_post_ln_elsewhere(last, level):
    found = apply_rule("gradient", deep("gradient_out", [1, 1, 1, 1, 1, last, 1], stack="blocks."))
    assert [finding.level for finding in found] == [level] * (level is not None)
    assert all("Post-LN" not in str(finding) for finding in found)


def test_gradients_of_an_encoder_and_a_decoder_are_compared_apart():
    parts = (
        deep("gradient_out", [size] * 7, f"{n}.", facts=[SUMS]) for n, size in (("a", 1), ("b", 99))
    )
    assert apply_rule("gradient", [norm for part in parts for norm in part]) == []


def test_an_overflow_after_a_norm_that_makes_it_is_that_norms():
    norms = [norm("a"), norm("b", y_rms=torch.nan), norm("c", infinite=1.0, y_rms=torch.nan)]
    assert [(finding.kind, finding.module) for finding in find_problems(norms)] == [("nan", "b")]
    later = norm("a", y_rms=[1, torch.nan], **{"pass": [1, 2]})
    assert kinds(later, norm("b", infinite=[1, 1], y_rms=torch.nan, **{"pass": [1, 2]})) == [
        "nan",
        "overflow",
    ]


def test_gains_that_are_not_finite_are_told_with_their_number_at_their_norm():
    spoiled = replace(norm("b", y_rms=torch.nan), gains=torch.tensor([1.0, torch.nan, torch.inf]))
    found = find_problems([norm("a"), spoiled, norm("c", infinite=1.0, y_rms=torch.nan)])
    assert [(finding.kind, finding.module) for finding in found] == [("nan", "b")]
    assert found[0].reason == "Of its 3 gains, 2 are infinite or NaN."


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (
            {"spec": replace(SQUARES, eps=1e-12), "constant": 0.1, **NARROW},
            "epsilon (1 × 10⁻¹²) is 0 in float16",
        ),
        ({"spec": replace(LAYER, eps=0.0), "constant": 0.1}, "without an epsilon"),
        ({"spec": SQUARES, "x_largest": END, **NARROW}, "the square of the largest input"),
        ({}, "for the first time at this norm"),
    ],
)
def test_a_norm_whose_output_is_not_finite_gets_its_cause(changed, says):
    (finding,) = apply_rule("nan", [norm(y_rms=torch.nan, **changed)])
    assert says in finding.reason


def test_two_norms_in_a_row_are_a_fault_if_nothing_else_reads_the_first():
    first = norm("first", gradient_out=0.164)
    for read, found in ((0.164, (WARNING, SURE)), (0.1, None), (torch.nan, (NOTE, LIKELY))):
        second = norm("second", behind="first", gradient_in=read)
        levels = [(f.level, f.certainty) for f in apply_rule("double", [first, second])]
        assert levels == ([] if found is None else [found])
    assert apply_rule("double", [norm("second", behind="dropped")])[0].level == NOTE


@pytest.mark.parametrize(
    ("gains", "convention", "fires"),
    [
        ([1.99, 2.0, 2.01], "1 + weight", True),
        ([1.99, 2.0, 2.01], "weight", False),
        ([2.5, 2.5, 2.5], "1 + weight", False),
        ([-0.06, 0.06, 0.1], "weight", True),
        ([0.06, 0.06, 0.1], "weight", False),
        ([-0.6, 0.6, 0.9], "weight", False),
        ([0.0, 0.0, 0.0], "weight", False),  # those of branches that begin at 0
        ([0.0, 0.0, 0.0], "1 + weight", False),
    ],
)
def test_gains_that_were_stored_for_another_convention_are_told(gains, convention, fires):
    values = torch.tensor(gains)
    sizes = {"gain_median": float(values.abs().median()), "gain_largest": float(values.abs().max())}
    spec = replace(LAYER, gain=convention)
    norms = [replace(norm(name, spec, **sizes), gains=values) for name in "ab"]
    others = [norm(name, spec) for name in "cd"]
    assert len(apply_rule("convention", [*norms, *others])) == 2 * fires
    assert apply_rule("convention", [*norms, *others, norm("e", spec)]) == []
    assert apply_rule("convention", norms[:1]) == []
    all_zero = not values.any() and convention == "weight"
    assert len(apply_rule("convention", norms)) == 2 * (fires or all_zero)


def test_gains_of_one_value_are_those_of_the_start_and_not_decayed():
    assert apply_rule("decay", [norm(name, gain_median=1e-5, gain_spread=0) for name in "ab"]) == []
    ones = replace(norm("final", gain_median=1, gain_largest=1), gains=torch.ones(4))
    others = [norm(name, gain_median=1e-5, gain_largest=1e-5) for name in "abc"]
    assert apply_rule("gain", [*others, ones]) == []


def test_statistics_of_a_model_that_was_never_trained_are_a_note():
    fresh = replace(norm(spec=BATCH, still=True, training=0), gains=torch.ones(4))
    assert [(f.kind, f.level) for f in find_problems([fresh])] == [("running", NOTE)]
    trained = replace(fresh, gains=torch.rand(4))
    assert [(f.kind, f.level) for f in find_problems([trained])] == [("running", WARNING)]


def test_a_fault_that_begins_late_is_told_with_its_pass():
    passes = {"pass": list(range(1, 13)), "epsilon": [1e-5] * 9 + [0.9] * 3}
    (finding,) = find_problems([norm(**passes)])
    assert finding.kind == "epsilon"
    assert finding.reason.startswith("Since pass 10: Epsilon")
    assert find_problems([norm(**{"pass": [1, 2, 3, 4], "epsilon": [0, 0, 0, 0.9]})]) == ()


@pytest.mark.slow
@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf, 0.0, 1e38])
@pytest.mark.parametrize("kind", ["layer", "rms", "batch", "group"])
def test_no_rule_fails_on_any_number(value, kind):
    spec = NormSpec(kind, (-1,), eps=value, gain="1 + weight", precision=IN_INPUT_DTYPE)
    names = (*CALL_STATISTICS, *GAIN_STATISTICS, *GRADIENT_FIELDS)
    for name in names:
        norms = [norm(f"blocks.{n}", spec, facts=[SUMS], **{name: value}) for n in range(6)]
        spoiled = [replace(each, gains=torch.full((4,), value)) for each in norms]
        for finding in (*find_problems(norms), *find_problems(spoiled)):
            assert str(finding)
    everything = dict.fromkeys(names, value)
    assert isinstance(
        find_problems([norm(f"blocks.{n}", spec, **everything) for n in range(6)]), tuple
    )
    assert find_problems([]) == ()


@pytest.mark.parametrize(
    ("sizes", "changed", "place"),
    [
        ([1, 2, 20, 20, 20, 20], {"update": 0.03}, "2"),
        ([1, 2, 10, 10, 10, 10], {"update": 0.03}, "2"),
        ([1, 10, 10, 10, 10, 10], {"update": 0.03}, "1"),
        ([1, 2, 9.9, 9.9, 9.9, 9.9], {"update": 0.03}, None),
        ([1, 2, 20, 20, 20, 20], {"update": 0.031}, None),
        ([1, 2, 20, 20, 20, 20], {"update": 0.03, "y_rms": 2.0}, "2"),
        ([1, 2, 20, 20, 20, 20], {"update": 0.03, "y_rms": 2.1}, None),
        ([1, 2, 20, 20, 20], {"update": 0.03}, None),
        ([0, 2, 20, 20, 20, 20], {"update": 0.03}, None),
    ],
)
def test_a_stream_that_has_outgrown_its_layers_is_told_where_it_grows_most(sizes, changed, place):
    found = apply_rule("stream", deep("x_median", sizes, **changed))
    assert [finding.module for finding in found] == ([] if place is None else [place])


def test_running_statistics_that_never_moved_are_told_with_the_calls_in_training():
    def reason(**changed):
        (finding,) = apply_rule("running", [norm(spec=BATCH, still=True, **changed)])
        return finding.reason

    assert "(calls: 2)" in reason(training=[1, 1, 0])
    assert "and this norm uses them in evaluation" in reason(training=0)


@pytest.mark.parametrize(("size", "certainty"), [(1, SURE), (2, LIKELY)])
def test_a_group_of_one_number_is_surely_constant(size, certainty):
    (finding,) = apply_rule("constant", [norm(size=size, constant=1.0)])
    assert finding.certainty == certainty


def test_of_a_kind_the_worst_stays_with_the_places_of_the_others():
    def finding(place, level, weight):
        return Finding(place, "gain", level, 1.0, "It is.", "Mend it.", SURE, weight)

    listed = [finding("a", NOTE, 9.0), finding("b", WARNING, 1.0), finding("c", WARNING, 2.0)]
    assert merge_findings(listed) == replace(listed[2], other_modules=("a", "b"))
    twice = [*listed[:2], listed[0], listed[2], listed[2]]
    assert merge_findings(twice) == merge_findings(listed)
    assert merge_findings([]) is None


def test_findings_come_worst_first_and_notes_last():
    norms = [norm("a", swapped=9.0, epsilon=0.5, batch=1, spec=replace(LAYER), padding=0.5)]
    assert kinds(*norms) == ["padding", "epsilon", "mean"]
    assert kinds(norm(epsilon=1.0, padding=0.5)) == ["epsilon", "padding"]


def test_faults_rank_by_what_they_spoil():
    """One norm for each fault, each as bad as it can be, and the order in which they are told."""
    faults = {
        "output not finite": norm(y_rms=torch.nan),
        "not finite": norm(infinite=1.0),
        "squares beyond float16": norm(spec=SQUARES, x_largest=END, **NARROW),
        "constant": norm(constant=1.0),
        "a sign": norm(size=2),
        "no epsilon": norm(spec=replace(SQUARES, eps=1e-12), **NARROW),
        "wrong axis": norm(axis="channels"),
        "close to float16's end": norm(x_largest=END, **NARROW),
        "training mode": norm(spec=BATCH, frozen=1, gradient_out=torch.nan),
        "frozen": norm(spec=BATCH, facts=[FROZEN]),
        "untracked": norm(spec=BATCH, training=0, facts=[UNTRACKED]),
        "still statistics": norm(spec=BATCH, still=True),
        "far statistics": norm(**EVALUATED | {"batch_mean": 20.0}),
        "epsilon": norm(epsilon=1.0),
        "padding": norm(padding=1.0),
        "wider": norm(format=1),
        "one example": norm(spec=BATCH, batch=2),
        "two in a row": norm(behind="first", facts=[ALONE]),
    }
    severities = {name: find_problems([each])[0].severity for name, each in faults.items()}
    assert sorted(severities, key=lambda name: -severities[name]) == list(faults)
    assert all(
        finding.level == WARNING for each in faults.values() for finding in find_problems([each])
    )


@pytest.mark.parametrize(
    ("mild", "worse"),
    [
        ({"constant": 0.8}, {"constant": 0.9}),
        ({"epsilon": 0.8}, {"epsilon": 0.9}),
        ({"spec": BATCH, "batch": 3}, {"spec": BATCH, "batch": 2}),
        (EVALUATED | {"batch_mean": 7.0}, EVALUATED | {"batch_mean": 8.0}),
    ],
)
def test_of_one_fault_the_worse_ranks_first(mild, worse):
    (first,), (second,) = (find_problems([norm(**values)]) for values in (worse, mild))
    assert first.kind == second.kind
    assert first.severity > second.severity


def test_of_decayed_gains_the_smallest_rank_first():
    gains = {"a": 0.03, "b": 0.001, "c": 0.01}
    found = apply_rule("decay", [norm(name, gain_median=gain) for name, gain in gains.items()])
    assert sorted(found, key=lambda finding: -finding.severity) == [found[1], found[2], found[0]]
    assert {finding.module for finding in found} == set(gains)


@pytest.mark.parametrize(
    ("median", "largest", "kept"),
    [(0.039, 2, False), (0.04, 2, True), (2, 101, False), (2, 100, True)],
)
def test_gains_count_in_units_of_the_usual_one(median, largest, kept):
    others = [norm(name, gain_median=2, gain_largest=2) for name in "abc"]
    found = apply_rule("gain", [*others, norm("odd", gain_median=median, gain_largest=largest)])
    assert len(found) == (not kept)
    if found:
        ratio = median / 2 if median < 0.04 else largest / 2
        assert f"{number(ratio, 'g2')} times the median gain" in found[0].reason
        assert found[0].severity == pytest.approx(50 + abs(math.log10(ratio)))
