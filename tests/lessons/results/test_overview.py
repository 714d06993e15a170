import pytest

from lnviz.explorable import Explorable, Grid, Readout
from lnviz.lessons.results.overview import COLUMNS, EXPERIMENT
from lnviz.topics.paper import EXPERIMENTS, PaperExperiment
from tests.lessons.running import views


@pytest.mark.parametrize("each", EXPERIMENTS, ids=lambda each: each.key)
def test_a_row_is_told_in_full_wherever_it_is_pointed_at(
    figure: Explorable, each: PaperExperiment
) -> None:
    row = EXPERIMENTS.index(each)
    for column in range(len(COLUMNS)):
        here = [
            v.text
            for v in views(figure, Readout)
            if v.when and (row, column) in v.when[EXPERIMENT.name]
        ]
        text = "\n".join(here)
        told = (each.label, each.section, each.against)  # the rest stands in the row
        assert all(name in text for name in told)
        for head in ("What the authors found", "Conditions", "Data", "Model", "Training"):
            assert text.count(f"\n{head}: ") == 1


def test_the_table_says_of_each_experiment_what_there_is(figure: Explorable) -> None:
    (grid,) = views(figure, Grid)
    size = len(COLUMNS)
    rows = [grid.words[at : at + size] for at in range(0, len(grid.words), size)]
    assert rows == [
        tuple(word or "–" for word in (each.numbers, each.curves, each.fair, each.batch))
        for each in EXPERIMENTS
    ]


def test_the_counts_are_those_of_the_paper(figure: Explorable) -> None:
    text = " ".join(view.text for view in views(figure, Readout) if not view.when)
    assert "Three of seven experiments report numbers. Three compare LayerNorm with" in text
    assert "Three experiments are reported only as curves, and one only in words." in text


def test_two_experiments_state_a_training_time(figure: Explorable) -> None:
    timed = {each.label: each.time for each in EXPERIMENTS if each.time is not None}
    assert timed == {"Order embeddings": 0.6, "DRAW": 0.5}
    for row, each in enumerate(EXPERIMENTS):
        state = figure.start_state() | {EXPERIMENT.name: row * len(COLUMNS)}
        chosen, other = (figure.lookup(name, state) for name in ("chosen", "other"))
        assert chosen.isfinite().sum() == (each.time is not None)
        assert chosen.isfinite().sum() + other.isfinite().sum() == len(timed)
