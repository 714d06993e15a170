import json
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from lnviz.lessons.inside import lens, massive, stream, swap
from lnviz.norms import LAYER
from lnviz.pretrained import PACKAGES, TextError, load
from lnviz.pretrained.packages import sha256_of
from lnviz.pretrained.records import record_text
from lnviz.pretrained.sample_texts import SENTENCES
from lnviz.pretrained.stored_records import stored_records

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))
pytestmark = pytest.mark.slow  # the models are large
KEYS = tuple(PACKAGES)
TEXT = SENTENCES[0]


def test_the_reference_was_made_of_the_files_that_are_read():
    read = {key: sha256_of(package.paths()[0]) for key, package in PACKAGES.items()}
    assert read == REFERENCE["hashes"]


@pytest.mark.long  # the file is known by its hash
def test_the_matrices_of_smollm2_have_4_bits_and_its_gains_are_float32():
    gguf = pytest.importorskip("gguf")
    (path,) = PACKAGES["smollm2"].paths()
    kinds = {tensor.name: tensor.tensor_type.name for tensor in gguf.GGUFReader(path).tensors}
    embedding = kinds.pop("token_embd.weight")
    gains = {name: kind for name, kind in kinds.items() if "norm" in name}
    assert embedding == "Q8_0"
    assert len(gains) == len(stored_records("smollm2").passage_record.norms)
    assert set(gains.values()) == {"F32"}
    assert {kind for name, kind in kinds.items() if name not in gains} == {"Q4_1"}


@pytest.mark.parametrize("key", KEYS)
def test_every_prompt_is_cut_into_the_tokens_of_the_reference(key):
    expected = [found["ids"] for found in REFERENCE[key]]
    assert [load(key).ids(prompt).tolist() for prompt in REFERENCE["prompts"]] == expected


@pytest.mark.parametrize("number", range(len(REFERENCE["prompts"])))
def test_the_language_model_says_what_the_reference_says(number):
    model, expected = load("smollm2"), REFERENCE["smollm2"][number]
    logits = model.run(model.ids(REFERENCE["prompts"][number])).logits[-1]
    torch.testing.assert_close(logits[::1000], torch.tensor(expected["logits"]), atol=2e-3, rtol=0)
    assert logits.topk(5).indices.tolist() == expected["top"]


def test_the_encoder_gives_the_vectors_of_the_reference():
    model = load("minilm")
    vectors = [model.run(model.ids(prompt)).embedding for prompt in REFERENCE["prompts"]]
    expected = torch.tensor([found["embedding"] for found in REFERENCE["minilm"]])
    torch.testing.assert_close(torch.stack(vectors), expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("key", KEYS)
def test_every_record_of_a_norm_is_what_pytorch_makes_of_its_input(key):
    model = load(key)
    trace = model.run(model.ids(TEXT))
    assert list(trace.norms) == list(model.norms)
    for name, record in trace.norms.items():
        norm, width = model.norms[name], record.x.shape[-1:]
        expected = (
            F.layer_norm(record.x, width, norm.weight, norm.bias, norm.eps)
            if norm.norm is LAYER
            else F.rms_norm(record.x, width, norm.weight, norm.eps)
        )
        torch.testing.assert_close(record.y, expected, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(record.mean, record.x.mean(-1))


@pytest.mark.parametrize("key", KEYS)
def test_the_norm_of_a_layer_reads_what_the_layers_before_have_left(key):
    model = load(key)
    trace = model.run(model.ids(TEXT))
    before = model.transformer.placement.before
    given = trace.norms["layers.1.attention"].x if before else trace.norms["layers.0.feedforward"].y
    x = model.transformer.embedding_norm(model.network.embed(model.ids(TEXT)))
    torch.testing.assert_close(model.transformer.blocks[0](x).y, given)


@pytest.mark.parametrize("key", KEYS)
def test_the_stored_sizes_of_the_stream_are_those_of_the_model(key):
    model, record = load(key), stored_records(key).sentence_records[0]
    trace = model.run(model.ids(record.text))
    rms = torch.stack([found.x.square().mean(-1).sqrt() for found in trace.norms.values()])
    torch.testing.assert_close(rms, torch.tensor(record.x_rms), rtol=2e-3, atol=1e-4)
    assert model.tokens(record.text) == list(record.tokens)


def test_the_tokens_of_a_text_stand_in_it_as_they_are():
    assert load("smollm2").tokens("A rocket \N{ROCKET}")[:2] == ["A", " rocket"]
    assert load("minilm").tokens("A rocket") == ["[CLS]", "A", "rocket", "[SEP]"]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("text", ["\n \t", "a" * 10_000, "a\x00b", "a\ud800", "1 " * 600])
def test_what_is_no_text_is_refused_in_a_sentence(key, text):
    with pytest.raises(TextError, match=r"^The text .*\. [A-Z].*\.$"):
        load(key).ids(text)


def test_an_emoji_that_this_python_does_not_know_yet_is_text():
    assert len(load("smollm2").ids("\U0001fae8 \U0001fae9"))


def test_parts_of_a_letter_read_as_their_bytes():
    model = load("smollm2")
    ids = model.ids("\N{ROCKET} a")
    assert "".join(model.token_texts(ids)[:-1]).replace("⟩⟨", " ").strip("⟨⟩") == "f0 9f 9a 80"
    assert model.token_texts(ids)[-1] == " a"


@pytest.mark.parametrize("key", KEYS)
def test_a_text_of_one_token_is_read_too(key):
    record = record_text(load(key), "x")
    build = [stream.stream_figure, massive.outlier_figure, swap.swap_figure]
    build += [lens.lens_figure] * (key == "smollm2")
    assert all(figure(record).payload() for figure in build)


def test_behind_attentions_norms_the_first_token_is_nearly_the_same_in_every_text():
    model = load("smollm2")
    traces = [model.run(model.ids(text)[:1]) for text in SENTENCES]  # it sees no other token
    for layer in range(12, 29):
        name = f"layers.{layer}.attention"
        y = F.normalize(torch.cat([trace.norms[name].y for trace in traces]), dim=-1)
        assert (y @ y.T).min() > 0.99


def test_matrices_do_not_make_up_for_gains_that_are_nearly_0():
    for block in load("smollm2").transformer.blocks[2:27]:
        gain = block.feed_forward.before.weight.abs()
        sublayer = block.feed_forward.sublayer
        columns = torch.cat([sublayer.gate.weight, sublayer.up.weight]).norm(dim=0)
        assert columns[gain.argmin()] < columns.median()
