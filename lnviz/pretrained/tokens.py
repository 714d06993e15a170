"""From a text to the numbers that a model reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # only those who have installed a model have it
    from tokenizers import Tokenizer

SPECIAL = 3
"""How a GGUF file marks tokens that no text is cut into, such as the end of a text."""


def byte_pairs(facts: Mapping[str, Any]) -> str:
    """Return the tokenizer that a GGUF file describes, as JSON.

    Digits stand alone, other text is cut at blanks and between letters and signs as GPT-2's is;
    then pairs are joined in the order of the merges (byte-pair encoding).

    Args:
        facts: the file's, by its own names.

    Raises:
        ValueError: the file describes a tokenizer of another kind.

    Source: Sennrich, Haddow and Birch 2016 (arXiv 1508.07909).
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    kind = (facts["tokenizer.ggml.model"], facts["tokenizer.ggml.pre"])
    if kind != ("gpt2", "smollm"):
        raise ValueError(f"The tokenizer must be gpt2 with smollm's cuts, got {kind}.")
    words: list[str] = facts["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in facts["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    kinds = facts["tokenizer.ggml.token_type"]
    tokenizer.add_special_tokens(
        [
            AddedToken(word, special=True)
            for word, k in zip(words, kinds, strict=True)
            if k == SPECIAL
        ]
    )
    return str(tokenizer.to_str())


def tokenizer(written: str) -> Tokenizer:
    """Return a tokenizer from its JSON; it neither pads nor cuts.

    Special tokens that stand in a text are read as text: a reader's sentence cannot end a text.

    Args:
        written: the JSON.
    """
    from tokenizers import Tokenizer

    made = Tokenizer.from_str(written)
    made.no_padding()
    made.no_truncation()
    made.encode_special_tokens = True
    return made


def word(tokenizer: Tokenizer, number: int) -> str:
    """Return a token as text, by itself.

    A letter may be cut into several tokens; such a part has its bytes instead, in hexadecimal, so
    that different parts read differently. What is no text, such as the end of one, is empty.

    Args:
        tokenizer: the tokenizer whose token it is.
        number: the number of the token.
    """
    text: str = tokenizer.decode([number])
    if "\N{REPLACEMENT CHARACTER}" not in text:
        return text
    signs, token = _bytes(), tokenizer.id_to_token(number)
    assert token is not None  # it has been decoded
    parts = bytes(signs[sign] for sign in token).hex(" ")
    return f"\N{MATHEMATICAL LEFT ANGLE BRACKET}{parts}\N{MATHEMATICAL RIGHT ANGLE BRACKET}"


@cache
def _bytes() -> Mapping[str, int]:
    """Which byte each sign of a byte-level token stands for.

    Bytes that are printable in Latin-1 stand for themselves, all others follow from 256 on.

    Source: Radford et al. 2019 (GPT-2), whose tokenizer began it.
    """
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (number for number in range(0x100) if number not in plain)
    return {chr(n): n for n in plain} | {chr(0x100 + at): n for at, n in enumerate(others)}
