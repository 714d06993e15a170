"""What holds for every figure of every lesson wherever its controls stand, by its payload."""

import ast
import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from inspect import signature
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from lnviz import number_format
from lnviz.book import PAGES
from lnviz.explorable import EnumParameter
from lnviz.lessons import FigureSpec, Lesson, url_state
from tests.explorable.decoding import decode
from tests.lessons.running import document, presets

STEP_WORDS = 25
COUNTED = re.compile(
    r"\s([a-z]+ )?(batches|examples|features|gains|groups|images|layers|models|networks|"
    r"operations|points|positions|rows|steps|tokens|units|workers)\b"
)
"""What follows a count in the plural."""
Array = npt.NDArray[Any]
Document = Mapping[str, Any]


@dataclass(frozen=True)
class Over:
    """An array whose leading dimensions are controls."""

    controls: tuple[str, ...]
    values: Array

    def spread(self, controls: tuple[str, ...]) -> Array:
        """The array with a dimension, of size 1 where it has none, for each of these controls."""
        order = [self.controls.index(name) for name in controls if name in self.controls]
        rest = range(len(self.controls), self.values.ndim)
        moved = self.values.transpose(*order, *rest)
        lengths = iter(moved.shape)
        lead = [next(lengths) if name in self.controls else 1 for name in controls]
        return np.reshape(moved, (*lead, *lengths))  # what no control moves has no dimension


@dataclass(frozen=True)
class Drawn:
    """A figure as the browser gets it."""

    document: Document
    tensors: Mapping[str, Over]

    @property
    def controls(self) -> list[Document]:
        found: list[Document] = self.document["controls"]
        return found

    @property
    def views(self) -> Iterator[Document]:
        return (view for row in self.document["views"] for view in row)

    @property
    def charts(self) -> Iterator[Document]:
        return (view for view in self.views if view["kind"] == "chart")

    @property
    def texts(self) -> Iterator[tuple[Document, list[str | Document]]]:
        """Every text with live numbers, and the view that it stands in."""
        for view in self.views:
            for key in ("pieces", "title", "alt", "note"):
                if key in view:
                    yield view, view[key]
            rows = [row["label"] for row in view.get("rows", [])]
            rows += [box["text"] for box in view.get("boxes", [])]
            rows += [bar[key] for bar in view.get("bars", []) for key in ("label", "number")]
            if profile := view.get("profile"):
                rows += [*profile["headings"], *profile["ends"]]
            for text in [*view.get("row_labels", []), *view.get("labels", []), *rows]:
                yield view, text

    @property
    def numbers(self) -> Iterator[tuple[Document, Document]]:
        """Every live number in a text, and the view that it stands in."""
        for view, text in self.texts:
            for piece in text:
                if not isinstance(piece, str) and piece["name"] in self.tensors:
                    yield view, piece

    def shows_1(self, field: Document) -> Over:
        """Where a live number, or the label of a control, is written as 1."""
        if tensor := self.tensors.get(field["name"]):
            form = field["format"].rstrip("n+") or "2"
            ones = [
                bool(np.isfinite(x)) and number_format.number(float(x), form) == "1"
                for x in tensor.values.flat
            ]
            return Over(tensor.controls, np.reshape(ones, tensor.values.shape))
        found = [c["labels"] for c in self.controls if c["name"] == field["name"]]
        return Over((field["name"],), np.array([label == "1" for label in found[0]]))

    def shown(self, view: Document) -> list[Over]:
        """Where a view is shown: wherever all of these are true."""
        sizes = {control["name"]: len(control["labels"]) for control in self.controls}
        found = [
            Over((name,), np.isin(np.arange(sizes[name]), allowed))
            for name, allowed in view["when"].items()
        ]
        for condition, is_there in (("if_finite", True), ("if_nan", False)):
            if name := view.get(condition):
                tensor = self.tensors[name]
                found.append(Over(tensor.controls, np.isnan(tensor.values) != is_there))
        return found


def where(*conditions: Over) -> Array:
    """Where all are true, over the controls that any of them knows."""
    controls = tuple(dict.fromkeys(name for over in conditions for name in over.controls))
    masks = [over.spread(controls) for over in conditions]
    return reduce(np.logical_and, masks)


PLACES = [
    pytest.param(
        (lesson.slug, figure.name, *query.items()),
        id="-".join([lesson.slug, figure.name, *query.values()]),
        marks=[pytest.mark.slow] if query else [],
    )
    for lesson in PAGES
    for figure in lesson.figures
    for query in presets(figure)
]
each_lesson = pytest.mark.parametrize("lesson", PAGES, ids=lambda lesson: lesson.slug)


@pytest.fixture(scope="module", params=PLACES)
def drawn(request: pytest.FixtureRequest) -> Drawn:
    found = document(*request.param)
    tensors = {n: Over(tuple(t["over"]), decode(t)) for n, t in found["tensors"].items()}
    return Drawn(found, tensors)


def test_a_payload_is_json_of_less_than_300_kb_compressed_or_600_with_all_networks(
    drawn: Drawn,
) -> None:
    written = json.dumps(drawn.document, allow_nan=False)
    has_networks = any(view["kind"] == "units" for view in drawn.views)
    assert len(gzip.compress(written.encode())) < (600_000 if has_networks else 300_000)


def test_no_text_shows_a_number_that_is_undefined(drawn: Drawn) -> None:
    for view, piece in drawn.numbers:
        tensor = drawn.tensors[piece["name"]]
        missing = np.isnan(tensor.values)
        if piece["format"].endswith("+"):  # a sum, in which what is missing is no term
            missing = missing.all(-1)
        here = where(Over(tensor.controls, missing), *drawn.shown(view))
        assert not here.any(), (piece["name"], view.get("pieces") or view["title"])


def test_no_label_and_no_fixed_text_names_a_value_that_is_none(drawn: Drawn) -> None:
    fixed = [piece for _, text in drawn.texts for piece in text if isinstance(piece, str)]
    labels = [label for control in drawn.controls for label in control["labels"]]
    assert all(label.strip() for label in labels)
    for text in [drawn.document["title"], *labels, *fixed]:
        assert not re.search(r"\b(NaN|nan|None|null|inf)\b", text), text


def test_what_is_drawn_lies_inside_the_axes(drawn: Drawn) -> None:
    for chart in drawn.charts:
        traces = chart["figure"]["data"]
        for number, sources in chart["bind"].items():
            for attribute, source in sources.items():
                low, high = sorted(reach(chart, traces[int(number)], attribute))
                slack = (high - low) / 1000  # numbers are rounded on their way; less than a pixel
                for values in values_of(source):
                    tensor = drawn.tensors[values["tensor"]]
                    rest = tuple(range(len(tensor.controls), tensor.values.ndim))
                    outside = (tensor.values < low - slack) | (tensor.values > high + slack)
                    here = where(Over(tensor.controls, outside.any(rest)), *drawn.shown(chart))
                    assert not here.any(), (chart["title"], values["tensor"], low, high)


def values_of(source: Document) -> list[Document]:
    """The tensors that a source reads; a mark reads its place from the curve it stands on."""
    if source["kind"] == "band":
        return [edge for edge in (source["upper"], source["lower"]) if edge["kind"] == "values"]
    return [source] if source["kind"] == "values" else []


def reach(chart: Document, trace: Document, attribute: str) -> tuple[float, float]:
    """The ends of the axis, or of the color scale, that an attribute of a trace is drawn on."""
    if attribute == "z":
        return trace["zmin"], trace["zmax"]
    letter, *place = trace.get(f"{attribute}axis", attribute)
    low, high = chart["figure"]["layout"][f"{letter}axis{''.join(place)}"]["range"]
    return low, high


def test_the_words_for_a_picture_follow_every_control_that_moves_it(drawn: Drawn) -> None:
    for view in drawn.views:
        if "alt" not in view:
            continue
        bound = [s for each in view.get("bind", {}).values() for s in each.values()]
        sources = [values for source in bound for values in values_of(source)]
        drawn_from = {
            "pictures": ["values"],
            "cube": ["corners", "groups"],
            "photos": ["values", "scale", "shift"],
            "scene": ["camera"],
        }
        names = [view[name] for name in drawn_from.get(view["kind"], [])]
        names += [name for path in view.get("paths", []) for name in path["points"]]
        names += [spot["points"] for spot in view.get("spots", [])]
        names += [arrow["width"] for arrow in view.get("arrows", []) if arrow["width"]]
        names += [bar["fraction"] for bar in view.get("bars", [])]
        if profile := view.get("profile"):
            names += [profile["road"], profile["bars"]]
        sources += [{"tensor": name, "along": ""} for name in names]
        moving = {view["control"]} if view["kind"] == "diagram" else set()
        moving |= {source["control"] for source in bound if source.get("control")}
        moving |= {
            name
            for source in sources
            for name in drawn.tensors[source["tensor"]].controls
            if name != source["along"]
        }
        names = [piece["name"] for piece in view["alt"] if not isinstance(piece, str)]
        told = {
            c for n in names for c in (drawn.tensors[n].controls if n in drawn.tensors else [n])
        }
        assert moving <= told, (view["title"], moving - told)


def test_there_are_numbers_to_take_along(drawn: Drawn) -> None:
    kinds = {view["kind"] for view in drawn.views}
    tables = kinds & {"grid", "chart", "pictures", "scene"}
    assert tables or any(True for _ in drawn.numbers)


def test_a_step_is_one_short_sentence_and_its_numbers_exist_in_its_state(drawn: Drawn) -> None:
    for step in drawn.document["steps"]:
        fields = [piece for piece in step["pieces"] if isinstance(piece, dict)]
        text = "".join(piece if isinstance(piece, str) else "1" for piece in step["pieces"])
        assert len(text.split()) <= STEP_WORDS, text
        for name in {field["name"] for field in fields} & {*drawn.tensors}:
            over = drawn.tensors[name]
            shown = over.values[tuple(step["positions"][control] for control in over.controls)]
            assert np.isfinite(shown).any(), (text, name)


def test_nothing_is_counted_in_the_plural_at_1(drawn: Drawn) -> None:
    for view, text in drawn.texts:
        for piece, after in pairwise(text):
            if not isinstance(piece, str) and isinstance(after, str) and COUNTED.match(after):
                assert not where(drawn.shows_1(piece), *drawn.shown(view)).any(), text


def test_no_two_controls_or_parameters_of_a_figure_share_a_name(drawn: Drawn) -> None:
    names = [control["slug"] for control in drawn.controls]
    names += [parameter["name"] for parameter in drawn.document["parameters"]]
    assert len(set(names)) == len(names)


def test_the_code_does_without_this_package_and_ends_by_printing(drawn: Drawn) -> None:
    code = drawn.document["code"]
    assert "lnviz" not in code
    for control in drawn.controls:
        code = code.replace(f"«{control['name']}»", control["codes"][control["start"]])
    if code:
        assert ast.unparse(ast.parse(code).body[-1]).startswith("print(")


@each_lesson
def test_each_figure_of_a_core_has_steps(lesson: Lesson) -> None:
    figures = [part for part in lesson.core if isinstance(part, FigureSpec)]
    without = [f.name for f in figures if not document(lesson.slug, f.name)["steps"]]
    assert without == []


@each_lesson
def test_no_two_names_of_a_lesson_meet_in_the_address(lesson: Lesson) -> None:
    found = [document(lesson.slug, figure.name) for figure in lesson.figures]
    names = [control["slug"] for each in found for control in each["controls"]]
    names += [parameter.name for figure in lesson.figures for parameter in figure.parameters]
    assert len(set(names)) == len(names)
    assert not {"hide", "screen", "theme"} & set(names)  # these say something else in an address


@each_lesson
def test_what_an_address_may_name_of_a_figure_is_listed(lesson: Lesson) -> None:
    for figure in lesson.figures:
        known = url_state.allowed_settings(lesson.slug, figure)
        for control in document(lesson.slug, figure.name)["controls"]:
            message = "write it anew: python -m lnviz new addresses"
            assert control["slug"] in url_state.url_names(lesson.slug, figure), message
            allowed = known[control["slug"]]
            assert allowed is None or set(control["values"]) <= set(allowed), message


@each_lesson
def test_the_first_figure_of_a_lesson_has_code(lesson: Lesson) -> None:
    for figure in lesson.figures[:1]:
        assert document(lesson.slug, figure.name)["code"]


@each_lesson
def test_a_figure_goes_on_to_another_option_than_its_start(lesson: Lesson) -> None:
    for figure in lesson.figures:
        for pick in figure.parameters:
            if isinstance(pick, EnumParameter) and pick.full_value:
                assert pick.full_value in {option.value for option in pick.options} - {pick.start}


@each_lesson
def test_a_figure_takes_the_arguments_that_its_address_can_give(lesson: Lesson) -> None:
    for figure in lesson.figures:
        assert set(signature(figure.build).parameters) == {p.name for p in figure.parameters}
