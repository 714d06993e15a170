import pytest
import torch

from lnviz.explorable import Readout
from lnviz.lessons.inside import stream
from lnviz.pretrained import PACKAGES
from lnviz.pretrained.sample_texts import SENTENCES
from lnviz.pretrained.stored_records import stored_records

KEYS = tuple(PACKAGES)


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_the_figure_shows_the_record(key):
    found = stream.build(key, "1")
    record = stored_records(key).sentence_records[0]
    state = found.state_at(layer=2.0, token=1)
    assert float(found.lookup("x", state)) == pytest.approx(record.x_rms[2][1])
    assert float(found.lookup("y", state)) == pytest.approx(record.y_rms[2][1])
    times = record.x_rms[2][1] / record.x_rms[0][1]
    assert float(found.lookup("times", state)) == pytest.approx(times)


@pytest.mark.parametrize("key", KEYS)
def test_every_stored_text_is_there(key):
    assert tuple(record.text for record in stored_records(key).sentence_records) == SENTENCES


def test_in_front_of_the_final_norm_every_stream_of_smollm2_is_a_hundred_times_as_large():
    for record in stored_records("smollm2").sentence_records:
        first, *_, last = torch.tensor(record.x_rms)
        assert (last / first).min() > 100


def test_an_untrained_stream_grows_a_few_times():
    untrained = stream._untrained(30, "pre")
    assert 2 < untrained[-1] / untrained[0] < 20


def test_norms_cancel_the_growth_of_the_stream_at_every_token():
    for record in stored_records("smollm2").sentence_records:
        assert torch.tensor(record.y_rms).max() < torch.tensor(record.x_rms)[-1].min()


@pytest.mark.slow
@pytest.mark.parametrize("key", PACKAGES)
def test_the_column_that_is_said_to_stand_out_has_the_largest_values_and_is_the_first_tokens(key):
    for number, record in enumerate(stored_records(key).sentence_records, 1):
        before = torch.tensor(record.x_rms)
        texts = [
            v.text
            for row in stream.build(key, str(number)).views
            for v in row
            if isinstance(v, Readout)
        ]
        said = any("stands out" in text for text in texts)
        assert said == bool((before[:, 0] > stream.OUTSTANDING * before.median(1).values).any())
        assert not said or before.max() == before[:, 0].max()
