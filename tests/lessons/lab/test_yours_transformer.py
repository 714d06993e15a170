"""Runs of a Transformer whose placement, depth and warm-up a visitor has chosen."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import torch

from lnviz.explorable import Chart, Explorable
from lnviz.lessons.lab.yours import FIGURE
from lnviz.topics.lab.text import TEXT
from lnviz.training.chunks import train_in_chunks
from lnviz.training.experiment import TrainingSpec
from lnviz.training.group import RunGroup
from lnviz.training.record import TrainingRecord
from tests.explorable.decoding import decode
from tests.lessons import test_laws as laws
from tests.lessons.lab.test_yours import JOB, LAWS, of, texts
from tests.lessons.running import views

ASKED = replace(TEXT.default, norms=("none", "layer"), batch_sizes=(4,), steps=4, every=2)
CHOSEN = {
    "default": ASKED,
    "before there was a choice": replace(ASKED, placement="", layers=0),
    "deep": replace(ASKED, norms=("layer",), placement="post", layers=12, warm_up=200),
    "two norms a sublayer": replace(ASKED, placement="peri", layers=3),
    "no norm alone": replace(ASKED, norms=("none",), placement="post", layers=1),
}


def record(asked: TrainingSpec) -> TrainingRecord:
    points, tested = [], {}
    for at, (norm, size) in enumerate(TEXT.groups(asked)):
        for chunk in train_in_chunks(RunGroup(TEXT, asked, norm, size), at, None):
            points += chunk.metrics
            if chunk.test_result:
                tested[norm, size] = chunk.test_result.values
    return TrainingRecord(asked, {"torch": "2", "device": "CPU"}, tuple(points), tested)


@cache
def figure(name: str) -> Explorable:
    return of(record(CHOSEN[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOSEN)
def test_what_holds_for_every_figure_holds_for_every_choice(name: str) -> None:
    document = replace(FIGURE, build=lambda **_: figure(name)).payload({"run": JOB})
    tensors = {n: laws.Over(tuple(t["over"]), decode(t)) for n, t in document["tensors"].items()}
    for law in LAWS:
        law(laws.Drawn(document, tensors))


@pytest.mark.parametrize(
    ("name", "title", "words"),
    [
        ("default", "Pre-LN, 2 layers", "Placement of the norms: Pre-LN. Layers: 2."),
        ("before there was a choice", "Pre-LN, 2 layers", "Layers: 2."),
        ("deep", "Post-LN, 12 layers, warm-up of 200 steps", "over the first 200 steps"),
        ("two norms a sublayer", "Peri-LN, 3 layers", "The learning rate is constant."),
        ("no norm alone", "1 layer", "Placement of the norms: none. Layers: 1."),
    ],
)
def test_title_account_and_charts_say_what_was_chosen(name: str, title: str, words: str) -> None:
    shown = figure(name)
    assert shown.title == f"Runs of a character-level Transformer: {title}"
    assert any(words in text for text in texts(shown))
    charts = [view.title for view in views(shown, Chart) if view.title.startswith("Validation")]
    assert charts
    assert all(f", {title}, batches of" in chart for chart in charts)


@pytest.mark.parametrize("name", CHOSEN)
def test_layers_have_names_in_words_and_not_too_many(name: str) -> None:
    charts: list[Any] = [v for v in views(figure(name), Chart)][-4:]
    for chart in charts:
        labels = [label for label in chart.figure.layout.xaxis.ticktext or () if label]
        assert len(labels) <= 24
        assert len(set(labels)) == len(labels)
        assert not any("." in label for label in labels)


@pytest.mark.slow
def test_norms_are_not_ranked_where_their_ranges_overlap() -> None:
    shown = figure("default")
    state = shown.state_at(step=4)
    found = record(CHOSEN["default"])
    ends = {
        norm: torch.tensor(found.group(norm, 4)[-1].values["validation error"])
        for norm in CHOSEN["default"].norms
    }
    leader, other = sorted(ends.values(), key=lambda values: float(values.mean()))
    overlap = bool(other.min() <= leader.max())
    assert bool(shown.lookup("alike", state).isfinite()) == overlap
