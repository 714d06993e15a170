"""SmolLM2 as `transformers` runs it, watched, has the numbers that /inside shows."""

import warnings

import pytest
import torch

from lnviz.diagnostics import NormWatcher
from lnviz.pretrained import load
from lnviz.pretrained.smollm2 import QUERIES_PER_KEY, ROTARY_BASE, SHAPE, VOCABULARY
from lnviz.pretrained.stored_records import stored_records

PARTS = {
    "input_layernorm": "attention.before",
    "self_attn.q_proj": "attention.sublayer.query",
    "self_attn.k_proj": "attention.sublayer.key",
    "self_attn.v_proj": "attention.sublayer.value",
    "self_attn.o_proj": "attention.sublayer.out",
    "post_attention_layernorm": "feed_forward.before",
    "mlp.gate_proj": "feed_forward.sublayer.gate",
    "mlp.up_proj": "feed_forward.sublayer.up",
    "mlp.down_proj": "feed_forward.sublayer.down",
}
"""Names of a layer's weights: theirs, and ours."""


def halved(weight: torch.Tensor) -> torch.Tensor:
    """The rows of each head: the file has the two units that turn together side by side, the
    library has them half a head apart."""
    pairs = SHAPE.width // SHAPE.heads // 2
    return weight.unflatten(0, (-1, pairs, 2)).transpose(1, 2).flatten(0, 2)


def of_the_library() -> torch.nn.Module:
    """The library's model with the weights of the file."""
    from transformers import LlamaConfig, LlamaForCausalLM  # takes seconds
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=SHAPE.width,
        intermediate_size=SHAPE.inner,
        num_hidden_layers=SHAPE.layers,
        num_attention_heads=SHAPE.heads,
        num_key_value_heads=SHAPE.heads // QUERIES_PER_KEY,
        rms_norm_eps=SHAPE.eps,
        rope_theta=ROTARY_BASE,
        tie_word_embeddings=True,
    )
    with torch.device("meta"):  # what is made here is replaced at once
        model = LlamaForCausalLM(config)
    network = load("smollm2").network
    ours = network.transformer.state_dict()
    named = {
        f"model.layers.{layer}.{name}.weight": ours[f"blocks.{layer}.{part}.weight"]
        for layer in range(SHAPE.layers)
        for name, part in PARTS.items()
    }
    turned = {n: halved(w) for n, w in named.items() if "q_proj" in n or "k_proj" in n}
    ends = {"model.norm.weight": ours["final_norm.weight"]}
    ends |= dict.fromkeys(("model.embed_tokens.weight", "lm_head.weight"), network.embedding)
    model.load_state_dict(named | turned | ends, assign=True)
    model.model.rotary_emb = LlamaRotaryEmbedding(config)
    return model.eval()


@pytest.mark.long
def test_watching_the_librarys_model_gives_the_stored_sizes_before_and_after_every_norm():
    record = stored_records("smollm2").sentence_records[0]
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # those of another library
        model = of_the_library()
        with NormWatcher(model) as watched:
            model(load("smollm2").ids(record.text)[None])
    norms = watched.norms.values()
    assert {norm.spec.kind for norm in norms} == {"rms"}
    for name, stored in (("x_rms", record.x_rms), ("y_rms", record.y_rms)):
        found = torch.stack([norm.details[name] for norm in norms])
        expected = torch.tensor(stored)  # norms,tokens
        assert len(expected) == 61
        torch.testing.assert_close(found, expected, rtol=2e-3, atol=0)
