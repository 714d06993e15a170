"""Reading of weight files, without unpickling, as memory-mapped float32 tensors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from lnviz.cache import cache_directory
from lnviz.pretrained.packages import ModelUnavailable, sha256_of

TOKENIZER_KEY = "tokenizer"


@dataclass(frozen=True, eq=False)
class Weights:
    """Tensors and metadata of a weight file.

    Attributes:
        tensors: the tensors by name.
        metadata: the metadata strings by name.
    """

    tensors: Mapping[str, Float[Tensor, "..."]]
    metadata: Mapping[str, str]


def map_safetensors(path: Path) -> Weights:
    """Memory-map the tensors of a safetensors file; all processes share the memory.

    Args:
        path: the path of the file.
    """
    with safe_open(path, framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return Weights(tensors, file.metadata() or {})


def map_gguf(path: Path, sha256: str) -> Weights:
    """Return a GGUF file's tensors as float32, memory-mapped from a copy that is converted once.

    Blocks of 4-bit integers with a scale and an offset cannot be mapped as floats, so a safetensors
    copy in the cache folder is mapped instead. The copy is named after the hash of the original and
    has the tokenizer as metadata; a file beside it holds the copy's own hash.

    Args:
        path: the path of the file.
        sha256: SHA-256 of its content.

    Raises:
        ModelUnavailable: the copy cannot be written.
    """
    # Here, since a figure without a published model needs no lock.
    from filelock import FileLock

    copy = cache_directory() / "models" / f"{sha256[:16]}.safetensors"
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(copy.with_suffix(".lock")):
            if not _is_intact(copy):
                _convert_gguf(path, copy)
    except (OSError, SafetensorError) as error:
        raise ModelUnavailable(
            f"{path.name} is unpacked into {copy.parent} before it is read, and that cannot be "
            f"written ({error}). Make room there, or name another folder in LNVIZ_CACHE."
        ) from error
    return map_safetensors(copy)


def _convert_gguf(path: Path, copy: Path) -> None:
    from gguf import GGUFReader  # only those who have installed a model have it
    from gguf.quants import dequantize

    from lnviz.pretrained.tokens import bpe_tokenizer_json

    read = GGUFReader(path)
    tensors = {
        tensor.name: torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy())
        for tensor in read.tensors
    }
    facts = {name: field.contents() for name, field in read.fields.items()}
    partial = copy.with_suffix(".partial")
    try:
        save_file(tensors, partial, {TOKENIZER_KEY: bpe_tokenizer_json(facts)})
        seal = copy.with_suffix(".json")
        seal.write_text(json.dumps({"sha256": sha256_of(partial)}), encoding="utf-8")
        partial.replace(copy)
    finally:
        partial.unlink(missing_ok=True)  # half a copy would keep a full disk full


def _is_intact(copy: Path) -> bool:
    """Return whether the converted copy of a file exists and matches the hash stored with it."""
    seal = copy.with_suffix(".json")
    if not (copy.is_file() and seal.is_file()):
        return False
    try:
        known = json.loads(seal.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return bool(known == {"sha256": sha256_of(copy)})
