from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable, Grid, Readout
from lnviz.lessons.placement import warmup
from lnviz.norms import CATALOGUE
from lnviz.results.arrays import NamedArray
from lnviz.topics.transformer import DEEPNORM, PLACEMENTS
from lnviz.topics.transformer.warmup import MARGIN, WARMUP, find_failed
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
    return find_failed(WARMUP.result)[WARMUP.result.index("placement", key), int(warmed)]


def failures(key: str, warmed: bool) -> dict[float, int]:
    return dict(zip(RATES, fails(key, warmed).sum(-1).tolist(), strict=True))


def test_the_text_is_right_about_the_stored_result() -> None:
    assert failures("post", True)[warmup.RATE] == 0 < failures("post", False)[warmup.RATE]
    assert failures("post", True)[RATES[-1]] > 0
    at = RATES.index(warmup.RATE)
    assert list(failures("post", False).values()) == [0] * at + [5] * (len(RATES) - at)
    assert WARMUP.result.axes["placement"] == ("post", "pre", "deepnorm", "olmo2")
    for warmed in (False, True):
        assert not any(failures("pre", warmed).values())
        for key in ("post", "pre", "deepnorm"):
            assert losses(key, warmed).isfinite().all()
            # Failed runs end near the frequencies' loss.
            beyond = (losses(key, warmed) - FREQUENCIES).abs()
            assert (beyond[fails(key, warmed)] < MARGIN).all()
            assert not any(failures("olmo2", warmed).values())
    assert means("post", True).min() >= means("post", False).min()
    for key in ("post", "pre"):
        assert (means(key, True)[:2] > means(key, False)[:2]).all()


def test_a_lower_rate_another_place_and_deepnorm_help_post_ln_as_the_text_says() -> None:
    post, pre, deepnorm = (means(key, False) for key in ("post", "pre", "deepnorm"))
    assert post[RATES.index(warmup.RATE) - 1] < post[RATES.index(warmup.RATE)]
    assert (pre < post).all()
    assert (deepnorm < post).all()


def test_post_lns_best_loss_is_worse_than_pre_lns_in_our_six_layers() -> None:
    assert WARMUP.result.specification.layers == 6
    post, pre = (
        min(means(key, warmed).nan_to_num(torch.inf).min() for warmed in (False, True))
        for key in ("post", "pre")
    )
    assert post > pre + 0.1


def test_with_warm_up_post_ln_does_better_at_the_next_smaller_rate() -> None:
    at = RATES.index(warmup.RATE) - 1
    assert means("post", True)[at] < means("post", False)[at] - 0.1


def test_deepnorm_fails_at_the_highest_rate_alone_and_not_with_a_warm_up() -> None:
    assert DEEPNORM.after
    assert DEEPNORM.alpha(6) > 1 > DEEPNORM.beta(6)
    failed_at = [rate for rate, count in failures("deepnorm", False).items() if count]
    assert failed_at == [max(RATES)]
    assert not any(failures("deepnorm", True).values())


def test_as_many_failed_as_the_finding_says(figure: Explorable) -> None:
    (finding,) = (said for said in views(figure, Readout) if said.style == "finding")
    post = int(torch.stack([fails("post", warmed) for warmed in (False, True)]).sum())
    assert finding.text.startswith(f"Of 60 Post-LN models, {post} failed;")
    assert torch.stack([losses("post", warmed) for warmed in (False, True)]).numel() == 60


def test_what_failed_learned_little_more_than_frequencies() -> None:
    for key in ("post", "deepnorm"):
        for warmed in (False, True):
            little = losses(key, warmed) > FREQUENCIES - MARGIN
            assert torch.equal(little, fails(key, warmed))


@pytest.mark.parametrize("cell", range(8 * len(RATES)))
def test_a_cell_of_the_table_is_the_run_it_names(figure: Explorable, cell: int) -> None:
    row, column = divmod(cell, len(RATES))
    key, warmed = ("post", "pre", "deepnorm", "olmo2")[row // 2], bool(row % 2)
    state = figure.start_state() | {"run": cell}
    assert_close(figure.lookup("loss", state), means(key, warmed)[column])
    assert figure.lookup("failed", state)[cell] == failures(key, warmed)[RATES[column]]
    (table,) = views(figure, Grid)
    marks = table.words[cell]
    assert (marks.count("✕"), len(marks)) == (failures(key, warmed)[RATES[column]], 5)
    (pointer,) = figure.controls
    name = PLACEMENTS[key].label + (", with warm-up" if warmed else ", no warm-up")
    assert pointer.label(cell) == f"{name}, learning rate {RATES[column]:g}"
    assert pointer.code(cell) == f'"{key}", {warmed}, {RATES[column]:g}'
    at = {"placement": key, "warm_up": WORDS[warmed], "rate": RATES[column]}
    curves = WARMUP.result.tensor("curve", "seed", "step", **at)
    for seed, has_failed in enumerate(fails(key, warmed)[column].tolist()):
        drawn, other = ("failed", "learned") if has_failed else ("learned", "failed")
        assert_close(figure.lookup(f"{drawn} {seed}", state), curves[seed], rtol=0, atol=1e-3)
        assert figure.lookup(f"{other} {seed}", state).isnan().all()
    pre = WARMUP.result.tensor("curve", "seed", "step", **{**at, "placement": "pre"}).mean(0)
    assert_close(figure.lookup("pre", state), pre, rtol=0, atol=1e-3)


def test_the_best_of_a_row_is_the_lowest_mean_loss_of_its_rates(figure: Explorable) -> None:
    best = figure.lookup("best of the row", figure.start_state())
    for row, key in enumerate(("post", "pre", "deepnorm", "olmo2")):
        lowest = torch.stack([means(key, warmed).min() for warmed in (False, True)])
        assert_close(best[2 * row : 2 * row + 2], lowest)


def test_a_cell_whose_loss_is_no_number_has_failed_models(monkeypatch: pytest.MonkeyPatch) -> None:
    result = WARMUP.result
    over, values = result.arrays["loss"]
    lost = values.clone()
    lost[result.index("placement", "pre"), 0, -1, 0] = torch.nan
    changed = replace(result, arrays={**result.arrays, "loss": NamedArray(over, lost)})
    monkeypatch.setattr(type(WARMUP), "result", changed)
    found = warmup.build()
    (table,) = views(found, Grid)
    at = 2 * len(RATES) + len(RATES) - 1
    assert table.words[at] == "✕○○○○"
    assert found.lookup("failed", found.start_state())[at] == 1
    assert found.lookup("loss", found.start_state() | {"run": at}).isnan()


@pytest.mark.slow
@pytest.mark.parametrize("key", ["post", "pre", "deepnorm", "olmo2"])
def test_the_code_trains_the_model_that_is_pointed_at(figure: Explorable, key: str) -> None:
    row = warmup.ROWS.index((key, True))
    state = figure.start_state() | {"run": (row + 1) * len(RATES) - 1}
    assert f'placement, warm_up, rate = "{key}", True, 0.01\n' in figure.code_at(state)
    (losses,) = printed(figure, state)
    assert losses.isfinite().all()
    assert losses[-1] < losses[0]


def test_no_line_has_a_norms_color() -> None:
    charts = views(built("placement", "warmup"), Chart)
    drawn = {trace.line.color for chart in charts for trace in chart.figure.data}
    assert not drawn & {f"var(--ln-{norm})" for norm in CATALOGUE}


def test_the_end_of_warm_up_is_drawn_for_runs_with_warm_up_only(figure: Explorable) -> None:
    shown: set[bool] = set()
    for chart in views(figure, Chart):
        ends = [note for note in chart.figure.layout.annotations if "warm-up" in note.text]
        lines = [shape for shape in chart.figure.layout.shapes if shape.x0 == shape.x1]
        cells = [cell for cell in chart.when[warmup.RUN] if isinstance(cell, tuple)]
        warmed = {warmup.ROWS[row][1] for row, _ in cells}
        assert {bool(ends), bool(lines)} == warmed
        shown |= warmed
    assert shown == {False, True}


def test_the_held_out_text_is_easier_than_the_training_text() -> None:
    # The pairs are those of the training text, which it should therefore be easier to predict.
    assert 0.1 < warmup.pair_losses()["pairs_train"] - warmup.pair_losses()["pairs_held"] < 0.3
    # Models that have learned are better on the held-out text, too.
    result = WARMUP.result
    last = result.tensor(
        "curve", "step", "seed", placement="pre", warm_up="without", rate=warmup.RATE
    )[-1]
    loss = result.tensor("loss", "seed", placement="pre", warm_up="without", rate=warmup.RATE)
    assert (loss < last).all()
