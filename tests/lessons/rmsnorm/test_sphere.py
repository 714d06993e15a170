import math
from functools import partial

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from tests.lessons.running import built, not_finite, printed

figure = partial(built, "rmsnorm", "sphere")


def values(name: str) -> Tensor:
    return figure().tensors[name].values


def lengths(name: str) -> Tensor:
    return values(name).norm(dim=-1)


def test_layernorms_outputs_lie_on_the_circle_and_rmsnorms_on_the_sphere() -> None:
    flat, still = values("spread").isnan(), values("zero").isfinite()
    assert_close(lengths("layer"), math.sqrt(3) * (~flat).float(), atol=1e-3, rtol=0)
    assert_close(lengths("rms"), math.sqrt(3) * (~still).float(), atol=1e-3, rtol=0)
    for name in ("layer", "centered"):
        assert values(name).sum(-1).abs().max() < 1e-3


def test_the_angle_between_the_two_is_the_one_that_is_said() -> None:
    there = values("angle").isfinite()
    layer, rms = values("layer")[there], values("rms")[there]
    cosine = torch.cosine_similarity(layer.double(), rms.double(), dim=-1).clamp(-1, 1)
    # An arc cosine near 1 loses half the digits.
    assert_close(cosine.acos().rad2deg().float(), values("angle")[there], atol=0.1, rtol=0)
    sine = values("angle")[there].deg2rad().sin()
    assert_close(values("ratio")[there], sine, atol=1e-4, rtol=0)


def test_in_the_plane_both_norms_put_a_point_in_the_same_place() -> None:
    there = values("level").isfinite()
    assert there.any()
    assert_close(values("layer")[there], values("rms")[there], atol=1e-3, rtol=0)


def test_one_sentence_on_where_the_two_lie_stands_at_every_point() -> None:
    said = [values(name).isfinite() for name in ("angle", "level", "equal", "zero")]
    assert (torch.stack(said).sum(0) == 1).all()
    assert values("zero").isfinite().sum() == 1
    assert values("equal").isfinite().sum() == 30


def test_only_sentences_that_hold_somewhere_have_no_value_elsewhere() -> None:
    assert not_finite(figure()) == {"angle", "ratio", "level", "spread", "equal", "zero"}


def test_seen_along_equal_components_a_point_covers_its_shadow() -> None:
    camera = figure().lookup("camera", figure().state_at(turn=0))[:2]
    assert (camera @ (values("a") - values("centered"))[..., None]).abs().max() < 1e-4


@pytest.mark.parametrize("turn", [-120, 120])
def test_from_the_edge_the_plane_is_a_line(turn: int) -> None:
    camera = figure().lookup("camera", figure().state_at(turn=turn))[:2]
    seen = values("plane") @ camera.T  # points, 2
    assert torch.linalg.svdvals(seen)[1] < 1e-3


def test_where_the_figure_names_no_angle_the_code_prints_none() -> None:
    *_, angle = printed(figure(), figure().state_at(first=0.9, second=0.9, third=0.9))
    assert angle.isnan()
