"""The norms of published models, as the code that runs them has them."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.lessons.tables import Cell, Row, Source, Table
from lnviz.norms import CATALOGUE
from lnviz.topics.transformer import POST, PRE, SANDWICH

CODE = "https://github.com/huggingface/transformers/tree/main/src/transformers/models"
BOTH, ALONE, SHIFTED = "γ and β", "γ", "1 + w in place of γ"
NONE = "no"


@dataclass(frozen=True)
class Published:
    """A model, and how its norms are made.

    Attributes:
        label: the name of the model.
        folder: the folder of its code in `CODE`.
        norm: a key of the catalogue.
        place: where the norms stand.
        eps: epsilon, the default of its configuration.
        gain: what a norm learns, and how the file of weights holds it.
        queries: the norm on queries and keys.
    """

    label: str
    folder: str
    norm: str
    place: str
    eps: float
    gain: str
    queries: str = NONE

    @property
    def address(self) -> str:
        """The address of its code."""
        return f"{CODE}/{self.folder}"


PUBLISHED = (
    Published("GPT-2", "gpt2", "layer", PRE.label, 1e-5, BOTH),
    Published("BERT", "bert", "layer", POST.label, 1e-12, BOTH),
    Published("T5", "t5", "rms", PRE.label, 1e-6, ALONE),
    Published("ViT", "vit", "layer", PRE.label, 1e-12, BOTH),
    Published(
        "ConvNeXt",
        "convnext",
        "layer",
        "after the depthwise convolution, over the channels of a place",
        1e-6,
        BOTH,
    ),
    Published(
        "GPT-NeoX 20B",
        "gpt_neox",
        "layer",
        f"{PRE.label}, both sublayers side by side",
        1e-5,
        BOTH,
    ),
    Published("Llama", "llama", "rms", PRE.label, 1e-6, ALONE),
    Published("Mistral 7B", "mistral", "rms", PRE.label, 1e-6, ALONE),
    Published("Phi-3 mini", "phi3", "rms", PRE.label, 1e-5, ALONE),
    Published("Qwen2", "qwen2", "rms", PRE.label, 1e-6, ALONE),
    Published(
        "Qwen3",
        "qwen3",
        "rms",
        PRE.label,
        1e-6,
        ALONE,
        "RMSNorm over each head",
    ),
    Published("StarCoder2", "starcoder2", "layer", PRE.label, 1e-5, BOTH),
    Published(
        "DeepSeek-V3",
        "deepseek_v3",
        "rms",
        PRE.label,
        1e-6,
        ALONE,
        "RMSNorm on what queries, keys and values are computed from",
    ),
    Published("Gemma", "gemma", "rms", PRE.label, 1e-6, SHIFTED),
    Published(
        "Gemma 2",
        "gemma2",
        "rms",
        SANDWICH.label,
        1e-6,
        SHIFTED,
        "no: scores are capped at 50 by a tanh",
    ),
    Published(
        "Gemma 3",
        "gemma3",
        "rms",
        SANDWICH.label,
        1e-6,
        SHIFTED,
        "RMSNorm over each head",
    ),
    Published("OLMo", "olmo", "layer", PRE.label, 1e-5, "nothing"),
    Published(
        "OLMo 2",
        "olmo2",
        "rms",
        "after each sublayer, before the sum",
        1e-5,
        ALONE,
        "RMSNorm over all heads",
    ),
    Published(
        "Command R",
        "cohere",
        "layer",
        f"{PRE.label}, one norm for both sublayers side by side",
        1e-5,
        ALONE,
        "an option: LayerNorm over each head",
    ),
    Published(
        "Nemotron",
        "nemotron",
        "layer",
        PRE.label,
        1e-5,
        "1 + w in place of γ, and β",
    ),
)
"""The models: from their configurations' defaults, and the classes of their norms."""


def _row(model: Published) -> Row:
    source = Source("transformers", model.address)

    def cited(text: str, figure: str) -> Cell:
        return Cell(text, figure, "cited", source)

    return Row(
        model.label,
        (
            cited(CATALOGUE[model.norm].label, "rmsnorm#figure-offset"),
            cited(model.place, "placement#figure-blocks"),
            cited(f"{model.eps:g}".replace("e-0", "e-"), "invariance#figure-case-scale"),
            cited(model.gain, "gain-bias#figure-line"),
            cited(model.queries, "successors#figure-timeline"),
        ),
        model.norm,
    )


TABLE = Table(
    name="models",
    caption=(
        f"The norms of {len(PUBLISHED)} published models, from the code of Hugging Face's "
        "transformers. Epsilon is the default there."
    ),
    head="Model",
    columns=("Norm", "Place", "Epsilon", "Learned", "On queries and keys"),
    rows=tuple(map(_row, PUBLISHED)),
)
