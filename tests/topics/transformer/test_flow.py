"""What goes along the arrows, beside the block's own steps."""

import pytest
import torch
from torch.testing import assert_close

from lnviz.norms import CATALOGUE, LAYER
from lnviz.topics.transformer import DEEPNORM, POST, PRE, Placement, Shape
from lnviz.topics.transformer.block import Transformer
from lnviz.topics.transformer.flow import attention_flow, flow, language_model

SMALL = Shape(8, layers=2, heads=2, inner=16, activation="gelu", causal=True)


@pytest.mark.parametrize("placement", [POST, PRE], ids=lambda p: p.key)
def test_statistics_are_those_of_the_blocks_steps(placement: Placement) -> None:
    found = flow(placement, shape=SMALL)
    model, codes = language_model(placement, shape=SMALL)
    with torch.no_grad():
        steps = model(codes)
    for block, own in enumerate(steps.transformer.blocks):
        for number, x in ((1, own.attention.x), (5, own.attention.total), (11, own.y)):
            assert_close(found.mean[block, number], x.mean())
            assert_close(found.var[block, number], x.var(correction=0))
            assert_close(found.length[block, number], x.norm(dim=-1).mean())


@pytest.mark.parametrize("key", ["layer", "rms"])
@pytest.mark.parametrize("qk_norm", [False, True])
def test_the_inside_of_attention_is_that_of_the_block(key: str, qk_norm: bool) -> None:
    norm = CATALOGUE[key]
    found = attention_flow((1.0,), qk_norm, norm, SMALL)
    model, codes = language_model(PRE, norm, SMALL)
    with torch.no_grad():
        steps = model(codes).transformer.blocks[1].attention
    given = Shape(8, layers=1, heads=2, inner=16, causal=True, qk_norm=qk_norm)
    attention = Transformer(given, PRE, norm).blocks[0].attention.sublayer
    own = model.transformer.blocks[1].attention.sublayer
    attention.load_state_dict(own.state_dict(), strict=False)
    with torch.no_grad():
        inside = attention(steps.normed)
    expected = {0: steps.normed, 3: inside.q, 4: inside.k, 5: inside.v, 8: inside.mixed}
    expected[9] = inside.y
    for number, x in expected.items():
        assert_close(found.mean[1, 0, number], x.mean())
        assert_close(found.var[1, 0, number], x.var(correction=0))
        assert_close(found.length[1, 0, number], x.norm(dim=-1).mean())
    seen = torch.ones_like(inside.weights).tril().bool()
    assert_close(found.mean[1, 0, 7], inside.weights[seen].mean())
    assert_close(found.length[1, 0, 7], inside.weights.norm(dim=-1).mean())


def test_weights_are_the_same_in_all_placements_but_for_deepnorms_beta() -> None:
    post, deep = (
        language_model(placement, LAYER, SMALL)[0].transformer.blocks[1].attention.sublayer
        for placement in (POST, DEEPNORM)
    )
    assert_close(deep.query.weight, post.query.weight)
    assert_close(deep.value.weight, post.value.weight * 16**-0.25)
