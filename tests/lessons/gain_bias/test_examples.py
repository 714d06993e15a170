import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.lessons.gain_bias import examples
from tests.lessons.running import built

FIGURE = built("gain-bias", "examples")
X = torch.stack([FIGURE.tensors[f"x {n}"].values for n in (1, 2, 3)])
Y = FIGURE.tensors["y"].values  # targets,G,B,N,D
ALL, ONE = 0, 1


def test_examples_of_different_scale_have_one_scale_after_the_norm() -> None:
    before = X.std(-1, correction=0)
    assert (before[1:] / before[:-1] > 2).all()
    hats = torch.stack([FIGURE.tensors[f"x_hat {n}"].values for n in (1, 2, 3)])
    assert_close(hats.std(-1, correction=0), torch.ones(3), rtol=1e-3, atol=0)
    assert_close(hats.mean(-1), torch.zeros(3), rtol=0, atol=1e-5)
    start = FIGURE.start_state()
    for n in (1, 2, 3):
        assert float(FIGURE.lookup(f"x sd {n}", start)) == pytest.approx(float(before[n - 1]))
        assert f"{float(FIGURE.lookup(f'x_hat sd {n}', start)):.1f}" == "1.0"
        # The names of the number lines.
        name = FIGURE.views[0][0].figure.layout.yaxis.ticktext[n - 1]
        assert name.endswith(f"SD {before[3 - n]:.1f}") or name.endswith(f"SD {before[n - 1]:.1f}")


def test_one_gain_and_bias_give_all_examples_one_mean_and_deviation() -> None:
    gains, biases = (torch.tensor(slider.values) for slider in (examples.GAIN, examples.BIAS))
    for n in (1, 2, 3):
        mean, sd = (FIGURE.tensors[f"y {of} {n}"].values[ALL] for of in ("mean", "sd"))
        assert_close(mean, biases.expand(len(gains), -1), rtol=0, atol=1e-4)
        assert_close(sd, gains.abs()[:, None].expand_as(sd), rtol=1e-3, atol=1e-4)


def test_a_feature_s_own_gain_and_bias_move_it_in_all_examples_and_no_other() -> None:
    others = [d for d in range(X.shape[1]) if d != examples.FEATURE]
    hats = torch.stack([FIGURE.tensors[f"x_hat {n}"].values for n in (1, 2, 3)])
    assert_close(Y[ONE][..., others], hats[:, others].expand_as(Y[ONE][..., others]))
    assert_close(Y[ONE][..., examples.FEATURE], Y[ALL][..., examples.FEATURE])
    assert Y[ONE][..., examples.FEATURE].std((0, 1)).min() > 0.5


@pytest.mark.parametrize(("gain", "bias"), [(2.0, 1.0), (-1.5, 0.3), (0.0, -2.0)])
@pytest.mark.parametrize("target", ["all", "one"])
def test_the_dots_are_pytorchs_layer_norm(target: str, gain: float, bias: float) -> None:
    norm = nn.LayerNorm(X.shape[1])
    features = slice(None) if target == "all" else slice(examples.FEATURE, examples.FEATURE + 1)
    with torch.no_grad():
        norm.weight[features], norm.bias[features] = gain, bias
    state = FIGURE.state_at(applied_to=target, gain=gain, bias=bias)
    assert_close(FIGURE.lookup("y", state), norm(X).detach(), rtol=1e-4, atol=1e-5)


def test_pytorchs_layer_norm_learns_a_gain_and_a_bias_for_each_feature() -> None:
    assert sum(p.numel() for p in nn.LayerNorm(10).parameters() if p.requires_grad) == 20


def test_every_dot_is_inside_its_chart() -> None:
    assert max(float(X.abs().max()), float(Y.abs().max())) < examples.REACH


def test_a_linear_layer_could_take_over_gain_and_bias_and_behind_a_nonlinearity_could_not() -> None:
    torch.manual_seed(0)
    x, norm, linear = torch.randn(100, 6), nn.LayerNorm(6), nn.Linear(6, 4)
    for learned in norm.parameters():
        nn.init.normal_(learned)
    bare = F.layer_norm(x, (6,))
    weight, bias = linear.weight * norm.weight, linear.bias + linear.weight @ norm.bias
    assert_close(linear(norm(x)), F.linear(bare, weight, bias))
    wanted, ones = linear(norm(x).relu()), torch.ones(100, 1)
    best = torch.linalg.lstsq(torch.cat([bare.relu(), ones], 1), wanted)
    off = wanted - torch.cat([bare.relu(), ones], 1) @ best.solution
    assert off.norm() > 0.1 * wanted.norm()
