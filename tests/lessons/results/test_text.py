"""What the text says of the tables, and of our own figures."""

import re

import pytest

from lnviz.book import find_page
from lnviz.lessons.text import anchor
from lnviz.topics.images.groups import COUNTS
from lnviz.topics.images.training import GROUPS
from lnviz.topics.paper import CAPTIONS, IMAGES, SENTENCES
from tests.lessons.running import whole

LESSON, TEXT = whole("results")


def test_training_anew_moved_one_measure_little_and_the_other_much() -> None:
    gains = CAPTIONS.gains
    oe, ours, ln = (CAPTIONS.at(key) for key in ("oe", "ours", "ln"))
    assert 10 * abs(gains[oe, ours, 0]) < gains[ours, ln, 0]
    assert gains[ours, ln, 0] == pytest.approx(2, abs=0.5)  # "about two percentage points"
    assert gains[oe, ours, 3] > gains[ours, ln, 3]


def test_no_difference_in_the_first_table_is_as_large_as_ten() -> None:
    assert max(float(table.gains.nan_to_num().abs().max()) for table in (CAPTIONS, IMAGES)) < 10


def test_training_skip_thoughts_anew_made_three_measures_worse_and_four_better() -> None:
    gains = SENTENCES.gains[SENTENCES.at("original"), SENTENCES.at("ours")]
    assert (gains < 0).sum() == 3
    assert (gains > 0).sum() == 4
    assert (SENTENCES.gains[SENTENCES.at("original"), SENTENCES.at("ln")] > 0).all()


def test_of_our_convolutions_the_means_stand_in_the_papers_order_and_the_ranges_overlap() -> None:
    layer, batch, none = (
        GROUPS.result.tensor("accuracy", "batch_size", "seed", norm=key)
        for key in (str(COUNTS[0]), "batch", "none")
    )
    assert COUNTS[0] == 1
    assert (batch.mean(1) > layer.mean(1)).all()
    assert (layer.mean(1) > none.mean(1)).all()
    assert (layer.amax(1) > batch.amin(1)).all()


def test_a_link_to_another_lesson_leads_to_a_heading_or_a_figure_of_it() -> None:
    found = re.findall(r"\]\(([a-z-]+)#([a-z-]+)\)", TEXT)
    links = [link for link in found if link[0] != "reference"]  # the glossary has tests of its own
    assert len(links) == 5
    for slug, there in links:
        other = find_page(slug)
        assert other is not None
        prose = "\n".join(part for part in other.parts if isinstance(part, str))
        heads = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
        sections = (section.name for section in other.optional_sections)
        figures = (f"figure-{figure.name}" for figure in other.figures)
        assert there in {*map(anchor, heads), *sections, *figures}
