from dataclasses import replace

import pytest

from lnviz.explorable import ParameterError
from lnviz.lessons.inside import yours
from lnviz.lessons.inside.yours import FIGURE, TEXT
from lnviz.pretrained import PACKAGES
from lnviz.pretrained.sample_texts import SENTENCES


def read(**query):
    return FIGURE.parse(query)


def test_a_text_in_the_address_is_read_as_it_is():
    assert read(text="Viel Glück \N{FOUR LEAF CLOVER}")["text"] == "Viel Glück \N{FOUR LEAF CLOVER}"


@pytest.mark.parametrize("text", ["", "  ", "a\x1bb", "x" * 10_000])
def test_what_is_no_text_is_refused_and_the_start_is_nearest(text):
    with pytest.raises(ParameterError, match="The text") as refused:
        read(text=text)
    assert refused.value.nearest == {"text": TEXT.start}


def test_a_stored_sentence_needs_no_model(monkeypatch):
    def gone(key):
        raise AssertionError(key)

    monkeypatch.setattr(yours, "load", gone)
    for key in PACKAGES:
        assert yours.build(SENTENCES[3], key).title


def test_without_its_model_another_sentence_is_refused_with_how_to_get_it(monkeypatch):
    def gone(key):
        return replace(PACKAGES[key], module="nobody_has_this").paths()

    monkeypatch.setattr(yours, "load", gone)
    with pytest.raises(ParameterError, match="make models") as refused:
        FIGURE.payload(read(text="Not among the stored ones."))
    assert refused.value.nearest == {"text": TEXT.start}


def test_a_sentence_of_ones_own_costs_more_than_a_stored_one():
    assert FIGURE.cost(read(text="One of my own.")) > 3 > FIGURE.cost(read())


def test_minilm_guesses_nothing_and_a_link_that_asks_for_it_still_opens(monkeypatch):
    def gone(key):
        raise AssertionError(key)

    monkeypatch.setattr(yours, "load", gone)  # it is refused before anything is computed
    asked = read(text=SENTENCES[1], your_model="minilm", figure="lens")
    with pytest.raises(
        ParameterError, match=r"does not predict the next token\. Choose SmolLM2"
    ) as refused:
        FIGURE.payload(asked)
    near = refused.value.nearest
    assert FIGURE.payload(FIGURE.parse({"figure": "lens"} | near))
