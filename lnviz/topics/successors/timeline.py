"""What came after LayerNorm, in order of time: what each says, and what was not shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Successor:
    """One proposal.

    Attributes:
        key: short name, for addresses; the catalogue's where it stands there.
        label: the label as it is printed.
        year: the year of its first version.
        month: the month of its first version, from 1.
        changes: `norm` for another norm or none, `placement` for another place, or both.
        equation: as one writes it in a line.
        legend: what its letters mean.
        parameters: what is learned.
        claim: what its authors say.
        caution: what that does not show, or what others found.
        source: authors and number.
    """

    key: str
    label: str
    year: int
    month: int
    changes: str
    equation: str
    legend: str
    parameters: str
    claim: str
    caution: str
    source: str

    @property
    def day(self) -> date:
        """The first day of its month."""
        return date(self.year, self.month, 1)


SUCCESSORS = (
    Successor(
        "scale",
        "ScaleNorm",
        2019,
        10,
        "norm",
        "g · x / ‖x‖",
        "‖x‖ is the length of the vector. g starts at √D, where this is RMSNorm.",
        "one number, g",
        "Faster training and better performance; together with norms before the sublayers, "
        "smaller starting weights and word vectors of fixed length, 1.1 BLEU more on average over "
        "five small translation tasks.",
        "The 1.1 is for all the changes together. On a large task, English to German, the authors "
        "call ScaleNorm competitive, not better.",
        "Nguyen and Salazar 2019, arXiv 1910.05895; g's start from the authors' code",
    ),
    Successor(
        "rms",
        "RMSNorm",
        2019,
        10,
        "norm",
        "γ ⊙ x / RMS(x)",
        "RMS(x) is the root of the mean of the squares: LayerNorm without the mean.",
        "γ, a number for every unit",
        "As good as LayerNorm, in 7 % to 64 % less running time on different models.",
        "The times are those of the programs of 2019. That the mean can be left out is a "
        "hypothesis of the paper; why, it did not measure.",
        "Zhang and Sennrich 2019, arXiv 1910.07467",
    ),
    Successor(
        "ada",
        "AdaNorm",
        2019,
        11,
        "norm",
        "C (1 − k y) ⊙ y",
        "y is the vector standardized as by LayerNorm, k = 1/10, C a constant. No derivative is "
        "taken through the factor 1 − k y.",
        "nothing",
        "Better than LayerNorm on seven of eight data sets: without gain and bias there is less "
        "over-fitting.",
        "The data sets are small compared with those of today's language models. The authors' "
        "code divides by another standard deviation than the usual one, that of D − 1.",
        "Xu, Sun, Zhang, Zhao and Lin 2019, arXiv 1911.07013",
    ),
    Successor(
        "power",
        "PowerNorm",
        2020,
        3,
        "norm",
        "γ ⊙ x / ψ + β",
        "ψ² is, for each unit, a running mean of squares over batches.",
        "γ and β, a number each for every unit; ψ² is kept, not learned",
        "In translation and language modeling the statistics of batches fluctuate, which is why "
        "BatchNorm does badly there; PowerNorm gains 0.4 and 0.6 BLEU on LayerNorm in two "
        "translation tasks.",
        "Its gradient is an approximation, made to get by with running statistics. The authors' "
        "code also divides each word's vector by its root mean square first, as RMSNorm does: a "
        "statistic of the vector is in it after all.",
        "Shen, Yao, Gholami, Mahoney and Keutzer 2020, arXiv 2003.07845, and the authors' code",
    ),
    Successor(
        "qk",
        "QK-norm",
        2020,
        10,
        "placement",
        "softmax(g · q̂ k̂ᵀ) v",
        "q̂ and k̂ are queries and keys of one head, divided by their lengths.",
        "one number, g, in place of dividing by the root of a head's width",
        "The softmax saturates less easily; 0.93 BLEU more on average over five small translation "
        "tasks.",
        "Shown on small tasks. ViT-22B, OLMo 2, Qwen3 and Gemma 3 have a norm in place of "
        "the length. OLMo 2's report counts fewer spikes of the gradient with it and another "
        "place of the norms together (a score of 0.069, not 0.108).",
        "Henry, Dachapally, Pawar and Chen 2020, arXiv 2010.04245; OLMo et al. 2025, "
        "arXiv 2501.00656; Dehghani et al. 2023, arXiv 2302.05442; Yang et al. 2025, "
        "arXiv 2505.09388; Gemma Team 2025, "
        "arXiv 2503.19786",
    ),
    Successor(
        "sandwich",
        "Sandwich-LN",
        2021,
        5,
        "placement",
        "x + N(F(N(x)))",
        "A norm on either side of each sublayer F.",
        "gains and biases of two norms for each sublayer, where Pre-LN has one",
        "Together with a second method against overflow, it ended losses that are no number in "
        "the training of a model with 4 billion parameters in 16-bit numbers.",
        "The two methods were used together. The aim was 16-bit arithmetic, not better results.",
        "Ding et al. 2021, arXiv 2105.13290",
    ),
    Successor(
        "deepnorm",
        "DeepNorm",
        2022,
        3,
        "placement",
        "N(α x + F(x))",
        "Post-LN with a factor α above 1, and smaller starting weights; both follow from the "
        "number of layers.",
        "what Post-LN learns; the factors are fixed",
        "Transformers of 1,000 layers train. In translation between many languages, one of 200 "
        "layers and 3.2 billion parameters is 5 BLEU ahead of one of 48 layers and 12 billion.",
        "The two models of that comparison differ in more than the norm.",
        "Wang et al. 2022, arXiv 2203.00555",
    ),
    Successor(
        "ngpt",
        "nGPT",
        2024,
        10,
        "both",
        "x ← N(x + α ⊙ (N(F(x)) − x))",
        "N makes the length 1. The vectors that embeddings and matrices consist of have it, too.",
        "α, a number for every unit of each sublayer, and scales of queries, keys, hidden units "
        "and scores",
        "4 to 20 times fewer training steps to the same accuracy, the more the longer the text.",
        "Steps are counted, not time. The models had 0.5 and 1 billion parameters, trained on "
        "one collection of text.",
        "Loshchilov, Hsieh, Sun and Ginsburg 2024, arXiv 2410.01131; the equation as in the "
        "authors' code",
    ),
    Successor(
        "mix",
        "Mix-LN",
        2024,
        12,
        "placement",
        "N(x + F(x)) in the first blocks, x + F(N(x)) in the rest",
        "Post-LN first, Pre-LN after it.",
        "what the norm in use learns; the share of blocks with Post-LN is chosen",
        "Deep blocks contribute more than with Pre-LN; better than Pre-LN and Post-LN from 70 "
        "million to 7 billion parameters.",
        "There is one more number to choose. LayerNorm Scaling, from some of the same authors, is "
        "reported to do better than earlier techniques.",
        "Li, Yin and Liu 2024, arXiv 2412.13795; Sun et al. 2025, arXiv 2502.05795",
    ),
    Successor(
        "peri",
        "Peri-LN",
        2025,
        2,
        "placement",
        "x + N(F(N(x)))",
        "A norm on either side of each sublayer F, one after the embedding, one at the end.",
        "gains of two norms for each sublayer, where Pre-LN has one",
        "The residual stream's variance grows in a more balanced way, gradients are steadier and "
        "training is more stable, up to 3.2 billion parameters.",
        "The arrangement is older: CogView (2021) has it, and Gemma 2. The paper itself says that "
        "models had adopted it without saying why.",
        "Kim et al. 2025, arXiv 2502.02732; Ding et al. 2021, arXiv 2105.13290",
    ),
    Successor(
        "lns",
        "LayerNorm Scaling",
        2025,
        2,
        "placement",
        "x + F(N(x) / √l)",
        "l is the number of the block, the first being 1.",
        "what Pre-LN learns; the factor is fixed",
        "With Pre-LN the stream's variance grows exponentially with depth in training, so that "
        "deep blocks hardly change it; the factor mends that, from 130 million to 7 billion "
        "parameters.",
        "Its authors found that it does less together with starting weights scaled by depth, and "
        "advise against having both. At the start, before training, the growth is linear (Xiong "
        "et al. 2020).",
        "Sun et al. 2025, arXiv 2502.05795, version 3; Xiong et al. 2020, arXiv 2002.04745",
    ),
    Successor(
        "dyt",
        "DyT",
        2025,
        3,
        "norm",
        "γ ⊙ tanh(α x) + β",
        "No statistics. α starts at 0.5, in language models at other values.",
        "γ and β, a number each for every unit, and one number α",
        "Transformers without norms match those with them or do better, mostly with the same "
        "settings: on ImageNet 82.5 % with ViT-B, where LayerNorm has 82.3 %.",
        "A later study of GPT-2 models with 64 million parameters found a validation loss 27.3 % "
        "lower with 1 million tokens and 18.8 % higher with 118 million, both little text for "
        "that size. A Llama model with DyT collapsed, which it traces to SwiGLU.",
        "Zhu, Chen, He, LeCun and Liu 2025, arXiv 2503.10622; Verma 2026, arXiv 2604.23434",
    ),
    Successor(
        "derf",
        "Derf",
        2025,
        12,
        "norm",
        "γ ⊙ erf(α x + s) + β",
        "erf is the error function, an S like tanh. No statistics.",
        "γ, β, α and s",
        "The best of many functions tried: on ImageNet with ViT 82.8 %, where DyT has 82.5 % and "
        "LayerNorm 82.3 %. The authors see the reason in generalization, not in a better fit.",
        "A later study, with 1 billion parameters and 1,000 steps, found its loss 0.31 nats above "
        "RMSNorm's with the optimizer AdamW and 0.97 with Muon. Under Muon, α = 0.3 in place of "
        "0.5 made up for about 80 % of that gap. DyT showed no such penalty.",
        "Chen, Lu, Zhu, Sun and Liu 2025, arXiv 2512.10938; Abouzeid 2026, arXiv 2604.01563",
    ),
    Successor(
        "keel",
        "Keel",
        2026,
        1,
        "placement",
        "N(α x + F(N(x)))",
        "Post-LN with a norm before F, too; α is a constant, the number of sublayers.",
        "gains of two norms for each sublayer, where Post-LN has one",
        "Post-LN fails in deep models because gradients vanish along the residual stream. With the "
        "factor α models of more than 1,000 layers train, and better than with Pre-LN.",
        "A preprint. We have found no report by others yet.",
        "Chen and Wei 2026, arXiv 2601.19895",
    ),
)
"""The proposals, in order of time."""
