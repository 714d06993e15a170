from functools import partial

import pytest
import torch

from lnviz.lessons.results.repeated import ENDS, SIZES, metric_values
from lnviz.topics.lab.figure_six import FIGURE_SIX, FigureSixSpec
from tests.lessons.running import built

MANY, FEW = 0, 1  # batches of 128 and of 4
figure = partial(built, "results", "repeated")


def ends(norm: str, size: int) -> torch.Tensor:
    """Errors of the seeds after training, in percent."""
    return metric_values("test_error", norm)[size, :, -1]


def test_with_batches_of_128_batch_norm_ends_with_the_fewest_errors() -> None:
    others = torch.stack([ends(norm, MANY) for norm in ("none", "layer")])
    assert ends("batch", MANY).max() < others.min()


def test_with_batches_of_4_batch_norm_ends_with_the_most_errors() -> None:
    others = torch.stack([ends(norm, FEW) for norm in ("none", "layer")])
    assert ends("batch", FEW).min() > others.max()


def test_the_loss_is_lower_under_layer_norm_than_under_batch_norm_at_every_measurement() -> None:
    layer, batch = (metric_values("loss", norm).mean(1)[:, 1:] for norm in ("layer", "batch"))
    assert layer.shape == (2, FIGURE_SIX.default.points)
    assert (layer < batch).all()
    assert layer[FEW, -1] < metric_values("loss", "none")[FEW, :, -1].mean()


def test_without_a_norm_there_are_about_as_many_errors_as_under_layer_norm() -> None:
    for size in (MANY, FEW):
        none, layer = ends("none", size), ends("layer", size)
        assert none.min() < layer.max()
        assert layer.min() < none.max()
        assert float(none.mean() / layer.mean()) == pytest.approx(1, abs=0.1)


def test_a_mean_lies_in_its_band_on_the_axis() -> None:
    shown = figure().tensors
    for norm in FIGURE_SIX.result.labels("norm"):
        for what, (least, most) in ENDS.items():
            low, mean, high = (
                shown[f"{norm} {what} {end}"].values[:, 1:] for end in ("low", "mean", "high")
            )
            assert ((low <= mean + 1e-6) & (mean <= high + 1e-6)).all()
            assert low.min() >= torch.tensor(least).log10() - 1e-6
            assert high.max() <= torch.tensor(most).log10()


def test_the_stored_runs_are_of_the_papers_batch_sizes() -> None:
    assert FIGURE_SIX.result.axes["batch_size"] == tuple(SIZES.values()) == (128, 4)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"steps": (100,)}, "got 2 batch sizes and 1 numbers"),
        ({"steps": (100, 30), "points": 20}, "got 30 steps. Use a multiple"),
    ],
)
def test_what_cannot_be_measured_evenly_is_refused(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        FigureSixSpec(**wrong)
