"""Where norms stand in a Transformer: every placement once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType


def _one(_: int) -> float:
    return 1.0


@dataclass(frozen=True)
class Placement:
    r"""Where norms stand around each sublayer F, attention or feed-forward, and around all blocks.

    $$x' = \mathrm{after}(\alpha x + \mathrm{inside}(F(c\,\mathrm{before}(x))))$$

    Each of the three is a norm of its own, or nothing.

    Attributes:
        key: short name, for addresses and the command line.
        label: the label as it is printed.
        equation: the equation of one sublayer, in LaTeX; N is the norm, F the sublayer.
        users: models that have it.
        source: who proposed or analyzed it.
        before: whether a norm stands before F, on its branch.
        inside: whether one stands after F, on its branch.
        after: whether one stands on the sum, in the residual stream itself.
        embedding: whether one stands before the first block.
        final: whether one stands after the last block.
        alpha: what the residual stream is multiplied by at each sum, by the number L of blocks.
        beta: what the values' and the output's matrix of the attention and both matrices of the
            feed-forward layer are multiplied by at the start, by the number L of blocks.
        damping: what the norm before F is multiplied by (c), by the block l, the first being 1.
    """

    key: str
    label: str
    equation: str
    users: tuple[str, ...]
    source: str
    before: bool = False
    inside: bool = False
    after: bool = False
    embedding: bool = False
    final: bool = False
    alpha: Callable[[int], float] = _one
    beta: Callable[[int], float] = _one
    damping: Callable[[int], float] = _one

    @property
    def knows_depth(self) -> bool:
        """Whether a block computes something else when others follow it: alpha or beta say so."""
        return any(constant(depth) != 1 for constant in (self.alpha, self.beta) for depth in (1, 9))

    def norms(self, layers: int) -> int:
        """Count the norms in a stack of this many blocks, two sublayers each.

        >>> POST.norms(6), PRE.norms(6), PERI.norms(6)
        (12, 13, 26)
        """
        around = self.before + self.inside + self.after
        return 2 * layers * around + self.embedding + self.final


POST = Placement(
    key="post",
    label="Post-LN",
    equation="N(x + F(x))",
    users=("Transformer (2017)", "BERT"),
    source="Vaswani et al. 2017 (arXiv 1706.03762)",
    after=True,
)
PRE = Placement(
    key="pre",
    label="Pre-LN",
    equation="x + F(N(x))",
    users=("GPT-2", "GPT-3", "T5", "LLaMA"),
    source="Xiong et al. 2020 (arXiv 2002.04745)",
    before=True,
    final=True,
)
SANDWICH = Placement(
    key="sandwich",
    label="Sandwich-LN",
    equation="x + N(F(N(x)))",
    users=("CogView", "Gemma 2"),
    source="Ding et al. 2021 (arXiv 2105.13290)",
    before=True,
    inside=True,
    final=True,
)
PERI = replace(
    SANDWICH,
    key="peri",
    label="Peri-LN",
    users=(),
    source="Kim et al. 2025 (arXiv 2502.02732)",
    embedding=True,
)
OLMO2 = Placement(
    key="olmo2",
    label="OLMo 2",
    equation="x + N(F(x))",
    users=("OLMo 2",),
    source="OLMo et al. 2025 (arXiv 2501.00656)",
    inside=True,
    final=True,
)
DEEPNORM = replace(
    POST,
    key="deepnorm",
    label="DeepNorm",
    equation=r"N(\alpha x + F(x))",
    users=("DeepNet",),
    source="Wang et al. 2022 (arXiv 2203.00555)",
    alpha=lambda layers: (2 * layers) ** 0.25,
    beta=lambda layers: (8 * layers) ** -0.25,
)
KEEL = Placement(
    key="keel",
    label="Keel",
    equation=r"N(\alpha x + F(N(x)))",
    users=(),
    source="Chen and Wei 2026 (arXiv 2601.19895)",
    before=True,
    after=True,
    alpha=lambda layers: 2.0 * layers,
)
SCALED = replace(
    PRE,
    key="scaled",
    label="LayerNorm Scaling",
    equation=r"x + F(N(x) / \sqrt{l})",
    users=(),
    source="Sun et al. 2025 (arXiv 2502.05795)",
    damping=lambda layer: layer**-0.5,
)

PLACEMENTS: Mapping[str, Placement] = MappingProxyType(
    {p.key: p for p in (POST, PRE, SANDWICH, PERI, OLMO2, DEEPNORM, KEEL, SCALED)}
)
"""The placements by key, in the order in which tables list them.

DeepNorm's constants are those of a model with blocks of one kind, an encoder or a decoder. Keel's
alpha is the number of sublayers.
"""
