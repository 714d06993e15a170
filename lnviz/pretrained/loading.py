"""Cache of loaded models, shared by all threads."""

from __future__ import annotations

from threading import Lock

from lnviz.device import device
from lnviz.pretrained import tokens, weights
from lnviz.pretrained.minilm import MiniLM
from lnviz.pretrained.model import PretrainedModel
from lnviz.pretrained.packages import MINILM, PACKAGES, SMOLLM2
from lnviz.pretrained.smollm2 import SmolLM2

_loaded: dict[str, PretrainedModel] = {}
_lock = Lock()


def load(key: str) -> PretrainedModel:
    """Return a published model by its key, loaded on first use; its weights are memory-mapped.

    Args:
        key: `smollm2` or `minilm`.

    Raises:
        ValueError: the key is unknown.
        ModelUnavailable: the package is not installed, or its files are damaged.
    """
    if key not in PACKAGES:
        raise ValueError(f"A model is one of {', '.join(PACKAGES)}; got {key!r}.")
    with _lock:
        model = _loaded.get(key)
        if model is None:
            model = _loaded[key] = _smollm2() if key == SMOLLM2.key else _minilm()
        return model


def unload_all() -> None:
    """Empty the cache of models; threads that are using a model keep it until they are done."""
    _loaded.clear()  # no lock: freeing memory must not wait for a load


def _smollm2() -> PretrainedModel:
    (path,) = SMOLLM2.paths()
    read = weights.map_gguf(path, SMOLLM2.files[0].sha256)
    tokenizer = tokens.load_tokenizer(read.metadata[weights.TOKENIZER_KEY])
    return PretrainedModel(SMOLLM2, SmolLM2(read).to(device()), tokenizer)


def _minilm() -> PretrainedModel:
    path, words = MINILM.paths()
    tokenizer = tokens.load_tokenizer(words.read_text(encoding="utf-8"))
    return PretrainedModel(MINILM, MiniLM(weights.map_safetensors(path)).to(device()), tokenizer)
