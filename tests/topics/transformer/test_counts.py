"""Counts of norms, parameters and operations beside real modules and published numbers."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from lnviz.norms import CATALOGUE
from lnviz.topics.transformer import PLACEMENTS, Shape, Transformer
from lnviz.topics.transformer.block import NormLayer
from lnviz.topics.transformer.counts import MODELS, ModelSize


def pytorch(model: ModelSize) -> nn.ModuleList:
    """The model's blocks and norms of PyTorch's own modules, without memory."""
    sizes = {"d_model": model.width, "nhead": model.heads, "dim_feedforward": model.inner}
    first = model.placement == "pre"
    final = [nn.LayerNorm(model.width) for _ in range(model.stacks if first else 0)]
    one = nn.TransformerEncoderLayer(**sizes, norm_first=first, bias=True)
    encoder = nn.TransformerEncoder(one, model.encoder or model.decoder, enable_nested_tensor=False)
    stacks: list[nn.Module] = [encoder]
    if model.encoder:
        other = nn.TransformerDecoderLayer(**sizes, norm_first=first)
        stacks.append(nn.TransformerDecoder(other, model.decoder))
    if model.embedding_norm:
        stacks.append(nn.LayerNorm(model.width))
    return nn.ModuleList([*stacks, *final])


@pytest.mark.parametrize("key", ["transformer", "bert", "gpt-2", "gpt-3", "t5"])
def test_norms_and_weights_are_those_of_pytorchs_modules(key: str) -> None:
    model = MODELS[key]
    with torch.device("meta"):
        modules = pytorch(model)
    norms = [module for module in modules.modules() if isinstance(module, nn.LayerNorm)]
    assert model.norms == len(norms)
    gains = sum(norm.weight.numel() for norm in norms)
    biases = gains if CATALOGUE[model.norm].center else 0  # T5's norms have none
    assert model.norm_parameters == gains + biases
    weights = sum(value.numel() for value in modules.parameters() if value.dim() == 2)
    assert model.matrices == weights + model.vocabulary * model.width


class Grouped(nn.Module):
    """A block of LLaMA, Gemma 2 or OLMo 2, of PyTorch's modules."""

    def __init__(self, model: ModelSize) -> None:
        super().__init__()
        queries, keys = model.heads * model.head, model.key_heads * model.head
        pairs = [
            *((model.width, queries), (model.width, keys), (model.width, keys)),
            *((queries, model.width), (model.inner, model.width)),
            *((model.width, model.inner), (model.width, model.inner)),
        ]
        self.maps = nn.ModuleList(nn.Linear(*pair, bias=False) for pair in pairs)
        count = {"llama": 2, "gemma-2": 4, "olmo-2": 2}
        key = next(key for key, other in MODELS.items() if other is model)
        self.norms = nn.ModuleList(nn.RMSNorm(model.width) for _ in range(count[key]))
        if model.qk_norm:
            self.norms.extend([nn.RMSNorm(queries), nn.RMSNorm(keys)])


@pytest.mark.parametrize("key", ["llama", "gemma-2", "olmo-2"])
def test_norms_and_weights_of_grouped_models_are_those_of_their_modules(key: str) -> None:
    model = MODELS[key]
    with torch.device("meta"):
        blocks = nn.ModuleList(Grouped(model) for _ in range(model.decoder))
        embeddings = nn.ModuleList(
            nn.Embedding(model.vocabulary, model.width) for _ in range(1 if model.tied else 2)
        )
        modules = nn.ModuleList([blocks, embeddings, nn.RMSNorm(model.width)])
    norms = [module for module in modules.modules() if isinstance(module, nn.RMSNorm)]
    assert model.norms == len(norms)
    assert model.norm_parameters == sum(norm.weight.numel() for norm in norms)
    assert model.parameters == sum(value.numel() for value in modules.parameters())


@pytest.mark.parametrize(
    ("key", "published"),
    [
        ("transformer", 65e6),
        ("bert", 110e6),
        ("gpt-3", 175e9),
        ("t5", 220e6),
        ("llama", 6.7e9),
        ("gemma-2", 917_962_752 + 8_324_201_984),
    ],
)
def test_parameters_are_about_those_that_the_papers_print(key: str, published: float) -> None:
    assert MODELS[key].parameters == pytest.approx(published, rel=0.04)


def test_gpt_3_has_one_norm_more_than_two_a_layer() -> None:
    assert MODELS["gpt-3"].norms == 2 * 96 + 1


@pytest.mark.slow
@pytest.mark.parametrize("key", ["bert", "gpt-2"])
def test_operations_and_norms_are_those_of_a_pass_through_our_blocks(key: str) -> None:
    model = MODELS[key]
    shape = Shape(model.width, model.decoder, model.heads, model.inner)
    with torch.device("meta"):
        blocks = Transformer(shape, PLACEMENTS[model.placement], CATALOGUE[model.norm])
        readout = nn.Linear(model.width, model.vocabulary)
        with FlopCounterMode(display=False) as counted:
            readout(blocks(torch.empty(1, model.context, model.width)).y)
    assert model.flops.total - model.flops.norms == counted.get_total_flops()
    norms = sum(isinstance(module, NormLayer) for module in blocks.modules())
    assert model.norms == norms + model.embedding_norm


def test_traffic_is_what_the_steps_of_a_small_model_read_and_write() -> None:
    t, d, i, v = 5, 6, 7, 11
    sizes = {"encoder": 0, "decoder": 1, "width": d, "heads": 2, "head": 4, "key_heads": 1}
    small = ModelSize(
        label="",
        source="",
        placement="pre",
        norm="rms",
        inner=i,
        gated=True,
        vocabulary=v,
        tied=True,
        context=t,
        **sizes,
    )
    linear = [(d, 8), (d, 4), (d, 4), (8, d), (d, i), (d, i), (i, d), (d, v)]
    maps = sum(t * (a + b) + a * b for a, b in linear)
    attention = t * (8 + 4 + 4 + 8)
    rest = maps + attention + 3 * t * i + 2 * 3 * t * d + 2 * t * d
    assert small.traffic.norms == 3 * (2 * t * d + d)
    assert small.traffic.total == small.traffic.norms + rest


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda m: m.label)
def test_norms_are_a_small_share_of_operations_and_a_larger_one_of_traffic(
    model: ModelSize,
) -> None:
    assert 0 < model.flops.share < model.traffic.share < 0.5
