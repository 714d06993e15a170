"""Placements of norms in a Transformer: Post-LN, Pre-LN and others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType


def _one(_: int) -> float:
    return 1.0


@dataclass(frozen=True)
class Placement:
    r"""A placement of norms in a Transformer: around its sublayers and around the stack of blocks.

    $$x' = \mathrm{after}(\alpha x + \mathrm{inside}(F(c\,\mathrm{before}(x))))$$

    Each of before, inside and after is a separate norm or the identity.

    Attributes:
        key: short name, for URLs and the command line.
        label: printed name.
        equation: the equation of one sublayer, in LaTeX; N is the norm, F the sublayer.
        users: models that use it.
        source: publication that proposed or analyzed it.
        before: whether there is a norm before F, on its branch.
        inside: whether there is a norm after F, on its branch.
        after: whether there is a norm on the sum, in the residual stream itself.
        embedding: whether there is a norm before the first block.
        final: whether there is a norm after the last block.
        alpha: factor of the residual stream at each sum, by the number L of blocks.
        beta: initial factor of the attention's value and output matrices and of both feed-forward
            matrices, by the number L of blocks.
        damping: factor of the output of the norm before F (c), by the block l, counted from 1.
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
        """True if the placement scales by alpha or beta, which depend on the number of blocks."""
        return any(constant(depth) != 1 for constant in (self.alpha, self.beta) for depth in (1, 9))

    def norms(self, layers: int) -> int:
        """Return the number of norms in a Transformer with this many blocks of two sublayers."""
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
"""The placements by key, in the order of the tables.

DeepNorm's constants are those of a model with blocks of one kind, an encoder or a decoder. Keel's
alpha is the number of sublayers.
"""
