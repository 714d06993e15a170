from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable, Grid
from lnviz.lessons.placement import warmup
from lnviz.norms import CATALOGUE
from lnviz.results.arrays import Array
from lnviz.topics.transformer.warmup import WARMUP, failed
from tests.lessons.running import built, printed, views

RATES = WARMUP.result.specification.rates
FREQUENCIES = float(WARMUP.result.tensor("frequencies"))
WORDS = {False: "without", True: "with"}


def losses(key: str, warmed: bool) -> Tensor:
    at = {"placement": key, "warm_up": WORDS[warmed]}
    return WARMUP.result.tensor("loss", "rate", "seed", **at)


def means(key: str, warmed: bool) -> Tensor:
    return losses(key, warmed).mean(1)


def fails(key: str, warmed: bool) -> Tensor:
    return failed(WARMUP.result)[WARMUP.result.index("placement", key), int(warmed)]


def failures(key: str, warmed: bool) -> dict[float, int]:
    return dict(zip(RATES, fails(key, warmed).sum(-1).tolist(), strict=True))


def test_the_text_is_right_about_the_stored_result() -> None:
    assert failures("post", True)[warmup.RATE] == 0 < failures("post", False)[warmup.RATE]
    assert failures("post", True)[RATES[-1]] > 0
    for warmed in (False, True):
        assert not any(failures("pre", warmed).values())
        for key in ("post", "pre"):
            assert losses(key, warmed).isfinite().all()
            # Failed runs end near the frequencies' loss.
            beyond = (losses(key, warmed) - FREQUENCIES).abs()
            assert (beyond[fails(key, warmed)] < 0.1).all()
    assert means("post", True).min() >= means("post", False).min()
    for key in ("post", "pre"):
        assert (means(key, True)[:2] > means(key, False)[:2]).all()


def test_a_lower_rate_and_another_place_help_post_ln_as_the_text_says() -> None:
    post, pre = (means(key, False) for key in ("post", "pre"))
    assert post[RATES.index(warmup.RATE) - 1] < post[RATES.index(warmup.RATE)]
    assert (pre < post).all()


@pytest.mark.parametrize("cell", range(4 * len(RATES)))
def test_a_cell_of_the_table_is_the_run_it_names(figure: Explorable, cell: int) -> None:
    row, column = divmod(cell, len(RATES))
    key, warmed = (("post", False), ("post", True), ("pre", False), ("pre", True))[row]
    state = figure.start() | {"run": cell}
    mean = means(key, warmed)[column]
    assert_close(figure.lookup("loss", state), mean)
    assert figure.lookup("failed", state) == failures(key, warmed)[RATES[column]]
    assert_close(figure.lookup("beyond", state)[cell], mean - FREQUENCIES)
    (pointer,) = figure.controls
    name = ("Post-LN", "Pre-LN")[row // 2] + (", with warm-up" if warmed else ", no warm-up")
    assert pointer.label(cell) == f"{name}, learning rate {RATES[column]:g}"
    assert pointer.code(cell) == f"{key == 'pre'}, {warmed}, {RATES[column]:g}"
    at = {"placement": key, "warm_up": WORDS[warmed], "rate": RATES[column]}
    drawn = torch.stack([figure.lookup(f"curve {seed}", state) for seed in range(5)])
    assert_close(drawn, WARMUP.result.tensor("curve", "seed", "step", **at))
    own = "mean with warm-up" if warmed else "mean without warm-up"
    assert_close(figure.lookup(own, state), drawn.mean(0))


def test_a_cell_whose_loss_is_no_number_is_drawn_as_diverged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = WARMUP.result
    over, values = result.arrays["loss"]
    lost = values.clone()
    lost[result.index("placement", "post"), 0, -1, 0] = torch.nan
    changed = replace(result, arrays={**result.arrays, "loss": Array(over, lost)})
    monkeypatch.setattr(type(WARMUP), "result", changed)
    found = warmup.build()
    (table,) = views(found, Grid)
    at = len(RATES) - 1
    assert table.words[at] == "diverged\n5 of 5 failed"
    assert found.lookup("loss", found.start() | {"run": at}).isnan()
    assert found.lookup("beyond", found.start())[at].isnan()


def test_the_code_trains_the_model_that_is_pointed_at(figure: Explorable) -> None:
    state = figure.start() | {"run": figure.controls[0].size - 1}
    assert "is_pre, warm_up, rate = True, True, 0.01\n" in figure.code_at(state)
    (losses,) = printed(figure, state)
    assert losses.isfinite().all()
    assert losses[-1] < losses[0]


def test_no_line_has_a_norms_color() -> None:
    (chart,) = views(built("placement", "warmup"), Chart)
    drawn = {trace.line.color for trace in chart.figure.data}
    assert not drawn & {f"var(--ln-{norm})" for norm in CATALOGUE}
