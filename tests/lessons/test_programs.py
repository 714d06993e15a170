"""What holds for the program beside every figure, wherever its controls stand."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from lnviz.book import PAGES
from lnviz.explorable import Choice, Explorable, Slider
from lnviz.lessons.program_output import ProgramOutput
from tests.lessons.running import built, presets, printed

PROGRAMS = [
    pytest.param(
        lesson.slug,
        figure.name,
        figure.program_output,
        tuple(query.items()),
        id="-".join([lesson.slug, figure.name, *query.values()]),
        marks=[] if lesson.slug == "axes" else [pytest.mark.slow],  # all take half a minute
    )
    for lesson in PAGES
    for figure in lesson.figures
    if figure.program_output
    for query in presets(figure)
]


def states(shown: Explorable, prints: ProgramOutput) -> Iterator[dict[str, int]]:
    """At rest, then every control at each of its ends, and a choice at all of its options."""
    yield shown.start_state()
    for control in shown.controls:
        first, last = 0, control.size - 1
        if isinstance(control, Slider) and control.name in prints.ranges:
            first, last = map(control.index, prints.ranges[control.name])
        for position in range(last + 1) if isinstance(control, Choice) else (first, last):
            yield shown.start_state() | {control.name: position}


@pytest.mark.parametrize(("slug", "name", "prints", "query"), PROGRAMS)
def test_the_program_prints_what_the_figure_shows(
    slug: str, name: str, prints: ProgramOutput, query: tuple[tuple[str, str], ...]
) -> None:
    shown = built(slug, name, *query)
    if not shown.code:
        assert query, "a figure that declares what its program prints has none where it starts"
        return
    said: dict[str, list[Tensor]] = {}
    compared = 0
    for state in states(shown, prints):
        code = shown.code_at(state)
        said[code] = said.get(code) or printed(shown, state)
        for value, drawn in prints.pairs(shown, state, said[code]):
            compared += 1
            assert value.shape == drawn.shape
            there = drawn.isfinite()
            torch.testing.assert_close(
                value[there].double(),
                drawn[there].double(),
                rtol=prints.tolerance,
                atol=prints.tolerance,
                msg=lambda message, state=state: f"{state}\n{message}",
            )
    assert compared > 1
