import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnviz.explorable import EnumParameter, IntParameter, Option, ParameterError, RunParameter
from lnviz.explorable.parameters import CUSTOM, applicable, parse_query

DATA = EnumParameter(
    "data", "Data", (Option("worked", "example"), Option("digits", "digits")), "worked"
)
BROUGHT = EnumParameter(
    "data",
    "Data",
    (Option("worked", "example"),),
    "worked",
    custom_prefixes=("upload.", "table."),
    accepts="table",
)
SEED = IntParameter("seed", "Seed", -5, 9_999, 3, reroll_label="New", when={"data": ("digits",)})
RUN = RunParameter(
    "run", "Runs", (Option("digits", "Digits"), Option("text", "Text")), "digits", {"x": [1]}
)
JOB = "job.0123456789abcdef"
WHOLE_RANGE = "^seed must be a whole number from -5 to 9999.$"


@given(st.integers(-5, 9_999))
def test_a_whole_number_in_range_is_taken(number: int) -> None:
    assert SEED.parse(str(number)) == number


@given(st.integers(-5, 9_999), st.integers(0, 30))
def test_leading_zeros_change_no_number(number: int, zeros: int) -> None:
    sign = "-" if number < 0 else ""
    assert SEED.parse(f"{sign}{'0' * zeros}{abs(number)}") == number


@given(st.integers(max_value=-6) | st.integers(min_value=10_000))
def test_a_whole_number_out_of_range_is_refused_with_the_nearest_allowed(number: int) -> None:
    with pytest.raises(ParameterError, match=WHOLE_RANGE) as error:
        SEED.parse(str(number))
    assert error.value.nearest == {"seed": "-5" if number < 0 else "9999"}


@pytest.mark.parametrize("sign", ["", "-"])
def test_pages_of_digits_are_a_number_out_of_range(sign: str) -> None:
    with pytest.raises(ParameterError, match=WHOLE_RANGE) as error:
        SEED.parse(sign + "9" * 100_000)
    assert error.value.nearest == {"seed": "-5" if sign else "9999"}


@pytest.mark.parametrize(
    "text",
    ["", " ", "-", "--1", "+1", " 1", "1 ", "1_0", "1.0", "1e3", "0x1", "¹", "१", "１", "٣", "nan"],
)
def test_what_is_no_whole_number_is_refused_with_the_start(text: str) -> None:
    with pytest.raises(ParameterError, match=WHOLE_RANGE) as error:
        SEED.parse(text)
    assert error.value.nearest == {"seed": "3"}


@given(st.text())
def test_whatever_is_refused_comes_with_something_allowed(text: str) -> None:
    for parameter in (DATA, SEED, RUN):
        try:
            parameter.parse(text)
        except ParameterError as error:
            parameter.parse(error.nearest[parameter.name])


@pytest.mark.parametrize("value", ["worked", "digits"])
def test_a_pick_takes_its_options(value: str) -> None:
    assert DATA.parse(value) == value


@pytest.mark.parametrize("text", ["", "Worked", "worked ", "upload.x", "../worked"])
def test_a_pick_refuses_anything_else_with_its_start(text: str) -> None:
    with pytest.raises(
        ParameterError, match=r"^data must be one of these values: worked, digits.$"
    ) as error:
        DATA.parse(text)
    assert error.value.nearest == {"data": "worked"}


def test_a_pick_may_take_what_a_visitor_has_brought() -> None:
    assert BROUGHT.parse("upload.abc") == "upload.abc"
    with pytest.raises(ParameterError):
        BROUGHT.parse("abc")


def test_the_page_gets_an_option_for_what_a_visitor_has_brought() -> None:
    assert BROUGHT.payload("upload.abc")["options"] == [
        {"value": "worked", "label": "example"},
        {"value": "upload.abc", "label": "your own numbers"},
    ]
    assert len(BROUGHT.payload("worked")["options"]) == 1


@pytest.mark.parametrize("value", ["digits", "text", JOB])
def test_runs_are_stored_ones_or_a_visitors(value: str) -> None:
    assert RUN.parse(value) == value


@pytest.mark.parametrize(
    "end", ["", "0123", JOB[4:].upper(), JOB[4:] + "0", JOB[4:-1] + "\n", "/" * 16]
)
def test_a_visitors_job_has_16_hexadecimal_digits(end: str) -> None:
    with pytest.raises(
        ParameterError,
        match=r"^run must be job\. and 16 hexadecimal digits, as in the link to the runs\. "
        r"Open that link again\.$",
    ) as error:
        RUN.parse(f"job.{end}")
    assert error.value.nearest == {"run": "digits"}


@pytest.mark.parametrize("text", ["", "Digits", JOB[4:], "upload.0123456789abcdef"])
def test_other_runs_are_refused_with_the_start(text: str) -> None:
    with pytest.raises(
        ParameterError, match=r"^run must be one of these values: digits, text.$"
    ) as error:
        RUN.parse(text)
    assert error.value.nearest == {"run": "digits"}


def test_the_page_gets_what_may_be_run_and_an_option_for_a_visitors_runs() -> None:
    stored = [{"value": "digits", "label": "Digits"}, {"value": "text", "label": "Text"}]
    assert RUN.payload("text") == {
        "kind": "job",
        "name": "run",
        "label": "Runs",
        "value": "text",
        "start": "digits",
        "options": stored,
        "form": {"x": [1]},
    }
    assert RUN.payload(JOB)["options"] == [*stored, {"value": JOB, "label": "your runs"}]


def test_a_parameter_may_apply_to_a_visitors_runs() -> None:
    row = IntParameter("row", "Row", 1, 9, 1, when={"run": (CUSTOM,)})
    assert applicable((RUN, row), {"run": JOB, "row": 1}) == (RUN, row)
    assert applicable((RUN, row), {"run": "text", "row": 1}) == (RUN,)


def test_the_page_gets_the_range_of_a_whole_number() -> None:
    assert SEED.payload(7) == {
        "kind": "whole",
        "name": "seed",
        "label": "Seed",
        "value": 7,
        "start": 3,
        "low": -5,
        "high": 9_999,
        "fresh": "New",
    }


def test_a_parameter_applies_at_the_values_it_names() -> None:
    assert applicable((DATA, SEED), {"data": "digits", "seed": 3}) == (DATA, SEED)
    assert applicable((DATA, SEED), {"data": "worked", "seed": 3}) == (DATA,)


def test_a_parameter_may_apply_to_whatever_a_visitor_has_brought() -> None:
    row = IntParameter("row", "Row", 1, 9, 1, when={"data": (CUSTOM,)})
    assert applicable((BROUGHT, row), {"data": "upload.abc", "row": 1}) == (BROUGHT, row)
    assert applicable((BROUGHT, row), {"data": "worked", "row": 1}) == (BROUGHT,)


def test_a_query_gives_every_parameter_a_value() -> None:
    assert parse_query((DATA, SEED), {}) == {"data": "worked", "seed": 3}
    assert parse_query((DATA, SEED), {"data": "digits", "seed": "12"}) == {
        "data": "digits",
        "seed": 12,
    }


def test_unknown_names_are_named_and_refused() -> None:
    with pytest.raises(
        ParameterError,
        match=r'^This figure has no parameter "sed"; it has: data, seed\. Leave it out\.$',
    ) as error:
        parse_query((DATA, SEED), {"sed": "1", "seed": "12"})
    assert error.value.nearest == {"seed": "12"}


@given(st.text())
def test_whatever_an_unknown_name_holds_its_refusal_is_short_and_plain(name: str) -> None:
    with pytest.raises(ParameterError) as error:
        parse_query((), {name: "1"})
    repeated = str(error.value).split('"')[1]
    assert len(repeated) <= 25
    assert not set(repeated) - set(string.ascii_letters + string.digits + "_.-?…")


@pytest.mark.parametrize(
    ("names", "listed"),
    [
        ("ab", '"a", "b"; it'),
        ("abc", '"a", "b", "c"; it'),
        ("abcd", '"a", "b", "c" and others; it'),
        ("abcde", '"a", "b", "c" and others; it'),
    ],
)
def test_three_of_the_unknown_names_are_named(names: str, listed: str) -> None:
    with pytest.raises(ParameterError, match=f"no parameter {listed}"):
        parse_query((SEED,), dict.fromkeys(names, "1"))


def test_a_figure_without_parameters_says_so() -> None:
    with pytest.raises(ParameterError, match="it has: none"):
        parse_query((), {"seed": "1"})


@pytest.mark.parametrize(
    ("query", "seed"),
    [
        ({"data": "digits", "seed": "7"}, 7),
        ({"data": "worked", "seed": "7"}, 3),
        ({"seed": "7"}, 3),
    ],
)
def test_a_parameter_that_does_not_apply_takes_its_start(query: dict[str, str], seed: int) -> None:
    assert parse_query((DATA, SEED), query)["seed"] == seed


@pytest.mark.parametrize(("data", "case"), [("upload.abc", 7), ("table.x", 7), ("worked", 1)])
def test_a_parameter_may_apply_to_what_visitors_bring_alone(data: str, case: int) -> None:
    parameters = BROUGHT, IntParameter("case", "Case", 1, 9, 1, when={"data": (CUSTOM,)})
    assert parse_query(parameters, {"data": data, "case": "7"})["case"] == case


def test_every_mistake_of_a_query_is_named_and_mended() -> None:
    with pytest.raises(ParameterError) as error:
        parse_query((DATA, SEED), {"data": "x", "seed": "10000"})
    data, seed = str(error.value).splitlines()
    assert data.startswith("data must be")
    assert seed.startswith("seed must be")
    assert error.value.nearest == {"data": "worked", "seed": "9999"}


NAMES = st.sampled_from(["data", "seed"]) | st.text(max_size=4)


@given(st.dictionaries(NAMES, st.text(max_size=6) | st.integers().map(str)))
def test_the_nearest_query_of_any_query_is_allowed(query: dict[str, str]) -> None:
    try:
        values = parse_query((DATA, SEED), query)
    except ParameterError as error:
        parse_query((DATA, SEED), error.nearest)
    else:
        assert set(values) == {"data", "seed"}
