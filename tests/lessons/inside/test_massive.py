import math
from dataclasses import replace

import pytest
import torch
from torch.nn.functional import rms_norm

from lnviz.explorable import Chart, Readout
from lnviz.lessons.inside import massive
from lnviz.lessons.inside.reading import stored_record, sublayer_norms
from lnviz.pretrained import PACKAGES
from lnviz.pretrained.records import TextRecord
from lnviz.pretrained.stored_records import stored_records

SMOL, MINILM = stored_records("smollm2"), stored_records("minilm")
TEXTS = {
    key: (*stored_records(key).sentence_records, stored_records(key).passage_record)
    for key in PACKAGES
}
NOES = SMOL.sentence_records[10]


def first(found: TextRecord, name: str) -> torch.Tensor:
    """A row of a record for the component that is massive and the first token; S numbers."""
    component = found.zeroed.component
    rows = zip(found.largest, getattr(found, name), strict=True)
    return torch.tensor(
        [
            values[0][which[0].index(component)] if component in which[0] else torch.nan
            for which, values in rows
        ]
    )


def cut(found: TextRecord) -> TextRecord:
    """The same for a text of one token, as a language model has it."""

    def one(rows):
        return tuple(row[:1] for row in rows)

    z = replace(found.zeroed, loss=None, at_token=None, at_others=None, other=(None,) * 16)
    names = ("x_rms", "y_rms", "largest", "x_largest", "y_largest")
    parts = {name: one(getattr(found, name)) for name in names}
    return replace(found, tokens=found.tokens[:1], zeroed=z, **parts)


def said(found: TextRecord) -> str:
    views = [view for row in massive.outlier_figure(found).views for view in row]
    return " ".join(view.text for view in views if isinstance(view, Readout))


@pytest.mark.parametrize("text", ["1", "2", "11"])
@pytest.mark.parametrize("key", PACKAGES)
def test_the_figure_shows_the_record_on_one_scale_before_and_after(key, text):
    figure, record = massive.build(key, text), stored_record(key, text)
    whole = {"layer": slice(None), "outlier": slice(None)}
    for tensor, stored in (
        ("component", record.largest),
        ("x", record.x_largest),
        ("y", record.y_largest),
    ):
        largest = torch.tensor(stored)[..., 0].float()
        assert torch.allclose(figure.lookup(tensor, whole), largest, rtol=1e-6)
    share = (torch.tensor(record.x_largest)[..., 0] / torch.tensor(record.x_rms)).square()
    width = stored_records(key).gains.shape[1]
    assert torch.allclose(figure.lookup("share", whole), (share / width).clamp(max=1), rtol=1e-5)
    before, after = (view for view in figure.views[0] if isinstance(view, Chart))
    assert before.figure.layout.yaxis == after.figure.layout.yaxis


def test_a_text_of_one_token_has_no_loss_and_the_figure_says_so():
    found = cut(SMOL.sentence_records[0])
    assert "and so no loss" in said(found)
    charts = [view for row in massive.outlier_figure(found).views for view in row]
    assert not [view for view in charts if isinstance(view, Chart) and "set to 0" in view.title]


def test_a_loss_beyond_float32_is_said_to_be_so():
    found = SMOL.sentence_records[0]
    text = said(replace(found, zeroed=replace(found.zeroed, at_token=None)))
    assert "”: beyond float32; at all other tokens" in text
    assert "3.69 for the unchanged model" in text


@pytest.mark.slow
@pytest.mark.parametrize("key", PACKAGES)
def test_what_is_said_of_components_set_to_0_is_the_record(key):
    found, digits = stored_records(key).passage_record, {"smollm2": 2, "minilm": 4}[key]
    z = found.zeroed
    for loss in (z.loss, z.at_token, z.at_others, min(z.other), max(z.other)):
        assert f"{loss:.{digits}f}" in said(found)


def test_a_token_with_braces_is_shown_as_it_is():
    found = SMOL.sentence_records[0]
    assert "“{{x}}”" in said(replace(found, tokens=("{x}", *found.tokens[1:])))


@pytest.mark.parametrize("key", PACKAGES)
def test_every_text_has_its_largest_number_in_one_component_of_its_first_token(key):
    assert len({found.zeroed.component for found in TEXTS[key]}) == 1
    assert {found.zeroed.token for found in TEXTS[key]} == {0}
    assert len({massive.peak(found).norm for found in TEXTS[key]}) == 1


def test_two_texts_have_the_extremes_and_the_norm_makes_the_same_of_all():
    peaks = {found.tokens[0]: massive.peak(found) for found in TEXTS["smollm2"]}
    assert min(peaks, key=lambda token: peaks[token].value) == "To"
    assert max(peaks, key=lambda token: peaks[token].value) == "Two"
    assert len({peak.behind for peak in peaks.values()}) == 1
    assert min(peak.share for peak in peaks.values()) > 0.98


def test_one_feed_forward_sublayer_writes_the_number_and_two_take_most_of_it_away():
    for found in TEXTS["smollm2"]:
        at = massive.peak(found).norm
        assert found.norms[at - 1] == "layers.11.feedforward"
        assert found.x_largest[at - 1][0][0] < 0.01 * massive.peak(found).value
        x = first(found, "x_largest").nan_to_num(0.0)
        taken = [
            x[place] - x[place + 1] for place in sublayer_norms(found.norms, "feedforward")[-2:]
        ]
        assert min(taken) > 0
        assert sum(taken) > 0.5 * massive.peak(found).value


def test_what_reads_the_number_is_up_to_the_gains_of_the_feed_forward_norms():
    component = SMOL.passage_record.zeroed.component
    sizes = SMOL.gains.abs()[sublayer_norms(SMOL.passage_record.norms, "feedforward")]
    assert (sizes[11:27, component] < 0.01 * sizes[11:27].median(-1).values).all()
    assert (sizes[-2:].argmax(-1) == component).all()


def test_three_texts_begin_alike_and_have_the_same_numbers_there():
    alike = [found for found in SMOL.sentence_records if found.tokens[0] == "The"]
    assert len(alike) == 3
    rows = [[row[0] for row in found.x_largest] for found in alike]
    assert rows[0] == rows[1] == rows[2]


def test_a_word_said_again_and_again_has_the_number_at_every_token_and_other_texts_at_the_first():
    def most(found: TextRecord) -> torch.Tensor:
        return torch.tensor(found.x_largest).abs().amax((0, 2))

    assert most(NOES).min() > 4000
    assert all(most(found)[1:].max() < 2000 for found in SMOL.sentence_records if found is not NOES)
    assert {token.strip() for token in NOES.tokens} == {"no"}


def test_minilms_first_feed_forward_sublayer_makes_the_number_and_the_norm_cuts_it_down():
    for found in TEXTS["minilm"]:
        at = massive.peak(found).norm
        assert found.norms[at] == "layers.0.feedforward"
        assert massive.peak(found).behind == pytest.approx(8.13, abs=0.005)


@pytest.mark.parametrize("key", PACKAGES)
def test_without_the_number_more_changes_than_without_any_of_the_others(key):
    for found in TEXTS[key]:
        unchanged, at_token, _, *others = massive.losses(found).tolist()
        assert abs(at_token - unchanged) > max(abs(loss - unchanged) for loss in others)


def test_only_the_text_that_repeats_a_word_is_read_better_without_the_number():
    changes = {found.text: massive.losses(found)[:2] for found in SMOL.sentence_records}
    assert [text for text, (whole, without) in changes.items() if without < whole] == [NOES.text]
    assert max(changes, key=lambda text: float(changes[text][0])) == NOES.text


def test_on_the_page_the_component_is_needed_more_at_the_other_tokens_where_it_is_far_smaller():
    found = SMOL.passage_record
    unchanged, at_token, at_others, *_ = massive.losses(found).tolist()
    assert at_others > at_token > unchanged + 1
    assert torch.tensor(found.x_largest).abs()[:, 1:].max() < 0.1 * massive.peak(found).value


@pytest.mark.parametrize(("width", "size"), [(576, 2e4), (1024, 5e3), (1024, -5e5)])
def test_rmsnorm_gives_what_holds_nearly_all_squares_the_root_of_the_width(width, size):
    x = torch.randn(width, generator=torch.Generator().manual_seed(0))
    x[7] = size
    y = rms_norm(x, (width,), eps=1e-5)
    assert float(y[7]) == pytest.approx(math.copysign(width**0.5, size), abs=0.1)
    assert float(y.square().sum()) == pytest.approx(width, rel=1e-4)


def test_in_minilm_layers_1_to_4_write_the_component_again_and_smaller():
    for found in TEXTS["minilm"]:
        before, after = (
            first(found, "x_largest").abs()[sublayer_norms(found.norms, part)]
            for part in ("attention", "feedforward")
        )
        assert (after[1:5] > 2 * before[1:5]).all()
        assert after[5] < 1.5 * before[5]
        assert (after[1:] < after[0]).all()
