"""The norms of published models, as the code that runs them has them."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.lessons.tables import Cell, Row, Source, Table
from lnviz.norms import CATALOGUE
from lnviz.topics.transformer import POST, PRE, SANDWICH

CODE = "https://github.com/huggingface/transformers/tree/main/src/transformers/models"
BOTH, ALONE, SHIFTED = "γ and β", "γ", "1 + w in place of γ"
NONE = "no"
ALL, READING, NOWHERE = "all", "queries, keys and values", "none"
SIDE_BY_SIDE = f"{PRE.label}, one norm for both sublayers side by side"
OPTIONAL = "an option: LayerNorm over each head"
BEFORE_SUM = "after each sublayer, before the sum"


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
        biases: the linear maps of its blocks that have a bias.
        queries: the norm on queries and keys.
    """

    label: str
    folder: str
    norm: str
    place: str
    eps: float
    gain: str
    biases: str
    queries: str = NONE

    @property
    def address(self) -> str:
        """The address of its code."""
        return f"{CODE}/{self.folder}"


PUBLISHED = (
    Published("GPT-2", "gpt2", "layer", PRE.label, 1e-5, BOTH, ALL),
    Published("BERT", "bert", "layer", POST.label, 1e-12, BOTH, ALL),
    Published("RoBERTa", "roberta", "layer", POST.label, 1e-12, BOTH, ALL),
    Published("T5", "t5", "rms", PRE.label, 1e-6, ALONE, NOWHERE),
    Published("ViT", "vit", "layer", PRE.label, 1e-12, BOTH, ALL),
    Published("DINOv2", "dinov2", "layer", PRE.label, 1e-6, BOTH, ALL),
    Published("CLIP", "clip", "layer", PRE.label, 1e-5, BOTH, ALL),
    Published("Whisper", "whisper", "layer", PRE.label, 1e-5, BOTH, "all but the keys'"),
    Published(
        "ConvNeXt",
        "convnext",
        "layer",
        "after the depthwise convolution, over the channels of a place",
        1e-6,
        BOTH,
        ALL,
    ),
    Published("GPT-J", "gptj", "layer", SIDE_BY_SIDE, 1e-5, BOTH, "feed-forward"),
    Published(
        "GPT-NeoX 20B",
        "gpt_neox",
        "layer",
        f"{PRE.label}, both sublayers side by side",
        1e-5,
        BOTH,
        ALL,
    ),
    Published("OPT", "opt", "layer", PRE.label, 1e-5, BOTH, ALL),
    Published("BLOOM", "bloom", "layer", f"{PRE.label}, and on the embedding", 1e-5, BOTH, ALL),
    Published("Falcon 7B", "falcon", "layer", SIDE_BY_SIDE, 1e-5, BOTH, NOWHERE),
    Published("Llama", "llama", "rms", PRE.label, 1e-6, ALONE, NOWHERE),
    Published(
        "Llama 4",
        "llama4",
        "rms",
        PRE.label,
        1e-5,
        ALONE,
        NOWHERE,
        "RMSNorm over each head without γ, in layers with rotary positions",
    ),
    Published("Mistral 7B", "mistral", "rms", PRE.label, 1e-6, ALONE, NOWHERE),
    Published("Mixtral", "mixtral", "rms", PRE.label, 1e-5, ALONE, NOWHERE),
    Published("Phi-2", "phi", "layer", SIDE_BY_SIDE, 1e-5, BOTH, ALL, OPTIONAL),
    Published("Phi-3 mini", "phi3", "rms", PRE.label, 1e-5, ALONE, NOWHERE),
    Published("Qwen2", "qwen2", "rms", PRE.label, 1e-6, ALONE, READING),
    Published(
        "Qwen3",
        "qwen3",
        "rms",
        PRE.label,
        1e-6,
        ALONE,
        NOWHERE,
        "RMSNorm over each head",
    ),
    Published("StarCoder2", "starcoder2", "layer", PRE.label, 1e-5, BOTH, ALL),
    Published(
        "DeepSeek-V3",
        "deepseek_v3",
        "rms",
        PRE.label,
        1e-6,
        ALONE,
        NOWHERE,
        "RMSNorm on what queries, keys and values are computed from",
    ),
    Published("gpt-oss", "gpt_oss", "rms", PRE.label, 1e-5, ALONE, ALL),
    Published("GLM-4", "glm4", "rms", SANDWICH.label, 1.5625e-7, ALONE, READING),
    Published("Gemma", "gemma", "rms", PRE.label, 1e-6, SHIFTED, NOWHERE),
    Published(
        "Gemma 2",
        "gemma2",
        "rms",
        SANDWICH.label,
        1e-6,
        SHIFTED,
        NOWHERE,
        "no: scores are capped at 50 by a tanh",
    ),
    Published(
        "Gemma 3",
        "gemma3",
        "rms",
        SANDWICH.label,
        1e-6,
        SHIFTED,
        NOWHERE,
        "RMSNorm over each head",
    ),
    Published("OLMo", "olmo", "layer", PRE.label, 1e-5, "nothing", NOWHERE),
    Published("OLMo 2", "olmo2", "rms", BEFORE_SUM, 1e-5, ALONE, NOWHERE, "RMSNorm over all heads"),
    Published("OLMo 3", "olmo3", "rms", BEFORE_SUM, 1e-5, ALONE, NOWHERE, "RMSNorm over all heads"),
    Published(
        "Command R",
        "cohere",
        "layer",
        SIDE_BY_SIDE,
        1e-5,
        ALONE,
        NOWHERE,
        OPTIONAL,
    ),
    Published(
        "Nemotron",
        "nemotron",
        "layer",
        PRE.label,
        1e-5,
        "1 + w in place of γ, and β",
        NOWHERE,
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
            cited(model.biases, "rmsnorm#figure-centering"),
            cited(model.queries, "successors#figure-timeline"),
        ),
        model.norm,
    )


TABLE = Table(
    name="models",
    caption=(
        f"The norms of {len(PUBLISHED)} published models, from the code of Hugging Face's "
        "transformers. Epsilon, biases and options are the defaults there."
    ),
    head="Model",
    columns=("Norm", "Place", "Epsilon", "Norms learn", "Biases of maps", "On queries and keys"),
    rows=tuple(map(_row, PUBLISHED)),
)
