from functools import partial

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Explorable, Readout
from lnviz.lessons.recurrence.bands import FAMILIES, runs
from lnviz.topics.recurrence.reader import KINDS
from lnviz.topics.recurrence.train import RECURRENCE
from tests.lessons.running import built, control, printed, texts, views

figure = partial(built, "recurrence", "task")


def ahead(family: str) -> torch.Tensor:
    return figure().tensors[f"{family} ahead"].values


def test_pairs_are_counted_seed_by_seed() -> None:
    for family in FAMILIES:
        plain, layer = (runs(key, "test_loss").T for key in (family, f"{family}-layer"))
        expected = [float((b < a).sum()) for a, b in zip(plain, layer, strict=True)]
        assert_close(ahead(family), torch.tensor(expected))


def test_layernorm_speeds_up_the_gru_early_and_not_clearly_the_lstm() -> None:
    count, early = len(RECURRENCE.result.specification.seeds), 10
    assert ahead("gru")[:early].mean() > 0.9 * count
    assert 0.3 * count < ahead("lstm")[:early].mean() < 0.75 * count
    assert all(5 <= ahead(family)[early:].mean() < 6.1 for family in FAMILIES)
    seen = [int(step) for step in RECURRENCE.result.axes["step"]]
    hundred = ahead("lstm")[: seen.index(100) + 1]
    assert ((hundred > 0) & (hundred < count)).all()


def test_the_figure_opens_before_it_shows_which_cell_gains_more() -> None:
    state = figure().start_state()
    assert state["batches seen"] == 0
    cells = control(figure(), "cells")
    assert cells.label(state["cells"]) == "LSTM"


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_said_of_the_whole_training_is_counted(family: str) -> None:
    readouts = views(figure(), Readout)
    (said,) = [v.text for v in readouts if "first quarter" in v.text and family in v.when["cells"]]
    early, late = ahead(family)[:10].mean(), ahead(family)[10:].mean()
    first, rest = (f"{float(100 * ahead / 8):.0f}%" for ahead in (early, late))
    assert f"in {first} of all comparisons in the first quarter of the training" in said
    assert f"in {rest} of the later ones" in said
    plain, layer = (runs(key, "test_loss") for key in (family, f"{family}-layer"))
    apart = (plain.amax(0) < layer.amin(0)) | (layer.amax(0) < plain.amin(0))
    (method,) = [v.text for v in readouts if "overlap" in v.text and family in v.when["cells"]]
    assert f"overlap at {40 - int(apart.sum())} of 40 measured points" in method


def test_the_specification_and_what_it_ran_on_are_those_of_the_result() -> None:
    result = RECURRENCE.result
    text = texts(figure())
    s = result.specification
    for part in (
        f"{result.tensor('train_images'):,} images",
        f"{result.tensor('test_images')} others",
        f"batches of {s.batch}",
        f"{s.steps:,} batches",
        f"learning rate of {s.rate:g}",
        f"seeds {s.seeds[0]} to {s.seeds[-1]}",
        f"torch {result.header.versions['torch']}",
        result.header.device,
    ):
        assert part in text
    for key, kind in KINDS.items():
        assert f"{kind.label}: {result.tensor('parameters', kind=key):,}" in text


@pytest.mark.parametrize("family", FAMILIES)
def test_the_code_trains_a_network_of_the_size_that_was_compared(family: str) -> None:
    code = (
        figure().code_at(figure().state_at(cells=family)).replace("\nBATCHES = 10", "\nBATCHES = 1")
    )
    code += "\nprint(torch.tensor(sum(p.numel() for p in model.parameters())))"
    changed = Explorable("", (), {}, (), code)
    loss, right, parameters = printed(changed, {})
    assert 2 < loss < 3
    assert 0 <= right <= 1
    assert parameters == RECURRENCE.result.tensor("parameters", kind=f"{family}-layer")
