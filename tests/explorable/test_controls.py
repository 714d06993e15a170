import ast
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnviz.explorable import CellPicker, Choice, Option, Slider, StepChoice, Toggle, slug

# What the script of the page is asked, too.
POSITIONS = Path(__file__).parents[1] / "frontend" / "engine" / "positions.json"
READ = json.loads(POSITIONS.read_text())
VALUES = st.floats(-1e6, 1e6).map(lambda value: value + 0.0)
STEPS = ["0.001", "0.002", "0.01", "0.02", "0.05", "0.1", "0.25", "0.5", "1", "2", "2.5", "10"]


# Sliders are made by the tests, not by the strategies: the checker of shapes takes samples of a
# tuple at random, which hypothesis does not allow a strategy.
@st.composite
def sliders(draw: st.DrawFn) -> Callable[[], Slider]:
    values = tuple(sorted(draw(st.sets(VALUES, min_size=1, max_size=20))))
    start, decimals = draw(st.sampled_from(values)), draw(st.integers(0, 4))
    return lambda: Slider("s", values, start, decimals)


@st.composite
def linear_sliders(draw: st.DrawFn) -> tuple[Callable[[], Slider], list[float]]:
    """A slider, and the values that its low end and its step make in exact arithmetic."""
    step, low = (Decimal(draw(st.sampled_from(STEPS))) for _ in range(2))
    low *= draw(st.integers(-50, 50))
    values = [float(low + i * step) for i in range(draw(st.integers(1, 60)))]
    start = draw(st.sampled_from(values))
    return lambda: Slider.linear("s", values[0], values[-1], float(step), start), values


@given(sliders())
def test_every_value_of_a_slider_stands_at_its_own_position(drawn: Callable[[], Slider]) -> None:
    slider = drawn()
    assert [slider.index(value) for value in slider.values] == list(range(slider.size))


@given(sliders(), VALUES)
def test_no_position_is_nearer_to_a_number_than_its_index(
    drawn: Callable[[], Slider], value: float
) -> None:
    slider = drawn()
    distances = [abs(value - candidate) for candidate in slider.values]
    assert distances[slider.index(value)] == min(distances)


@given(sliders())
def test_numbers_beyond_the_ends_belong_to_the_ends(drawn: Callable[[], Slider]) -> None:
    slider = drawn()
    assert slider.index(float("-inf")) == 0
    assert slider.index(float("inf")) == slider.size - 1


@given(sliders())
def test_a_slider_reads_back_its_own_values(drawn: Callable[[], Slider]) -> None:
    slider = drawn()
    read = [slider.parse_index(str(value)) for value in slider.values]
    assert read == list(range(slider.size))


@pytest.mark.parametrize("case", READ, ids=lambda case: repr(case["text"]))
def test_a_slider_reads_an_address_as_the_page_does(case: dict[str, Any]) -> None:
    values = tuple(map(float, case["values"]))
    for start in values:
        slider = Slider("s", values, start)
        wanted = slider.start_index if case["position"] is None else case["position"]
        assert slider.parse_index(case["text"]) == wanted


@given(sliders(), st.text())
def test_a_slider_reads_any_text_as_one_of_its_positions(
    drawn: Callable[[], Slider], text: str
) -> None:
    slider = drawn()
    assert slider.parse_index(text) in range(slider.size)


@pytest.mark.parametrize("text", ["", " ", "nan", "one", "1,5", "1 2", "None"])
def test_what_is_no_number_is_read_as_the_start(text: str) -> None:
    slider = Slider.linear("gain", -3, 3, 0.5, 1)
    assert slider.parse_index(text) == slider.start_index


@given(linear_sliders())
def test_a_linear_slider_has_the_decimal_values_its_step_makes(
    drawn: tuple[Callable[[], Slider], list[float]],
) -> None:
    make, values = drawn
    slider = make()
    assert list(slider.values) == values


@given(linear_sliders())
def test_the_labels_of_a_linear_slider_say_its_values_exactly(
    drawn: tuple[Callable[[], Slider], list[float]],
) -> None:
    make, values = drawn
    slider = make()
    said = [slider.label(i).replace("−", "-").replace(",", "") for i in range(slider.size)]
    assert [float(text) for text in said] == values


@given(linear_sliders())
def test_a_label_has_a_minus_sign_as_all_numbers_on_the_page(
    drawn: tuple[Callable[[], Slider], list[float]],
) -> None:
    make, values = drawn
    slider = make()
    signs = [slider.label(i)[0] == "−" for i in range(slider.size)]
    assert signs == [value < 0 for value in values]


@given(linear_sliders())
def test_no_position_is_called_minus_zero(drawn: tuple[Callable[[], Slider], list[float]]) -> None:
    slider = drawn[0]()
    document = slider.payload()
    texts = [*map(str, document["values"]), *document["labels"], *document["codes"]]
    assert not [text for text in texts if text[0] in "-−" and not float(text[1:])]


@given(st.integers(-12, 0), st.integers(1, 6), st.integers(1, 60))
def test_decades_contain_every_power_of_ten(low: int, span: int, per_decade: int) -> None:
    slider = Slider.decades("s", low, low + span, per_decade, 10.0**low)
    assert slider.size == span * per_decade + 1
    for power in range(low, low + span + 1):
        assert slider.values[(power - low) * per_decade] == float(f"1e{power}")


@given(st.integers(-12, 0), st.integers(1, 6), st.integers(1, 60))
def test_decades_are_equally_spaced_on_a_logarithmic_axis(
    low: int, span: int, per_decade: int
) -> None:
    slider = Slider.decades("s", low, low + span, per_decade, 10.0**low)
    for i, value in enumerate(slider.values):
        # Three digits are kept: half of the third one off, at most.
        assert value == pytest.approx(10 ** (low + i / per_decade), rel=0.005)


@given(st.integers(-12, 0), st.integers(1, 6), st.integers(1, 60))
def test_the_labels_of_decades_say_their_values_exactly(
    low: int, span: int, per_decade: int
) -> None:
    slider = Slider.decades("s", low, low + span, per_decade, 10.0**low)
    plain = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", ",")
    labels = [slider.label(i).replace(" × 10", "e").translate(plain) for i in range(slider.size)]
    assert tuple(map(float, labels)) == slider.values


def test_small_numbers_are_written_with_a_power_of_ten() -> None:
    slider = Slider.decades("epsilon", -12, -1, 10, 1e-5)
    assert slider.label(slider.start_index) == "1 × 10⁻⁵"
    assert slider.label(0) == "1 × 10⁻¹²"


@given(sliders())
def test_the_code_of_a_slider_is_its_value_in_python(drawn: Callable[[], Slider]) -> None:
    slider = drawn()
    for i, value in enumerate(slider.values):
        written = ast.literal_eval(slider.code(i))
        assert written == (int(value) if slider.decimals == 0 else value)


def test_whole_numbers_stand_in_the_code_without_a_point() -> None:
    assert Slider.linear("batch size", 1, 4, 1, 4).code(2) == "3"


@given(sliders())
def test_a_slider_rests_at_its_start(drawn: Callable[[], Slider]) -> None:
    slider = drawn()
    assert slider.values[slider.start_index] == slider.start


CONTROLS = [
    Slider.linear("batch size", 1, 4, 1, 4),
    Slider.decades("case scale", -2, 2, 50, 1.0),
    Choice("norm", (Option("batch", "BatchNorm"), Option("layer", "LayerNorm")), "layer"),
    StepChoice("step", (Option("mean", "mean", code="m"), Option("all", "all", code="y")), "mean"),
    Toggle("layout", (Option("rows", "as rows"), Option("columns", "as columns")), "rows"),
    CellPicker("cell", ("case 1", "case 2"), ("1", "2", "3"), "feature", (1, 2)),
]


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.name)
def test_the_browser_gets_a_label_and_a_code_for_every_position(control: Slider) -> None:
    document = json.loads(json.dumps(control.payload()))
    assert document["labels"] == [control.label(i) for i in range(control.size)]
    assert document["codes"] == [control.code(i) for i in range(control.size)]
    assert document["start"] == control.start_index
    assert document["name"] == control.name


def test_every_kind_of_control_says_what_it_is() -> None:
    kinds = [control.payload()["kind"] for control in CONTROLS]
    assert kinds == ["slider", "slider", "choice", "stepper", "switch", "pointer"]


@pytest.mark.parametrize("kind", [Choice, StepChoice, Toggle])
def test_the_options_of_a_choice_stand_in_their_order(kind: type[Choice]) -> None:
    options = (Option("b", "B", "batch", "x"), Option("a", "A", "layer", "y"))
    choice = kind("c", options, "a", {"d": (2,)})
    assert choice.start_index == 1
    assert [choice.index(option.value) for option in options] == [0, 1]
    assert [choice.label(i) for i in range(choice.size)] == ["B", "A"]
    document = choice.payload()
    assert document["values"] == ["b", "a"]
    assert document["colors"] == ["batch", "layer"]
    assert document["codes"] == ["x", "y"]
    assert document["when"] == {"d": [2]}


LABELS = st.lists(st.from_regex("[a-z0-9]{1,5}", fullmatch=True), min_size=1, max_size=6).map(tuple)


@given(LABELS, LABELS, st.data())
def test_the_cells_of_a_pointer_are_counted_row_by_row(
    rows: tuple[str, ...], columns: tuple[str, ...], data: st.DataObject
) -> None:
    cell = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(columns) - 1))
    pointer = CellPicker("cell", rows, columns, "feature", cell)
    cells = [(row, column) for row in range(len(rows)) for column in range(len(columns))]
    assert [pointer.index(cell) for cell in cells] == list(range(pointer.size))
    assert cells[pointer.start_index] == cell


@pytest.mark.parametrize("start", [(2, 0), (0, 3), (-1, 0), (0, -1)])
def test_a_pointer_starts_at_one_of_its_cells(start: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="is not a row and a column of its 2 x 3 cells"):
        CellPicker("cell", ("1", "2"), ("1", "2", "3"), "feature", start)


@given(LABELS, LABELS)
def test_a_cell_is_named_by_its_row_and_column_and_coded_as_an_index(
    rows: tuple[str, ...], columns: tuple[str, ...]
) -> None:
    pointer = CellPicker("cell", rows, columns, "feature")
    for i in range(pointer.size):
        row, column = ast.literal_eval(pointer.code(i))
        assert pointer.index((row, column)) == i
        assert pointer.label(i) == f"{rows[row]}, feature {columns[column]}"


def test_in_a_single_row_without_a_name_a_cell_is_named_by_its_column() -> None:
    pointer = CellPicker("unit", ("",), ("1", "2"), "unit")
    assert [pointer.label(i) for i in range(pointer.size)] == ["unit 1", "unit 2"]


def test_a_name_stands_in_the_address_without_blanks() -> None:
    assert slug("per-step factor") == "per-step-factor"
    assert slug("cell") == "cell"


@pytest.mark.parametrize("values", [(1.0, 0.0), (0.0, 0.0, 1.0)])
def test_values_that_do_not_ascend_are_refused(values: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"^slider 's': values must ascend without repeats$"):
        Slider("s", values, values[0])


def test_a_slider_with_names_shows_them_in_place_of_its_values() -> None:
    slider = Slider("s", (1.0, 2.0), 1.0, names=("first", "second"))
    assert slider.payload()["labels"] == ["first", "second"]
    assert slider.payload()["values"] == [1.0, 2.0]


def test_a_slider_needs_as_many_names_as_values() -> None:
    with pytest.raises(ValueError, match=r"^slider 's': 2 values need as many names, received 1$"):
        Slider("s", (1.0, 2.0), 1.0, names=("first",))


def test_a_slider_cannot_rest_between_its_values() -> None:
    with pytest.raises(ValueError, match=r"^slider 's': start 0\.4 is not one of its values$"):
        Slider.linear("s", 0, 1, 0.5, 0.4)


@pytest.mark.parametrize("kind", [Choice, StepChoice, Toggle])
def test_two_options_of_one_value_are_refused(kind: type[Choice]) -> None:
    options = (Option("a", "A"), Option("a", "B"))
    with pytest.raises(ValueError, match=r"^choice 'c': two options share a value: \['a', 'a'\]$"):
        kind("c", options, "a")


@pytest.mark.parametrize("kind", [Choice, StepChoice, Toggle])
def test_a_choice_cannot_rest_at_an_option_it_lacks(kind: type[Choice]) -> None:
    with pytest.raises(ValueError, match=r"^choice 'c': start 'b' is not one of \['a'\]$"):
        kind("c", (Option("a", "A"),), "b")


@pytest.mark.parametrize("count", [1, 3])
def test_a_switch_has_two_options(count: int) -> None:
    options = tuple(Option(str(i), str(i)) for i in range(count))
    with pytest.raises(
        ValueError,
        match=rf"^switch 's' turns between two options, received {count}; "
        "a Choice takes any number$",
    ):
        Toggle("s", options, "0")
