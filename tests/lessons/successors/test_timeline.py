from datetime import UTC, datetime, time, timedelta
from functools import partial

import pytest

from lnviz.explorable import Chart, Readout
from lnviz.topics.successors import SUCCESSORS, Successor
from tests.lessons.running import built, views

figure = partial(built, "successors", "timeline")


def card(key: str) -> list[str]:
    readouts = views(figure(), Readout)
    return [view.text for view in readouts if key in view.when["proposal"]]


@pytest.mark.parametrize("each", SUCCESSORS, ids=lambda each: each.key)
def test_a_card_has_what_is_learned_a_claim_a_caution_and_the_paper(each: Successor) -> None:
    finding, _, learned, claim, caution, source = card(each.key)
    assert finding.startswith(f"{each.label}, {each.day.year}, ")
    assert " Learned: " in learned
    assert claim.startswith("Its authors say: ")
    assert caution.startswith("Caution: ")
    assert f"arXiv {each.arxiv}" in source.split("; ")[0]
    assert max(len(text.split()) for text in (claim, caution)) <= 53


def test_the_circle_is_around_the_proposal_that_is_shown() -> None:
    ((chart,), _) = figure().views
    assert isinstance(chart, Chart)
    for row, each in enumerate(SUCCESSORS):
        *_, circle = chart.trace_data(
            figure().tensors, figure().state_at(proposal=each.key)
        ).values()
        ((x,), (y,)) = circle["x"], circle["y"]
        shown = datetime.fromtimestamp(x / 1000, UTC)
        assert abs(shown - datetime.combine(each.day, time(), UTC)) < timedelta(hours=1)
        assert y == row


def test_the_rows_of_the_chart_are_named_in_order_of_time() -> None:
    (chart,) = views(figure(), Chart)
    assert list(chart.figure.layout.yaxis.ticktext) == [each.label for each in SUCCESSORS]
