from functools import partial

import pytest
import torch

from lnviz.topics.cost.block import KINDS, operations
from lnviz.topics.cost.costs import stored_costs
from tests.lessons.running import built, printed

figure = partial(built, "cost", "block-share")


def value(name: str, **at: object) -> float:
    return float(figure().lookup(name, figure().state_at(**at)))


def test_the_shares_are_those_of_the_stored_result() -> None:
    found = stored_costs()["cpu"].blocks
    at = found.specification.widths.index(256)
    for kind in KINDS:
        shown = 10 ** value(f"{kind} curve", width=256.0, gradients="none")
        assert shown == pytest.approx(100 * found.shares[kind][0][at][1], rel=1e-3)


def test_what_is_said_is_drawn() -> None:
    share = value("share", width=1024.0)
    assert 10 ** value("layer function curve", width=1024.0) == pytest.approx(share, rel=1e-3)


def test_the_text_is_right_about_the_operations() -> None:
    share = (
        operations(stored_costs()["cpu"].blocks.specification.tokens, (512,)).share("layer").item()
    )
    assert 0.0005 < share < 0.002  # about a thousandth


def test_the_norms_take_several_times_their_share_of_the_operations() -> None:
    found = stored_costs()["cpu"].blocks
    s = found.specification
    for kind, curves in found.shares.items():
        counted = operations(s.tokens, s.widths).share(kind.split()[0])
        assert (torch.tensor(curves)[..., 1] > 3 * counted).all()


def test_the_share_of_the_time_falls_with_the_width() -> None:
    found = stored_costs()["cpu"].blocks
    for curves in found.shares.values():
        middles = torch.tensor(curves)[..., 1]  # passes, widths
        assert (middles[:, 0] > 10 * middles[:, -1]).all()


@pytest.mark.parametrize("gradients", ["none", "both"])
def test_the_code_measures_both_shares(gradients: str) -> None:
    state = figure().state_at(width=64.0, gradients=gradients)
    (shares,) = printed(figure(), state)
    assert shares.shape == (2,)
    assert 0 < shares[0] < 100


def test_the_text_is_right_that_the_share_is_small_in_wide_blocks() -> None:
    for curves in stored_costs()["cpu"].blocks.shares.values():
        assert (torch.tensor(curves)[:, -1, 1] < 0.01).all()


def test_a_difference_is_a_saving_or_a_loss_and_is_within_noise_where_the_rounds_disagree() -> None:
    found = figure().tensors
    saved, lost = (found[name].values.isfinite() for name in ("saved", "lost"))
    assert (saved ^ lost).all()
    differences = torch.tensor(stored_costs()["cpu"].blocks.differences["layer function"])
    signs = differences[..., [0, -1]].sign().prod(-1)  # passes, widths
    assert ((signs < 0) == found["unsure"].values.isfinite()).all()
