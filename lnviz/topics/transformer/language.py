"""A character-level language model built on the readable Transformer."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float, Int
from torch import Tensor, nn

from lnviz.norms import LAYER, Norm
from lnviz.topics.transformer.block import Shape, Transformer, TransformerSteps
from lnviz.topics.transformer.initialization import initialize
from lnviz.topics.transformer.placements import PRE, Placement


@dataclass(frozen=True, eq=False)
class LanguageSteps:
    """Intermediate values of a language model: embeddings, Transformer blocks and logits.

    Attributes:
        embedded: sum of the character embedding and the position embedding.
        transformer: the intermediates of all blocks.
        logits: the logits of the next character.
    """

    embedded: Float[Tensor, "*N T D"]
    transformer: TransformerSteps
    logits: Float[Tensor, "*N T V"]


class LanguageModel(nn.Module):
    """A character-level language model: embeddings, a Transformer, and an unembedding.

    Initially, embeddings are standard normal, weights Xavier uniform, and the unembedding has
    PyTorch's default initialization.

    Args:
        vocabulary: V, number of characters.
        context: number of position embeddings.
        shape: the shape of the Transformer.
        placement: the placement of the norms.
        norm: the norm.

    Raises:
        ValueError: as `Transformer`.

    >>> from lnviz.topics.transformer.documentation import alphabet, encode
    >>> shape = Shape(8, layers=2, heads=2, inner=16, causal=True)
    >>> model = LanguageModel(len(alphabet()), 32, shape)
    >>> model(encode("for x in y")).logits.argmax(-1).shape
    torch.Size([10])
    """

    def __init__(
        self,
        vocabulary: int,
        context: int,
        shape: Shape,
        placement: Placement = PRE,
        norm: Norm = LAYER,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, shape.width)
        self.places = nn.Embedding(context, shape.width)
        self.transformer = Transformer(shape, placement, norm)
        initialize(self.transformer, "xavier")
        self.readout = nn.Linear(shape.width, vocabulary)

    def forward(self, codes: Int[Tensor, "*N T"]) -> LanguageSteps:
        """Apply the model to passages of character ids, and return the intermediate values."""
        length, context = codes.shape[-1], self.places.num_embeddings
        if length > context:
            raise ValueError(
                f"This model knows {context} places, got {length} characters. Shorten the passage."
            )
        embedded = self.embedding(codes) + self.places.weight[:length]  # *N,T,D
        transformer = self.transformer(embedded)
        return LanguageSteps(embedded, transformer, self.readout(transformer.y))


def prediction_loss(steps: LanguageSteps, following: Int[Tensor, "*N T"]) -> Float[Tensor, ""]:
    """Return the mean cross-entropy of predicting the next character, in nats per character.

    Args:
        steps: the model's intermediates for the passages.
        following: the next character at each position.
    """
    loss: Tensor = nn.functional.cross_entropy(steps.logits.flatten(0, -2), following.flatten())
    return loss


def norm_inputs(steps: LanguageSteps) -> list[Float[Tensor, "*N T D"]]:
    """Return the inputs of all norms of a Pre-LN model, in order of execution."""
    blocks = steps.transformer.blocks
    streams = [part.x for block in blocks for part in (block.attention, block.feed_forward)]
    return [*streams, blocks[-1].y]
