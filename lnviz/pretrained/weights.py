"""Weights from files: read without unpickling, kept as float32, mapped and not copied."""

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
from lnviz.pretrained.packages import Unavailable, digest

TOKENIZER = "tokenizer"


@dataclass(frozen=True, eq=False)
class Weights:
    """What a file holds.

    Attributes:
        tensors: the tensors by name.
        notes: texts that stand beside them, by name.
    """

    tensors: Mapping[str, Float[Tensor, "..."]]
    notes: Mapping[str, str]


def mapped(path: Path) -> Weights:
    """Return the tensors of a safetensors file, in the file's memory: all processes share it.

    Args:
        path: the path of the file.
    """
    with safe_open(path, framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return Weights(tensors, file.metadata() or {})


def unpacked(path: Path, sha256: str) -> Weights:
    """Return the tensors of a GGUF file as float32, from a copy that is made the first time.

    Blocks of 4-bit integers with a scale and an offset each cannot be mapped as numbers, so the
    copy in the folder for caches is what is mapped, and the tokenizer is a note in it. The copy is
    named after the hash of what it was made from; a file beside it holds its own.

    Args:
        path: the path of the file.
        sha256: the SHA-256 of its bytes.

    Raises:
        Unavailable: the copy cannot be written.
    """
    # Here, since a figure without a published model needs no lock.
    from filelock import FileLock

    copy = cache_directory() / "models" / f"{sha256[:16]}.safetensors"
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(copy.with_suffix(".lock")):
            if not _intact(copy):
                _convert(path, copy)
    except (OSError, SafetensorError) as error:
        raise Unavailable(
            f"{path.name} is unpacked into {copy.parent} before it is read, and that cannot be "
            f"written ({error}). Make room there, or name another folder in LNVIZ_CACHE."
        ) from error
    return mapped(copy)


def _convert(path: Path, copy: Path) -> None:
    from gguf import GGUFReader  # only those who have installed a model have it
    from gguf.quants import dequantize

    from lnviz.pretrained.tokens import byte_pairs

    read = GGUFReader(path)
    tensors = {
        tensor.name: torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy())
        for tensor in read.tensors
    }
    facts = {name: field.contents() for name, field in read.fields.items()}
    partial = copy.with_suffix(".partial")
    try:
        save_file(tensors, partial, {TOKENIZER: byte_pairs(facts)})
        seal = copy.with_suffix(".json")
        seal.write_text(json.dumps({"sha256": digest(partial)}), encoding="utf-8")
        partial.replace(copy)
    finally:
        partial.unlink(missing_ok=True)  # half a copy would keep a full disk full


def _intact(copy: Path) -> bool:
    """Whether a copy is there and is what was written."""
    seal = copy.with_suffix(".json")
    if not (copy.is_file() and seal.is_file()):
        return False
    try:
        known = json.loads(seal.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return bool(known == {"sha256": digest(copy)})
