"""The table of published models and their norms, from the code of Hugging Face's transformers."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.lessons.tables import CellSource, ComparisonCell, ComparisonRow, ComparisonTable
from lnviz.norms import CATALOGUE
from lnviz.topics.transformer import POST, PRE, SANDWICH

CODE = "https://github.com/huggingface/transformers/tree/main/src/transformers/models"
BOTH, ALONE, SHIFTED = "γ and β", "γ", "1 + w instead of γ"
NONE = "no"
ALL, READING, NOWHERE = "all", "queries, keys and values", "none"
PARALLEL = f"{PRE.label}, one norm for two parallel sublayers"
OPTIONAL = "optional: LayerNorm over each head"
BEFORE_SUM = "after each sublayer, before the sum"


@dataclass(frozen=True)
class PublishedModel:
    """A published model and its norms.

    Attributes:
        label: The model's name.
        folder: The folder of the model's code in `CODE`.
        norm: The norm's key in the catalogue.
        placement: The placement of the norms.
        eps: The default epsilon in the model's configuration.
        gain: The learned parameters of the norms, and their format in the weight file.
        biases: The linear layers of a block that have a bias.
        qk_norm: The norm of queries and keys.
    """

    label: str
    folder: str
    norm: str
    placement: str
    eps: float
    gain: str
    biases: str
    qk_norm: str = NONE

    @property
    def address(self) -> str:
        """The URL of the model's source code."""
        return f"{CODE}/{self.folder}"


PUBLISHED_MODELS = (
    PublishedModel("GPT-2", "gpt2", "layer", PRE.label, 1e-5, BOTH, ALL),
    PublishedModel("BERT", "bert", "layer", POST.label, 1e-12, BOTH, ALL),
    PublishedModel("RoBERTa", "roberta", "layer", POST.label, 1e-12, BOTH, ALL),
    PublishedModel("T5", "t5", "rms", PRE.label, 1e-6, ALONE, NOWHERE),
    PublishedModel("ViT", "vit", "layer", PRE.label, 1e-12, BOTH, ALL),
    PublishedModel("DINOv2", "dinov2", "layer", PRE.label, 1e-6, BOTH, ALL),
    PublishedModel(
        "CLIP",
        "clip",
        "layer",
        f"{PRE.label}, and on the embedding of images",
        1e-5,
        BOTH,
        ALL,
    ),
    PublishedModel("Whisper", "whisper", "layer", PRE.label, 1e-5, BOTH, "all but the keys’"),
    PublishedModel(
        "ConvNeXt",
        "convnext",
        "layer",
        "after the depthwise convolution, over the channels of a position; also after the stem, "
        "before each downsampling, and at the end, with epsilon 1e-12",
        1e-6,
        BOTH,
        ALL,
    ),
    PublishedModel("GPT-J", "gptj", "layer", PARALLEL, 1e-5, BOTH, "feed-forward"),
    PublishedModel(
        "GPT-NeoX 20B",
        "gpt_neox",
        "layer",
        f"{PRE.label}, parallel sublayers",
        1e-5,
        BOTH,
        ALL,
    ),
    PublishedModel("OPT", "opt", "layer", PRE.label, 1e-5, BOTH, ALL),
    PublishedModel(
        "BLOOM", "bloom", "layer", f"{PRE.label}, and on the embedding", 1e-5, BOTH, ALL
    ),
    PublishedModel("Falcon 7B", "falcon", "layer", PARALLEL, 1e-5, BOTH, NOWHERE),
    PublishedModel("Llama", "llama", "rms", PRE.label, 1e-6, ALONE, NOWHERE),
    PublishedModel(
        "Llama 4",
        "llama4",
        "rms",
        PRE.label,
        1e-5,
        ALONE,
        NOWHERE,
        "RMSNorm over each head without γ, in layers with rotary positions",
    ),
    PublishedModel("Mistral", "mistral", "rms", PRE.label, 1e-6, ALONE, NOWHERE),
    PublishedModel("Mixtral", "mixtral", "rms", PRE.label, 1e-5, ALONE, NOWHERE),
    PublishedModel("Phi-2", "phi", "layer", PARALLEL, 1e-5, BOTH, ALL, OPTIONAL),
    PublishedModel("Phi-3 mini", "phi3", "rms", PRE.label, 1e-5, ALONE, NOWHERE),
    PublishedModel("Qwen2", "qwen2", "rms", PRE.label, 1e-6, ALONE, READING),
    PublishedModel(
        "Qwen3",
        "qwen3",
        "rms",
        PRE.label,
        1e-6,
        ALONE,
        NOWHERE,
        "RMSNorm over each head",
    ),
    PublishedModel("StarCoder2", "starcoder2", "layer", PRE.label, 1e-5, BOTH, ALL),
    PublishedModel(
        "DeepSeek-V3",
        "deepseek_v3",
        "rms",
        PRE.label,
        1e-6,
        ALONE,
        NOWHERE,
        "RMSNorm on what queries, keys and values are computed from",
    ),
    PublishedModel("gpt-oss", "gpt_oss", "rms", PRE.label, 1e-5, ALONE, ALL),
    PublishedModel("GLM-4", "glm4", "rms", SANDWICH.label, 1.5625e-7, ALONE, READING),
    PublishedModel("Gemma", "gemma", "rms", PRE.label, 1e-6, SHIFTED, NOWHERE),
    PublishedModel(
        "Gemma 2",
        "gemma2",
        "rms",
        SANDWICH.label,
        1e-6,
        SHIFTED,
        NOWHERE,
        "no: a tanh caps the attention logits at 50",
    ),
    PublishedModel(
        "Gemma 3",
        "gemma3",
        "rms",
        SANDWICH.label,
        1e-6,
        SHIFTED,
        NOWHERE,
        "RMSNorm over each head",
    ),
    PublishedModel("OLMo", "olmo", "layer", PRE.label, 1e-5, "nothing", NOWHERE),
    PublishedModel(
        "OLMo 2", "olmo2", "rms", BEFORE_SUM, 1e-5, ALONE, NOWHERE, "RMSNorm over all heads"
    ),
    PublishedModel(
        "OLMo 3", "olmo3", "rms", BEFORE_SUM, 1e-5, ALONE, NOWHERE, "RMSNorm over all heads"
    ),
    PublishedModel(
        "Command R",
        "cohere",
        "layer",
        PARALLEL,
        1e-5,
        ALONE,
        NOWHERE,
        OPTIONAL,
    ),
    PublishedModel(
        "Nemotron",
        "nemotron",
        "layer",
        PRE.label,
        1e-5,
        "1 + w instead of γ, and β",
        NOWHERE,
    ),
)
"""The models, by the defaults of their configurations and the classes of their norms."""


def _row(model: PublishedModel) -> ComparisonRow:
    source = CellSource("transformers", model.address)

    def cited(text: str, figure: str) -> ComparisonCell:
        return ComparisonCell(text, figure, "cited", source)

    return ComparisonRow(
        model.label,
        (
            cited(CATALOGUE[model.norm].label, "rmsnorm#figure-offset"),
            cited(model.placement, "placement#figure-blocks"),
            cited(f"{model.eps:g}".replace("e-0", "e-"), "invariance#figure-case-scale"),
            cited(model.gain, "gain-bias#figure-line"),
            cited(model.biases, "rmsnorm#figure-centering"),
            cited(model.qk_norm, "successors#figure-timeline"),
        ),
        model.norm,
    )


TABLE = ComparisonTable(
    name="models",
    caption=(
        f"The norms of {len(PUBLISHED_MODELS)} published models, from Hugging Face’s transformers. "
        "Epsilon, biases and options are the defaults of that code, not those of a checkpoint."
    ),
    head="Model",
    columns=(
        "Norm",
        "Placement",
        "Default epsilon",
        "Norms learn",
        "Linear layers with a bias",
        "On queries and keys",
    ),
    rows=tuple(map(_row, PUBLISHED_MODELS)),
)
