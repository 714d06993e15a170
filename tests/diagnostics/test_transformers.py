"""Norms of models of `transformers`, tiny and with random weights, are known by what they do."""

import importlib
import warnings

import pytest
import torch

from lnviz.diagnostics import NormWatcher, Run

SIZES = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 99,
}
PAIRS = {"num_key_value_heads": 2, "head_dim": 8}
GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 99}
T5 = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "vocab_size": 99}
IMAGES = {"image_size": 16, "patch_size": 4}
STAGES = {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "layer_type": "basic"}
# The model, its sizes, how many norms it has, which kind, with which epsilon and gain.
MODELS = {
    "Llama": (SIZES | PAIRS, 5, "rms", 1e-6, "weight"),
    "Gemma": (SIZES | PAIRS, 5, "rms", 1e-6, "1 + weight"),
    "T5": (T5 | {"decoder_start_token_id": 0}, 12, "rms", 1e-6, "weight"),
    "Bert": (SIZES, 5, "layer", 1e-12, "weight"),
    "GPT2": (GPT2 | {"bos_token_id": 0, "eos_token_id": 0}, 5, "layer", 1e-5, "weight"),
    "Olmo2": (SIZES | {"eos_token_id": 0}, 9, "rms", 1e-5, "weight"),
    "Qwen3": (SIZES | PAIRS, 9, "rms", 1e-6, "weight"),
    "ViT": ({**SIZES, **IMAGES}, 5, "layer", 1e-12, "weight"),
    "ResNet": (STAGES, 6, "batch", 1e-5, "weight"),
}


def seen(name: str, sizes: dict) -> Run:
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of another library
        library = importlib.import_module("transformers")
        model = getattr(library, f"{name}Model")(getattr(library, f"{name}Config")(**sizes))
        ids = torch.randint(99, (4, 12))
        with NormWatcher(model) as watched:
            if name == "ViT":
                model(torch.randn(4, 3, 16, 16))
            elif name == "ResNet":
                model(torch.randn(8, 3, 32, 32))
            elif name == "T5":
                model(input_ids=ids, decoder_input_ids=ids)
            else:
                model(ids)
    return watched.run


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_transformers_has_its_norms_known(name):
    sizes, count, kind, eps, gain = MODELS[name]
    run = seen(name, sizes)
    norms = run.norms.values()
    assert len(norms) == count
    assert {(norm.spec.kind, norm.spec.gain) for norm in norms} == {(kind, gain)}
    assert {norm.spec.eps for norm in norms} == {eps}
    # Of width 32, OLMo 2's sublayers are so small at the start that epsilon is larger.
    assert [finding.kind for finding in run.findings] == ["epsilon"] * (name == "Olmo2")
