import pytest
import torch

from lnviz.explorable import Diagram
from lnviz.lessons.inside import final
from lnviz.norms import normalize
from lnviz.pretrained.final_norm import BARE, DIVISION, FINAL_NORM, GAINS, VARIANTS, WHOLE
from lnviz.pretrained.final_norm import final_norm_variants as read_in_each_way
from lnviz.pretrained.sample_texts import SENTENCES
from lnviz.pretrained.stored_records import stored_records
from lnviz.topics.transformer import NormLayer
from tests.lessons.claims import page_contains

RESULT = FINAL_NORM.result
CHANCES = RESULT.tensor("chances", "way", "text", "guess")[..., 0]
LEADING = RESULT.tensor("words", "way", "text", "guess")[..., 0]


def of(values: torch.Tensor, way: str) -> torch.Tensor:
    return values[VARIANTS.index(way)]


def test_gains_choose_the_token_and_both_halves_change_how_sure_the_model_is() -> None:
    assert torch.equal(of(LEADING, GAINS), of(LEADING, WHOLE))
    assert torch.equal(of(LEADING, DIVISION), of(LEADING, BARE))
    assert (of(LEADING, WHOLE) != of(LEADING, BARE)).sum() == len(SENTENCES) - 1  # the program
    # Without the division, with either gains:
    assert (of(CHANCES, GAINS) > of(CHANCES, WHOLE)).all()
    assert (of(CHANCES, BARE) > of(CHANCES, DIVISION)).all()
    # Without the gains, with one division:
    changed = of(CHANCES, DIVISION) - of(CHANCES, WHOLE)
    assert changed.min() < -0.5
    assert changed.max() > 0.1


def test_with_one_division_gains_alone_change_how_sure_the_model_is_of_paris() -> None:
    whole, division = (of(CHANCES, way)[0].item() for way in (WHOLE, DIVISION))
    assert (round(division, 2), round(whole, 2)) == (0.04, 0.77)
    assert page_contains("inside", "from 0.04 (for another token) to 0.77 (for “Paris”)")


@pytest.mark.parametrize("number", range(len(SENTENCES)))
def test_the_whole_norm_and_none_are_those_of_the_other_figures(number: int) -> None:
    record, text = stored_records("smollm2").sentence_records[number], SENTENCES[number]
    for way, guesses in ((WHOLE, record.normed), (BARE, record.bare)):
        words = RESULT.tensor("words", "guess", text=text, way=way)
        assert [RESULT.labels("word")[at] for at in words] == list(guesses.words[-1][-1])
        chances = RESULT.tensor("chances", "guess", text=text, way=way)
        assert chances.tolist() == pytest.approx(guesses.probabilities[-1][-1], abs=5e-4)


def test_the_figure_opens_without_the_gains_and_says_paris_with_them() -> None:
    figure = final.build()
    assert figure.start_state() == figure.state_at(final_norm=DIVISION)
    for way, word, chance in ((WHOLE, "Paris", 0.773), (BARE, "reponame", 1.0)):
        state = figure.state_at(final_norm=way)
        assert figure.tensors["1st"].words[int(figure.lookup("1st", state))] == word
        assert float(figure.lookup("1st chance", state)) == pytest.approx(chance, abs=5e-4)


def test_a_click_on_a_half_of_the_norm_takes_it_out_or_puts_it_back() -> None:
    figure = final.build()
    roads = {
        view.when["final norm"][0]: view
        for view in figure.views[0]
        if isinstance(view, Diagram) and any("RMS" in box.text for box in view.boxes)
    }
    goes = {
        way: [final.NORM.options[box.at[0]].value for box in road.boxes if box.at]
        for way, road in roads.items()
    }
    assert goes == {
        WHOLE: [GAINS, DIVISION],
        GAINS: [WHOLE, BARE],
        DIVISION: [BARE, WHOLE],
        BARE: [DIVISION, GAINS],
    }


def test_two_halves_make_the_norm() -> None:
    norm = NormLayer(final.RMS, 16, affine=True)
    with torch.no_grad():
        norm.weight.uniform_(-2, 2)
    x = 30 * torch.randn(3, 16)
    ways = read_in_each_way(norm, x)
    assert torch.equal(ways[BARE], x)
    torch.testing.assert_close(ways[WHOLE], ways[DIVISION] * norm.weight)
    torch.testing.assert_close(
        ways[DIVISION], normalize(ways[GAINS] / norm.weight, -1, center=False).y
    )
