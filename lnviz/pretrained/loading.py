"""Models in memory: each is loaded once, shared by all who ask, and can be let go."""

from __future__ import annotations

from threading import Lock

from lnviz.device import device
from lnviz.pretrained import tokens, weights
from lnviz.pretrained.minilm import MiniLM
from lnviz.pretrained.model import Model
from lnviz.pretrained.packages import MINILM, PACKAGES, SMOLLM2
from lnviz.pretrained.smollm2 import SmolLM2

_loaded: dict[str, Model] = {}
_lock = Lock()


def load(key: str) -> Model:
    """Return a model; the weights are mapped from their file and read where they are needed.

    Args:
        key: `smollm2` or `minilm`.

    Raises:
        ValueError: there is no such model.
        Unavailable: its package is not installed, or its files are damaged.
    """
    if key not in PACKAGES:
        raise ValueError(f"A model is one of {', '.join(PACKAGES)}; got {key!r}.")
    with _lock:
        model = _loaded.get(key)
        if model is None:
            model = _loaded[key] = _smollm2() if key == SMOLLM2.key else _minilm()
        return model


def drop() -> None:
    """Let go of all models, at once; who still reads one keeps it until done."""
    _loaded.clear()  # without the lock: who is short of memory must not wait until one is loaded


def _smollm2() -> Model:
    (path,) = SMOLLM2.paths()
    read = weights.unpacked(path, SMOLLM2.files[0].sha256)
    tokenizer = tokens.tokenizer(read.notes[weights.TOKENIZER])
    return Model(SMOLLM2, SmolLM2(read).to(device()), tokenizer)


def _minilm() -> Model:
    path, words = MINILM.paths()
    tokenizer = tokens.tokenizer(words.read_text(encoding="utf-8"))
    return Model(MINILM, MiniLM(weights.mapped(path)).to(device()), tokenizer)
