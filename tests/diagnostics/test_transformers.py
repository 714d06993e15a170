"""Norms of tiny models of `transformers` with random weights are known, and nothing else is."""

import importlib
import warnings

import pytest
import torch

from lnviz.diagnostics import NormWatcher, Run
from lnviz.diagnostics.findings import WARNING

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


POSITIONS = {"max_position_embeddings": 64}
ENCODER_DECODER = {
    "d_model": 32, "vocab_size": 99, "decoder_start_token_id": 0, "pad_token_id": 0,
    **{f"{part}_{name}": value for part in ("encoder", "decoder")
       for name, value in (("layers", 6), ("attention_heads", 4), ("ffn_dim", 64))},
}  # fmt: skip
SPEECH = {"num_mel_bins": 8, "max_source_positions": 16, "max_target_positions": 16}
FOUR = {"hidden_sizes": [8, 16, 16, 16], "depths": [1, 1, 1, 1]}
BACKBONE = {name: value for name, value in (SIZES | IMAGES).items() if name != "intermediate_size"}
SWIN = {"image_size": 32, "patch_size": 2, "embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4]}
START = {"eos_token_id": 0, "pad_token_id": 0, "bos_token_id": 0}
# The model, its sizes, its norms' conventions, and the kinds of what is found in a fresh one.
OTHERS = {
    "Cohere": (SIZES | START | {"use_qk_norm": True}, {""}, set()),
    "Gemma2": (SIZES | PAIRS, {"gain 1 + weight"}, {"epsilon"}),  # its sublayers are as small
    "Glm4": (SIZES | PAIRS | START, {""}, set()),
    "Bloom": ({"hidden_size": 32, "n_layer": 2, "n_head": 4, "vocab_size": 99}, {""}, set()),
    "Mamba2": (
        {"hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 99, "state_size": 8,
         "num_heads": 8, "head_dim": 8, "n_groups": 2}, {"", "x · silu(gate)"}, set(),
    ),
    "Bart": (ENCODER_DECODER | POSITIONS, {""}, set()),
    "Whisper": (ENCODER_DECODER | SPEECH, {""}, set()),
    "Dinov2": (BACKBONE, {""}, set()),  # with LayerScale
    "Swin": (SWIN | {"window_size": 4}, {""}, set()),  # with DropPath
    "Segformer": ({**FOUR, "num_attention_heads": [1, 2, 2, 2]}, {""}, set()),
    "ConvNextV2": (FOUR, {""}, set()),  # with GRN
    "PoolFormer": (FOUR, {""}, {"epsilon"}),  # with LayerScale, inputs of 0.002 in the last stage
    "CLIPVision": (SIZES | IMAGES, {""}, set()),
}  # fmt: skip
OF_IMAGES = {
    "Dinov2": 16,
    "CLIPVision": 16,
    "Swin": 32,
    "Segformer": 64,
    "ConvNextV2": 64,
    "PoolFormer": 64,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_another_architecture_is_undisturbed_and_only_its_norms_are_norms(name):
    sizes, conventions, kinds = OTHERS[name]
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of another library
        library = importlib.import_module("transformers")
        model = getattr(library, f"{name}Model")(getattr(library, f"{name}Config")(**sizes))
        ids = torch.randint(99, (2, 12))
        if name in OF_IMAGES:
            inputs = {"pixel_values": torch.randn(4, 3, OF_IMAGES[name], OF_IMAGES[name])}
        elif name == "Whisper":
            inputs = {"input_features": torch.randn(2, 8, 32), "decoder_input_ids": ids}
        else:
            inputs = {"input_ids": ids} | ({"decoder_input_ids": ids} if name == "Bart" else {})

        def computed():
            torch.manual_seed(1)
            output = model(**inputs)[0]
            learned = [p for p in model.parameters() if p.requires_grad]
            loss = (output * torch.linspace(-1, 1, output.shape[-1])).mean()
            return output, *torch.autograd.grad(loss, learned, allow_unused=True)

        plain = computed()
        with NormWatcher(model) as watched:
            same = computed()
    for one, other in zip(plain, same, strict=True):
        assert (one is None and other is None) or torch.equal(one, other)
    known = torch.nn.LayerNorm, torch.nn.RMSNorm, torch.nn.GroupNorm
    expected = {
        path
        for path, module in model.named_modules()
        if isinstance(module, known) or ("Norm" in type(module).__name__ and module._parameters)
    }
    assert set(watched.norms) == expected
    assert {norm.spec.convention for norm in watched.norms.values()} == conventions
    assert {finding.kind for finding in watched.findings if finding.level == WARNING} == kinds
    assert "not followed" not in watched.report()
