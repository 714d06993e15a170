import pytest

from lnviz.topics.paper import CAPTIONS, DRAW, EXPERIMENTS, SENTENCES, PaperExperiment

EACH = pytest.mark.parametrize("each", EXPERIMENTS, ids=lambda each: each.key)


def find(key: str) -> PaperExperiment:
    return next(each for each in EXPERIMENTS if each.key == key)


def test_they_are_the_subsections_of_section_6_in_order() -> None:
    assert [each.section for each in EXPERIMENTS] == [f"6.{n}" for n in range(1, 8)]


@EACH
def test_the_terms_are_told_in_a_word(each: PaperExperiment) -> None:
    assert each.fair in ("yes", "in part", "no", "not said")
    assert each.against.startswith("no norm")


def test_numbers_are_there_for_those_that_we_show() -> None:
    with_numbers = {each.key: each.numbers for each in EXPERIMENTS if each.kind == "numbers"}
    assert with_numbers == {
        "order": CAPTIONS.source,
        "skip": SENTENCES.source,
        "draw": "the text",
    }
    assert DRAW.source == f"Section {find('draw').section}"


def test_the_digits_are_not_compared_on_equal_terms() -> None:
    digits = find("digits")
    assert digits.fair == "no"
    assert digits.batch == "128 and 4"


def test_no_comparison_with_batch_norm_is_called_equal() -> None:
    compared = [each for each in EXPERIMENTS if "BatchNorm" in each.against]
    assert [each.key for each in compared] == ["reader", "digits", "conv"]
    assert all(each.fair != "yes" for each in compared)
