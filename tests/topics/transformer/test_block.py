"""The block beside PyTorch's own, and where a placement puts its norms."""

from typing import cast

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.norms import CATALOGUE, LAYER, RMS, WEIGHT
from lnviz.topics.transformer import PERI, PLACEMENTS, POST, PRE, Placement, Shape, Transformer
from lnviz.topics.transformer.block import NormLayer
from lnviz.topics.transformer.initialization import initialize, linears, sublayers

SHAPE = Shape(16, layers=2, heads=4, inner=24)


def pytorch(placement: Placement, shape: Shape) -> nn.TransformerEncoder:
    layer = nn.TransformerEncoderLayer(
        shape.width,
        shape.heads,
        shape.inner,
        dropout=0.0,
        activation=shape.activation,
        batch_first=True,
        norm_first=placement is PRE,
    )
    final = nn.LayerNorm(shape.width) if placement.final else None
    return nn.TransformerEncoder(layer, shape.layers, final, enable_nested_tensor=False)


def with_the_weights_of(theirs: nn.TransformerEncoder, placement: Placement) -> Transformer:
    ours = Transformer(SHAPE, placement)
    copied = {}
    for at, layer in enumerate(theirs.layers):
        block, state = f"blocks.{at}", layer.state_dict()
        where = "before" if placement is PRE else "after"
        for name, part in zip(("query", "key", "value"), range(3), strict=True):
            for kind in ("weight", "bias"):
                whole = state[f"self_attn.in_proj_{kind}"]
                copied[f"{block}.attention.sublayer.{name}.{kind}"] = whole.chunk(3)[part]
        for ours_name, name in (
            ("attention.sublayer.out", "self_attn.out_proj"),
            ("feed_forward.sublayer.first", "linear1"),
            ("feed_forward.sublayer.second", "linear2"),
            (f"attention.{where}", "norm1"),
            (f"feed_forward.{where}", "norm2"),
        ):
            for kind in ("weight", "bias"):
                copied[f"{block}.{ours_name}.{kind}"] = state[f"{name}.{kind}"]
    if placement.final:
        copied |= {f"final_norm.{k}": v for k, v in theirs.norm.state_dict().items()}
    ours.load_state_dict(copied)
    return ours


def perturbed(model: nn.Module) -> None:
    """Give gains and biases values of their own: at 1 and 0 they would not show."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)


@pytest.mark.parametrize("placement", [POST, PRE], ids=lambda p: p.key)
def test_outputs_and_gradients_are_those_of_pytorchs_encoder(placement: Placement) -> None:
    torch.manual_seed(0)
    theirs = pytorch(placement, SHAPE)
    perturbed(theirs)
    ours = with_the_weights_of(theirs, placement)
    x = torch.randn(3, 5, SHAPE.width)
    expected, found = theirs(x), ours(x).y
    assert_close(found, expected, rtol=1e-4, atol=1e-5)
    weights = torch.randn_like(expected)
    (expected * weights).sum().backward()
    (found * weights).sum().backward()
    for at, layer in enumerate(theirs.layers):
        attention, feed_forward = list(sublayers(ours))[at]
        parts = (attention.query, attention.key, attention.value)
        gradient = torch.cat([cast(Tensor, part.weight.grad) for part in parts])
        assert_close(gradient, layer.self_attn.in_proj_weight.grad, rtol=1e-3, atol=1e-4)
        assert_close(
            feed_forward.second.weight.grad, layer.linear2.weight.grad, rtol=1e-3, atol=1e-4
        )


def test_causal_attention_is_pytorchs() -> None:
    torch.manual_seed(0)
    shape = Shape(8, layers=1, heads=2, inner=8, causal=True)
    steps = Transformer(shape)(torch.randn(2, 5, 8)).blocks[0].attention.sublayer
    expected = F.scaled_dot_product_attention(steps.q, steps.k, steps.v, is_causal=True)
    assert_close(steps.mixed, expected.transpose(1, 2).flatten(2))
    assert not steps.weights.triu(1).any()


@pytest.mark.parametrize("placement", PLACEMENTS.values(), ids=lambda p: p.key)
def test_a_sublayer_is_what_its_equation_says(placement: Placement) -> None:
    torch.manual_seed(0)
    layers, layer = 3, 2
    model = Transformer(Shape(8, layers=layers, heads=2, inner=16), placement)
    steps = model(torch.randn(4, 8)).blocks[layer - 1].feed_forward
    x, names = steps.x, {"N": lambda x: F.layer_norm(x, (8,)), "l": layer, "sqrt": lambda x: x**0.5}
    names |= {"x": x, "F": lambda x: model.blocks[layer - 1].feed_forward.sublayer(x).y}
    names["alpha"] = {"deepnorm": (2 * layers) ** 0.25, "keel": 2 * layers}.get(placement.key)
    # The equation is written for readers: in LaTeX.
    code = placement.equation.replace(r"\sqrt{l}", "sqrt(l)").replace(r"\alpha x", "alpha * x")
    assert_close(steps.y, eval(code, names), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("placement", PLACEMENTS.values(), ids=lambda p: p.key)
def test_as_many_norms_are_counted_as_stand_there(placement: Placement) -> None:
    model = Transformer(SHAPE, placement)
    gains = [name for name, value in model.named_parameters() if value.shape == (16,)]
    norms = {name.rsplit(".", 1)[0] for name in gains if "sublayer" not in name}
    assert len(norms) == placement.norms(SHAPE.layers)


def test_the_norm_around_all_blocks_is_the_placements() -> None:
    x = torch.randn(4, SHAPE.width)
    steps = Transformer(SHAPE, PERI)(x)
    assert_close(steps.x, F.layer_norm(x, (SHAPE.width,)))
    assert_close(steps.y, F.layer_norm(steps.blocks[-1].y, (SHAPE.width,)))


@given(key=st.sampled_from(sorted(set(CATALOGUE) - {WEIGHT.key, LAYER.key})))
@settings(max_examples=10)
def test_any_norm_of_the_catalogue_can_stand_there(key: str) -> None:
    norm = CATALOGUE[key]
    steps = Transformer(SHAPE, PRE, norm)(torch.randn(2, 3, 16)).blocks[0].attention
    assert_close(steps.normed, norm.apply(steps.x, "NTD").y)


@pytest.mark.parametrize(
    ("key", "gains", "biases"), [("layer", 16, 16), ("rms", 16, 0), ("scale", 1, 0), ("ada", 0, 0)]
)
def test_a_norm_learns_what_its_paper_says(key: str, gains: int, biases: int) -> None:
    norm = NormLayer(CATALOGUE[key], 16, affine=True)
    learned = {name: value.numel() for name, value in norm.named_parameters()}
    assert (learned.get("weight", 0), learned.get("bias", 0)) == (gains, biases)


def test_queries_and_keys_are_normalized_head_by_head() -> None:
    shape = Shape(16, layers=1, heads=4, inner=16, qk_norm=True)
    steps = Transformer(shape, PRE, RMS)(100 * torch.randn(3, 16)).blocks[0].attention.sublayer
    for each in (steps.q, steps.k):
        assert_close(each.square().mean(-1), torch.ones(4, 3), rtol=1e-3, atol=1e-3)


def test_deepnorm_starts_from_smaller_weights_where_its_paper_says() -> None:
    starts = []
    for placement in (POST, PLACEMENTS["deepnorm"]):
        torch.manual_seed(0)
        model = Transformer(Shape(8, layers=2, heads=1, inner=8), placement)
        initialize(model, "xavier")
        (attention, feed_forward), *_ = sublayers(model)
        starts.append([linear.weight for linear in linears(attention, feed_forward)])
    for at, (plain, scaled) in enumerate(zip(*starts, strict=True)):
        assert_close(scaled, plain * (1.0 if at < 2 else 0.5))  # (8 * 2) ** -1/4


def test_pytorchs_start_is_as_wide_as_that_of_its_encoder() -> None:
    torch.manual_seed(0)
    shape = Shape(64, layers=1, heads=1, inner=256)
    theirs = pytorch(POST, shape).layers[0].state_dict()
    ours = Transformer(shape, POST)
    initialize(ours, "pytorch")
    attention, feed_forward = next(sublayers(ours))
    for linear, name in (
        (attention.query, "self_attn.in_proj_weight"),
        (attention.out, "self_attn.out_proj.weight"),
        (feed_forward.first, "linear1.weight"),
        (feed_forward.second, "linear2.weight"),
    ):
        assert_close(linear.weight.abs().max(), theirs[name].abs().max(), rtol=0.02, atol=0)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"heads": 3}, r"share the width evenly, got 3 heads for width 16\. Use 1, 2, 4, 8, 16 h"),
        ({"layers": 0}, r"^A Transformer needs layers 1 or more, got 0\.$"),
        ({"activation": "sine"}, r"^An activation is one of relu, gelu; got 'sine'\.$"),
    ],
)
def test_a_shape_that_cannot_be_is_refused(sizes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Shape(**{"width": 16, "layers": 2, "heads": 4, "inner": 8} | sizes)  # type: ignore[arg-type]


def test_weight_norm_has_no_place_in_a_block() -> None:
    with pytest.raises(ValueError, match=r"^WeightNorm normalizes weights, not what goes through"):
        Transformer(SHAPE, PRE, WEIGHT)


def test_an_unknown_initialization_is_refused() -> None:
    with pytest.raises(ValueError, match=r"is one of theory, xavier, pytorch; got 'zeros'\.$"):
        initialize(Transformer(SHAPE), "zeros")
