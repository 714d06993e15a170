from dataclasses import replace

import pytest

from lnviz.explorable import Explorable, Grid, Readout
from lnviz.lessons.placement.count import COLUMNS, TOKENS, WINDOW
from lnviz.topics.transformer.counts import MODELS
from tests.lessons.running import views


def shown(figure: Explorable, row: int) -> str:
    """All that is said where a cell of this row is pointed at."""
    readouts = views(figure, Readout)
    return " ".join(v.text for v in readouts if not v.when or (row, 0) in v.when["model"])


def test_the_table_has_placement_and_kind_of_norm_as_two_columns(figure: Explorable) -> None:
    (table,) = views(figure, Grid)
    rows = [table.words[start : start + 2] for start in range(0, len(table.words), len(COLUMNS))]
    found = {
        key: tuple(word.split("\n")[0] for word in row)
        for key, row in zip(MODELS, rows, strict=True)
    }
    assert found["gpt-2"] == ("Pre-LN", "LayerNorm")
    assert found["llama"] == ("Pre-LN", "RMSNorm")
    assert found["bert"] == ("Post-LN", "LayerNorm")


@pytest.mark.parametrize("key", MODELS)
def test_a_models_words_say_how_many_norms_stand_where(figure: Explorable, key: str) -> None:
    model = MODELS[key]
    text = shown(figure, [*MODELS].index(key))
    assert f"{model.label}: {model.norms} ×" in text
    assert f"{model.norm_parameters:,} of {model.parameters:,} parameters" in text
    for group in model.groups():
        assert f"{group.location}: {group.count}" in text
    assert sum(other.label in text for other in MODELS.values()) == 1


def test_shares_are_those_of_the_model_at_its_own_length(figure: Explorable) -> None:
    model = MODELS["bert"]
    assert model.context == TOKENS.start
    state = figure.start_state() | {"model": len(COLUMNS) * [*MODELS].index("bert")}
    for name, share in (
        ("parameters", model.norm_parameters / model.parameters),
        ("operations", model.flops.share),
        ("traffic", model.traffic.share),
    ):
        assert float(figure.lookup(name, state)) == pytest.approx(100 * share)


def test_nearly_all_that_a_single_token_reads_are_weights() -> None:
    for model in MODELS.values():
        looked_up = 0 if model.tied else model.vocabulary * model.width
        weights = model.matrices - looked_up
        assert weights > 0.95 * replace(model, context=1).traffic.total, model.label


def test_no_sequence_is_longer_than_what_gemma_2_looks_back_at() -> None:
    assert TOKENS.values[-1] <= WINDOW


def test_few_tokens_read_mostly_weights(figure: Explorable) -> None:
    traffic = figure.tensors["traffic"].values
    assert (traffic[0] < 0.2).all()
    assert (traffic[-1] > traffic[0]).all()
