import pytest
import torch

from lnviz.lessons.inside import lens
from lnviz.norms import normalize
from lnviz.pretrained.stored_records import stored_records

RECORDS = stored_records("smollm2").sentence_records


def leading(way, layer):
    """The likeliest token at every place of every text, behind a layer."""
    return [place[0] for found in RECORDS for place in getattr(found, way).words[layer]]


def chances(way, layer):
    return torch.tensor(
        [place[0] for found in RECORDS for place in getattr(found, way).probabilities[layer]]
    )


def shown(figure, tensor, state):
    return figure.tensors[tensor].words[int(figure.lookup(tensor, state))]


def test_the_figure_shows_what_is_read_off():
    figure = lens.build("1")
    state = figure.start_state()
    assert shown(figure, f"1st word {lens.NORMED}", state) == "Paris"
    assert shown(figure, "in the end", state) == "Paris"
    assert figure.lookup("in the text", state).isnan()  # it ends there
    found = RECORDS[0].bare
    state = figure.state_at(layer=3.0, up_to=1)
    assert shown(figure, f"2nd word {lens.BARE}", state) == lens.guessed_token(found.words[4][1][1])
    chance = float(figure.lookup(f"2nd {lens.BARE}", state))
    assert chance == pytest.approx(found.probabilities[4][1][1])


def test_the_last_word_leads_from_the_layer_that_is_named_on():
    figure = lens.build("3")
    words = RECORDS[2].normed.words
    for token in range(len(RECORDS[2].tokens)):
        since = int(figure.lookup(f"since {lens.NORMED}", figure.state_at(up_to=token)))
        leads = [lens.guessed_token(row[token][0]) for row in words]
        assert set(leads[since:]) == {leads[-1]}
        assert since == 0 or leads[since - 1] != leads[-1]


def test_without_the_norm_the_last_guess_is_another_one_and_surer():
    own, other = leading("normed", -1), leading("bare", -1)
    assert sum(one != two for one, two in zip(own, other, strict=True)) > 0.8 * len(own)
    assert (chances("bare", -1) > 0.9).sum() > 10 * (chances("normed", -1) > 0.9).sum()
    assert all(
        x > 9.8 * y
        for found in RECORDS
        for x, y in zip(found.x_rms[-1], found.y_rms[-1], strict=True)
    )


def test_behind_the_embedding_the_norm_reads_the_token_itself():
    read = [token for found in RECORDS for token in found.tokens]
    same = sum(one == two for one, two in zip(leading("normed", 0), read, strict=True))
    assert same > 0.75 * len(read)


def test_in_the_upper_half_reading_without_the_norm_is_certain_and_wrong():
    last = leading("normed", -1)
    for layer in range(16, 31):
        assert (chances("bare", layer) > 0.9).float().mean() > 0.6
        same = sum(one == two for one, two in zip(leading("bare", layer), last, strict=True))
        assert same < 0.2 * len(last)


def test_a_norm_without_gains_changes_no_order():
    x, scores = torch.randn(8, 16), torch.randn(16, 40)
    normed = normalize(x, -1, center=False).y
    assert torch.equal((normed @ scores).argsort(-1), (x @ scores).argsort(-1))
