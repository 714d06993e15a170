"""Tokenizers of the published models, built from the definitions in their files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # only those who have installed a model have it
    from tokenizers import Tokenizer

CONTROL_TOKEN = 3
"""The type that a GGUF file gives to control tokens, such as the end of a text."""


def bpe_tokenizer_json(fields: Mapping[str, Any]) -> str:
    """Convert a GGUF file's definition of a byte-pair tokenizer to tokenizer JSON.

    Digits are separate tokens. Other text is split as in GPT-2, at spaces and between letters and
    other characters; then pairs are merged in the order of the file's merge list.

    Args:
        fields: the metadata of the GGUF file.

    Raises:
        ValueError: the file describes another kind of tokenizer.

    Source: Sennrich, Haddow and Birch 2016 (arXiv 1508.07909).
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    kind = (fields["tokenizer.ggml.model"], fields["tokenizer.ggml.pre"])
    if kind != ("gpt2", "smollm"):
        raise ValueError(f"The tokenizer must be gpt2 with smollm's cuts, got {kind}.")
    words: list[str] = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    kinds = fields["tokenizer.ggml.token_type"]
    tokenizer.add_special_tokens(
        [
            AddedToken(word, special=True)
            for word, k in zip(words, kinds, strict=True)
            if k == CONTROL_TOKEN
        ]
    )
    return str(tokenizer.to_str())


def load_tokenizer(definition: str) -> Tokenizer:
    """Build a tokenizer from its JSON definition, without padding and truncation.

    Special tokens in a text are tokenized as ordinary text, so that a reader's sentence cannot
    contain an end-of-text token.

    Args:
        definition: the JSON.
    """
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(definition)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True
    return tokenizer


def token_text(tokenizer: Tokenizer, number: int) -> str:
    """Return the text of a token id.

    A token that is only part of a character is returned as its bytes in hexadecimal, so that
    different parts look different. Control tokens are empty.

    Args:
        tokenizer: the tokenizer.
        number: the token id.
    """
    text: str = tokenizer.decode([number])
    if "\N{REPLACEMENT CHARACTER}" not in text:
        return text
    signs, token = _byte_of_character(), tokenizer.id_to_token(number)
    assert token is not None  # it has been decoded
    parts = bytes(signs[sign] for sign in token).hex(" ")
    return f"\N{MATHEMATICAL LEFT ANGLE BRACKET}{parts}\N{MATHEMATICAL RIGHT ANGLE BRACKET}"


@cache
def _byte_of_character() -> Mapping[str, int]:
    """Return the table from characters in a byte-level tokenizer's vocabulary to bytes.

    Printable Latin-1 bytes stand for themselves; all other bytes follow from character 256 on.

    Source: Radford et al. 2019 (GPT-2), whose tokenizer introduced it.
    """
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (number for number in range(0x100) if number not in plain)
    return {chr(n): n for n in plain} | {chr(0x100 + at): n for at, n in enumerate(others)}
