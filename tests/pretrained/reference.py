"""Writes what the libraries that usually run the two models say, for tests/pretrained.

`make reference` installs those libraries and runs this; the tests themselves do without them.
"""

import json
from importlib.metadata import version
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer
from transformers import AutoModelForCausalLM, AutoTokenizer

from lnviz.pretrained import MINILM, PACKAGES, SMOLLM2
from lnviz.pretrained.sample_texts import SENTENCES

PROMPTS = (
    *SENTENCES,
    "It's 2026, and 3.14 isn't pi.",
    "Ein Satz mit Umlauten: Äpfel, Öl, Übung.",
    "日本語の文章です。",
    "مرحبا بالعالم",
    "A family \N{FAMILY} and a rocket \N{ROCKET}",
    "tabs\tand\nnew   lines  ",
    "<|im_end|> [SEP] <|endoftext|>",
    "x",
)
TOP = 5
EVERY = 1_000  # of the vocabulary's scores
PATH = Path(__file__).parent / "reference.json"


def language() -> list[dict]:
    (weights,) = SMOLLM2.paths()
    place = {"gguf_file": weights.name}
    model = AutoModelForCausalLM.from_pretrained(weights.parent, dtype=torch.float32, **place)
    tokenizer = AutoTokenizer.from_pretrained(weights.parent, **place)
    found = []
    for prompt in PROMPTS:
        ids = tokenizer(prompt, split_special_tokens=True)["input_ids"]
        with torch.inference_mode():
            logits = model(torch.tensor([ids])).logits[0, -1]
        found.append(
            {
                "ids": ids,
                "top": logits.topk(TOP).indices.tolist(),
                "logits": [round(score, 5) for score in logits[::EVERY].tolist()],
            }
        )
    return found


def encoder() -> list[dict]:
    weights, _ = MINILM.paths()
    model = SentenceTransformer(str(weights.parent), device="cpu")
    return [_encoded(model, prompt) for prompt in PROMPTS]


def _encoded(model: SentenceTransformer, prompt: str) -> dict:
    # Not `encode`: it would take the names of special tokens in a prompt for such tokens.
    tokens = model.tokenizer(prompt, split_special_tokens=True, return_tensors="pt")
    with torch.inference_mode():
        vector = model(dict(tokens))["sentence_embedding"][0]
    return {
        "ids": tokens["input_ids"][0].tolist(),
        "embedding": [round(value, 6) for value in vector.tolist()],
    }


def main() -> None:
    packages = ("torch", "transformers", "sentence-transformers", "tokenizers", "gguf")
    written = {
        "versions": {name: version(name) for name in packages},
        "hashes": {key: package.files[0].sha256 for key, package in PACKAGES.items()},
        "prompts": PROMPTS,
        "smollm2": language(),
        "minilm": encoder(),
    }
    PATH.write_text(json.dumps(written, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
