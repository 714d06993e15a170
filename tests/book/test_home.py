import pytest
import torch
from torch.nn import functional as F

from lnviz.book import HOME, LESSONS, PAGES, find_page, learning_paths
from lnviz.book.home import final_norm, shift
from lnviz.book.previews import description
from lnviz.data.examples import digits
from lnviz.explorable import Chart, Diagram, Readout
from lnviz.lessons import Lesson
from lnviz.norms import RMS
from lnviz.pretrained.final_norm import BARE, DIVISION, GAINS, VARIANTS, WHOLE
from lnviz.pretrained.last_token import last_token
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.stored_records import stored_records
from tests.lessons.running import printed, views


def test_the_home_page_is_the_first_page_and_at_the_bare_address() -> None:
    assert PAGES[0] is HOME
    assert HOME.url_path == ""
    assert find_page("home") is HOME


def test_every_other_page_is_at_its_name() -> None:
    assert all(page.url_path == page.slug for page in PAGES[1:])


def test_every_page_can_be_reached_from_home() -> None:
    text = "\n".join(part for part in HOME.parts if isinstance(part, str))
    listed = learning_paths.lesson_cards(str)
    for page in PAGES[1:]:
        assert (
            f"[{page.title}]({page.slug})" in text or f'href="{page.slug}">{page.title}<' in listed
        )


@pytest.mark.slow
def test_with_the_final_norm_the_word_is_the_models_and_without_it_another_is_sure() -> None:
    built = final_norm.build()
    record = stored_records(SMOLLM2.key).record(final_norm.TEXT)
    assert record.normed is not None
    assert record.bare is not None
    for at, (way, said) in enumerate(
        ((record.normed, ("Paris", "the", "London")), (record.bare, ("reponame",)))
    ):
        state = built.start_state() | {"final norm": at}
        words = [built.tensors[f"word {n}"].words[at] for n in range(len(said))]
        assert words == list(said) == [w.strip() for w in way.words[-1][-1][: len(said)]]
        chances = torch.stack([built.lookup(f"chance {n}", state) for n in range(3)])
        kept_chances = torch.tensor(way.probabilities[-1][-1])
        torch.testing.assert_close(chances, kept_chances, atol=5e-4, rtol=0)
        torch.testing.assert_close(chances.sum() + built.lookup("others", state), torch.tensor(1.0))
    assert chances[0] > 0.99


def test_the_norm_hands_on_less_of_a_sum_that_has_grown() -> None:
    built = final_norm.build()
    record = stored_records(SMOLLM2.key).record(final_norm.TEXT)
    with_norm, without = built.tensors["handed"].values
    first, last = (built.tensors[name].values for name in ("first", "last"))
    assert float(last) == pytest.approx(float(without), rel=1e-3)
    assert without > with_norm > first
    sums = [built.tensors[f"sum {at}"].values for at in range(len(record.norms))]
    assert torch.equal(torch.stack(sums), torch.tensor(record.x_rms)[:, -1])


def test_the_model_is_read_from_a_copy_of_4_bits() -> None:
    assert "Q4_1" in SMOLLM2.files[0].path


def test_every_norm_of_the_model_is_drawn_once() -> None:
    built = final_norm.build()
    norms = len(stored_records(SMOLLM2.key).record(final_norm.TEXT).norms)
    for diagram in views(built, Diagram):
        dots = [box for box in diagram.boxes if box.token == RMS.key and not box.text]
        assert len(dots) + [box.text for box in diagram.boxes].count("final norm") == norms


def test_a_click_on_the_final_norm_takes_it_away_or_puts_it_back() -> None:
    on, off = views(final_norm.build(), Diagram)
    for diagram, to in ((on, 1), (off, 0)):
        (norm,) = (box for box in diagram.boxes if box.text == "final norm")
        assert norm.at == (to,)


def test_the_program_is_surer_without_the_norm_as_the_model_is() -> None:
    built = final_norm.build()
    handed, chance = printed(built, built.state_at(final_norm="on"))
    handed_bare, chance_bare = printed(built, built.state_at(final_norm="off"))
    torch.testing.assert_close(handed, torch.tensor(1.0), rtol=0, atol=1e-3)
    torch.testing.assert_close(handed_bare, built.tensors["last"].values, rtol=0.05, atol=0)
    assert chance < 0.1
    assert chance_bare > 0.99


def test_the_caption_of_the_first_figure_is_short() -> None:
    notes = [said for said in views(final_norm.build(), Readout) if said.style == "note"]
    assert all(len(note.text.split()) <= 45 for note in notes)


def test_divided_without_gains_the_wrong_word_is_first_and_with_gains_alone_the_right_one() -> None:
    end = last_token(final_norm.TEXT)
    first = {way: words[0].strip() for way, words in zip(VARIANTS, end.tokens, strict=True)}
    assert first[DIVISION] == first[BARE] == "reponame"
    assert first[GAINS] == first[WHOLE] == "Paris"
    chances = dict(zip(VARIANTS, end.probabilities[:, 0].tolist(), strict=True))
    assert chances[DIVISION] < 0.1
    assert chances[BARE] > 0.99


def test_before_is_the_example_shifted_and_scaled() -> None:
    built = shift.build()
    rest = built.lookup("x", built.state_at(shift=0.1, scale=1.0)) - 0.1
    moved = built.lookup("x", built.state_at(shift=-3.0, scale=2.0))
    torch.testing.assert_close(moved, 2 * rest - 3)
    torch.testing.assert_close(rest, digits(seed=0, features=6).values[0], atol=1e-6, rtol=0)


def test_after_the_last_step_is_what_pytorch_returns_wherever_the_sliders_are() -> None:
    built = shift.build()
    x, after = built.tensors["x"].values, built.tensors["after"].values
    expected = F.layer_norm(x, x.shape[-1:], shift.GAIN, shift.BIAS, shift.EPS)
    torch.testing.assert_close(after[-1], expected, atol=1e-4, rtol=0)
    torch.testing.assert_close(after[0], x - x.mean(-1, keepdim=True))
    var = built.tensors["var"].values
    torch.testing.assert_close(var, x.var(-1, correction=0))
    torch.testing.assert_close(built.tensors["std"].values, var.sqrt())


def test_the_output_does_not_move_to_the_decimals_that_are_shown() -> None:
    built = shift.build()
    after = built.tensors["after"].values[2:]
    assert float((after - after[:, :1, :1]).abs().max()) < 0.005
    shown = built.tensors["mean after"].values, built.tensors["std after"].values
    for values, value in zip(shown, (0, 1), strict=True):
        assert float((values - value).abs().max()) < 0.005


def test_every_dot_stays_on_the_axis() -> None:
    built = shift.build()
    (chart,) = views(built, Chart)
    low, high = chart.figure.layout.xaxis.range
    for name in ("x", "after"):
        values = built.tensors[name].values
        assert low < float(values.min())
        assert float(values.max()) < high


def test_a_thread_runs_from_each_value_to_its_result() -> None:
    built = shift.build()
    state = built.start_state()
    threads = built.lookup("threads", state).unflatten(-1, (-1, 3))
    assert torch.equal(threads[:, 0], built.lookup("x", state))
    assert torch.equal(threads[:, 1], built.lookup("after", state))
    assert threads[:, 2].isnan().all()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.slug)
def test_a_page_is_described_in_a_sentence_of_its_own(page: Lesson) -> None:
    said = description(page)
    assert said.endswith(".")
    assert (page.learning_outcome if page in LESSONS else page.summary) in said
    assert [description(other) for other in PAGES].count(said) == 1
