import itertools

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Diagram, Explorable
from lnviz.lessons.placement.block_diagrams import STEPS
from lnviz.lessons.placement.blocks import PLAIN, QK, SHOWN
from lnviz.topics.transformer import Placement
from tests.lessons.running import control, views

SIZE = 8.0
"""Length of a normalized vector of 64 numbers."""


def diagrams(figure: Explorable) -> list[Diagram]:
    return views(figure, Diagram)


def length(figure: Explorable, placement: str, step: str, block: int) -> float:
    state = figure.state_at(block=block) | {"step": STEPS.index(step)}
    return 10 ** float(figure.lookup(f"{placement} length", state))


def test_every_diagram_has_an_arrow_for_every_step(figure: Explorable) -> None:
    for diagram in diagrams(figure):
        assert {step for arrow in diagram.arrows for step in arrow.at} == set(
            range(control(figure, diagram.control).size)
        )


def test_arrows_run_level_or_straight_down_and_inside_the_picture(figure: Explorable) -> None:
    for diagram in diagrams(figure):
        for arrow in diagram.arrows:
            for (ax, ay), (x, y) in itertools.pairwise(arrow.corners):
                assert (ax == x) != (ay == y)
                assert y >= ay
                assert 0 <= x <= diagram.size[0]
                assert 0 <= y <= diagram.size[1]


def test_boxes_do_not_overlap_and_lie_inside_the_picture(figure: Explorable) -> None:
    for diagram in diagrams(figure):
        for box in diagram.boxes:
            assert box.size[0] / 2 <= box.center[0] <= diagram.size[0] - box.size[0] / 2
            assert box.size[1] / 2 <= box.center[1] <= diagram.size[1] - box.size[1] / 2
        for one, other in itertools.combinations(diagram.boxes, 2):
            apart = [abs(a - b) for a, b in zip(one.center, other.center, strict=True)]
            least = [(a + b) / 2 for a, b in zip(one.size, other.size, strict=True)]
            assert any(a >= b for a, b in zip(apart, least, strict=True)), (one.text, other.text)


@pytest.mark.parametrize("placement", SHOWN, ids=lambda p: p.key)
def test_steps_that_one_arrow_stands_for_have_the_same_numbers(
    figure: Explorable, placement: Placement
) -> None:
    diagram = diagrams(figure)[SHOWN.index(placement)]
    for what in ("mean", "variance", "length"):
        values = figure.tensors[f"{placement.key} {what}"].values
        for arrow in diagram.arrows:
            assert_close(
                values[:, [*arrow.at]], values[:, [*arrow.at[:1]]].expand(-1, len(arrow.at))
            )


@pytest.mark.parametrize("placement", SHOWN, ids=lambda p: p.key)
def test_what_a_norm_puts_out_has_variance_1(figure: Explorable, placement: Placement) -> None:
    diagram = diagrams(figure)[SHOWN.index(placement)]
    normed = [step for box in diagram.boxes if box.token for step in box.at]
    assert normed
    logs = figure.tensors[f"{placement.key} variance"].values[:, normed]
    assert_close(logs, torch.zeros_like(logs), atol=2e-3, rtol=0)


def test_the_stream_grows_under_pre_ln_and_has_one_length_under_post_ln(figure: Explorable) -> None:
    def after(placement: str) -> list[float]:
        return [length(figure, placement, "out of the block", block) for block in (1, 6, 12)]

    assert after("post") == pytest.approx([SIZE] * 3, rel=1e-3)
    assert after("pre") == sorted(after("pre"))
    assert after("pre")[-1] > 1.5 * after("pre")[0]


def test_scores_grow_as_the_square_of_the_factor_unless_queries_and_keys_are_normalized(
    figure: Explorable,
) -> None:
    def scores(key: str, factor: float) -> float:
        state = figure.state_at(weight_factor=factor) | {"step inside": 6}
        return 10 ** float(figure.lookup(f"{key} length", state))

    assert scores(PLAIN, 10.0) == pytest.approx(100 * scores(PLAIN, 1.0), rel=1e-3)
    assert scores(QK, 10.0) == pytest.approx(scores(QK, 1.0), rel=0.01)
