"""The table of published models beside the code of `transformers`, from its default settings."""

import importlib
import re
import warnings
from functools import cache

import pytest
import torch
from torch import nn

from lnviz.book.reference.models import ALL, BEFORE_SUM, NOWHERE, PUBLISHED_MODELS, PublishedModel
from lnviz.norms import CATALOGUE
from lnviz.topics.transformer import SANDWICH

LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "encoder_layers", "decoder_layers")
TEXT_ALONE = {"gemma3": "gemma3_text", "llama4": "llama4_text"}
"""Kinds whose default settings are those of a model that reads images, too."""
NOT_IN_BLOCKS = re.compile("pooler|_projection|router|embeddings")
FEED_FORWARD, KEYS, READ = "mlp|fc|ffn|feed_forward", r"\.k_proj$", r"\.[qkv]_proj$"
WITH_BIAS = {"feed-forward": FEED_FORWARD, "all but the keys’": f"^(?!.*{KEYS})"}


@cache
def built(model: PublishedModel) -> nn.Module:
    """The model with two layers as its code builds it, without memory for its weights."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of another library
        library = importlib.import_module("transformers")
        given = {"num_key_value_heads": 8} if model.folder == "nemotron" else {}
        kind = TEXT_ALONE.get(model.folder, model.folder)
        settings = library.AutoConfig.for_model(kind, **given)
        for name in LAYERS:
            if hasattr(settings, name):
                setattr(settings, name, 2)
        with torch.device("meta"):
            found: nn.Module = library.AutoModel.from_config(settings)
    return found


def eps_of(norm: nn.Module) -> float | None:
    """The epsilon of a norm, under any of the names that it has there."""
    names = ("eps", "variance_epsilon", "epsilon")
    return next((getattr(norm, name) for name in names if hasattr(norm, name)), None)


@pytest.mark.slow
@pytest.mark.parametrize("model", PUBLISHED_MODELS, ids=lambda model: model.folder)
def test_a_published_model_is_built_as_the_table_says(model: PublishedModel) -> None:
    network = built(model)
    norms = {n: m for n, m in network.named_modules() if "Norm" in type(m).__name__}
    assert model.eps in {eps_of(norm) for norm in norms.values()} or model.folder == "olmo"
    learned = {name for norm in norms.values() for name, _ in norm.named_parameters(recurse=False)}
    assert ("weight" in learned, "bias" in learned) == (
        model.gain != "nothing",
        "β" in model.gain,
    )
    kinds = {type(norm).__name__ for norm in norms.values()}
    assert any("LayerNorm" in kind and kind != "T5LayerNorm" for kind in kinds) == (
        CATALOGUE[model.norm].center
    )
    on_queries = [name for name in norms if re.search(r"\.(q|k|qk|q_a)_(layer)?norm$", name)]
    assert bool(on_queries) == model.qk_norm.startswith("RMSNorm")
    assert any("post" in name and "sublayer" not in name for name in norms) or (
        model.placement not in (SANDWICH.label, BEFORE_SUM)
    )


@pytest.mark.slow
@pytest.mark.parametrize("model", PUBLISHED_MODELS, ids=lambda model: model.folder)
def test_the_maps_of_a_published_model_have_the_biases_that_the_table_says(
    model: PublishedModel,
) -> None:
    maps = {
        name: bool(getattr(m, "bias", None) is not None)
        for name, m in built(model).named_modules()
        if (isinstance(m, nn.Linear) or type(m).__name__ == "Conv1D")
        and not NOT_IN_BLOCKS.search(name)
    }
    assert maps
    pattern = {ALL: "", NOWHERE: "(?!)"}.get(model.biases, WITH_BIAS.get(model.biases, READ))
    assert maps == {name: bool(re.search(pattern, name)) for name in maps}
