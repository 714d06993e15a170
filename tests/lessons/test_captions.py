from collections.abc import Mapping
from pathlib import Path

import pytest
import torch

from lnviz.explorable import Choice, Explorable, Option, Readout, Slider, SweptTensor
from lnviz.lessons.captions import CaptionVariant, Values, load_captions, parse_captions

GAIN = """# The gain

At gain {gain} it is {slope:3 value}, over {{units}} units.[=units]

::: verdict when norm=batch|layer; gain=2 given slope
It is steep.[=steep] It stays so
in the next line.

And steeper.
:::

::: note for ends lacking slope
{{name}} ends at {{{key}}:1}.
:::

## later

Later.
"""
ENDS = {
    "ends": (
        CaptionVariant({"gain": (1.0,)}, {"name": "One", "key": "slope"}),
        CaptionVariant({"gain": (2.0,)}, {"name": "Two", "key": "norm"}),
    )
}


def test_paragraphs_are_sentences_with_their_values_looks_and_conditions() -> None:
    said = parse_captions(GAIN, "gain.md").render({"units": 4000}, ENDS)
    assert said.title == "The gain"
    steep = {"norm": ("batch", "layer"), "gain": (2.0,)}
    text, end = "It is steep. It stays so in the next line.", "gain.md, line 13"
    assert said.readouts == (
        Readout(
            "At gain {gain} it is {slope:3 value}, over 4,000 units.", location="gain.md, line 3"
        ),
        Readout(text, "verdict", steep, "slope", location="gain.md, line 6"),
        Readout("And steeper.", "verdict", steep, "slope", location="gain.md, line 9"),
        Readout("One ends at {slope:1}.", "note", {"gain": (1.0,)}, "", "slope", end),
        Readout("Two ends at {norm:1}.", "note", {"gain": (2.0,)}, "", "slope", end),
    )
    assert said.sections["later"] == (Readout("Later.", location="gain.md, line 18"),)


def test_what_has_no_case_is_not_said() -> None:
    assert parse_captions("# A\n\nB\n\n::: note for none\nC\n:::", "a.md").render(
        variants={"none": ()}
    ).readouts == (Readout("B", location="a.md, line 3"),)


def test_the_words_of_a_module_stand_beside_it(tmp_path: Path) -> None:
    (tmp_path / "gain.md").write_text(GAIN, encoding="utf-8")
    assert load_captions(str(tmp_path / "gain.py")) == parse_captions(GAIN, "gain.md")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "^a.md: begins with the figure’s title, as # and a text$"),
        ("It is.", "^a.md: begins with the figure’s title"),
        ("# A\n\n- It is.", "^a.md, line 3: a figure says paragraphs, got a bullet list$"),
        ("# A\n\n::: note\n### B\n:::", "^a.md, line 4: a figure says paragraphs, got a heading$"),
        ("# A\n\n## B\n\n## B", r"^a.md: sections have names of their own, got \['B', 'B'\]$"),
        ("# A\n\n::: loud\nB\n:::", "^a.md, line 3: a block begins with step, finding, note,"),
        ("# A\n\n::: note given\nB\n:::", "line 3: a block begins .* got 'note given'$"),
        (
            "# A\n\n::: note when norm\nB\n:::",
            "^a.md, line 3: a condition is written as norm=batch or .*, got 'norm'$",
        ),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        parse_captions(text, "a.md")


@pytest.mark.parametrize(
    ("text", "values", "cases", "fault"),
    [
        ("Of {{all}}.", {}, {}, r"^a.md, line 3: \{\{all\}\}: there is no value of this name"),
        ("Of {{all:1}}.", {"all": "B"}, {}, r"^a.md, line 3: .* a text is written as it is"),
        ("So.", {"all": 3}, {}, r"^a.md: no sentence has a place for the value \['all'\]$"),
        (
            "So.",
            {},
            {"ends": (CaptionVariant({}),)},
            r"^a.md: no sentence has a place for the cases \['ends'\]$",
        ),
        (
            "::: note for ends\nSo.\n:::",
            {},
            {},
            r"^a.md, line 4: no cases are called 'ends'; there are \[\]$",
        ),
        (
            "::: note for ends\nSo.\n:::",
            {},
            {"ends": (CaptionVariant({}, {"all": 3}),)},
            r"^a.md: no sentence has a place for the value \['all'\]$",
        ),
    ],
)
def test_values_and_cases_are_those_of_the_sentences(
    text: str, values: Values, cases: Mapping[str, tuple[CaptionVariant, ...]], fault: str
) -> None:
    with pytest.raises(ValueError, match=fault):
        parse_captions(f"# A\n\n{text}", "a.md").render(values, cases)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("It is {slop:1}.", r"^a.md, line 3 names \['slop'\], which do not exist$"),
        ("::: note given slop\nB\n:::", r"^a.md, line 4 names \['slop'\], which do not exist$"),
        ("::: note when nor=a\nB\n:::", r"^a.md, line 4 names \['nor'\], which do not exist$"),
        ("::: note when norm=c\nB\n:::", "^a.md, line 4: 'norm' has no position 'c'; it has"),
        ("::: note when gain=3\nB\n:::", "^a.md, line 4: 'gain' has no position 3.0; it has"),
    ],
)
def test_a_figure_says_which_line_names_what_it_has_not(text: str, fault: str) -> None:
    said = parse_captions(f"# A\n\n{text}", "a.md").render()
    with pytest.raises(ValueError, match=fault):
        Explorable(
            title=said.title,
            controls=(
                Slider("gain", (1.0, 2.0), 1.0),
                Choice("norm", (Option("a", "A"), Option("b", "B")), "a"),
            ),
            tensors={"slope": SweptTensor(("gain",), torch.zeros(2))},
            views=(said.readouts,),
        )


def test_a_step_is_read_with_its_state_and_the_pictures_it_speaks_of() -> None:
    first = "::: step\nOne of {{layers}}.[=a]\n:::"
    second = "::: step coming in=1.5; norm=layer about 1, 3\nTwo. Find it.[=to-find]\n:::"
    text = f"# T\n\n{first}\n\n{second}"
    said = parse_captions(text, "a.md").render({"layers": 50})
    assert said.readouts == ()
    one, two = said.steps
    assert (one.text, one.values, one.about, one.is_task) == ("One of 50.", {}, (), False)
    assert (two.text, two.values, two.about, two.is_task) == (
        "Two. Find it.",
        {"coming in": 1.5, "norm": "layer"},
        (1, 3),
        True,
    )
