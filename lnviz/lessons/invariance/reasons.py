"""Why each entry of the table is what it is, in two or three lines of algebra."""

from __future__ import annotations

from lnviz.invariance import TRANSFORMATIONS
from lnviz.norms import ALPHA

_NO_STATISTICS = (
    f"DyT, tanh(αa) with α = {ALPHA:g}, takes no statistics that could absorb a change. "
    "Large values are squashed to the ends, so a large factor changes less than without a norm, "
    "but it changes."
)

_TEXTS: dict[str, tuple[str, ...]] = {
    "batch": (
        "W′ = sW gives a′ = sa. Down each column μ′ = sμ and σ′ = sσ, so (sa − sμ) / sσ = (a − "
        "μ) / σ.",
        "W′ = W + 1γᵀ adds γᵀx to every unit's a: another number for each case. The column's "
        "mean is over cases, so it cannot take out what differs from case to case.",
        "One unit's column is multiplied by s, and so are the mean and deviation of that "
        "column, which no other unit shares. The factor cancels.",
        "x′ = sx gives a′ = sa. Down each column μ′ = sμ and σ′ = sσ: the factor cancels.",
        "x′ = x + c adds wᵢᵀc to unit i's a, the same number for every case. The column's mean "
        "grows by just that, and a − μ stays.",
        "One case grows, and with it the mean and deviation of every column. All cases share "
        "them, so the outputs of all cases move.",
    ),
    "weight": (
        "W′ = sW gives a′ = sa, and σ′ᵢ = |s wᵢ| = s|wᵢ|: the factor cancels.",
        "W′ = W + 1γᵀ adds γᵀx to every a and changes every |wᵢ| in its own way. Nothing "
        "subtracts the first or matches the second.",
        "aᵢ′ = s aᵢ and |s wᵢ| = s|wᵢ|: the factor cancels, unit by unit.",
        "a′ = sa, but |wᵢ| knows nothing of the data: the outputs are multiplied by s. The "
        "paper's prose says all three methods are invariant here; its own table, and this "
        "measurement, say that weight normalization is not.",
        "x′ = x + c adds wᵢᵀc to every a. WeightNorm subtracts no mean, so it stays there.",
        "aₙ′ = s aₙ for that case, and |wᵢ| is what it was: the case's outputs are multiplied "
        "by s.",
    ),
    "layer": (
        "W′ = sW gives a′ = sa. Along each row μ′ = sμ and σ′ = sσ, so (sa − sμ) / sσ = (a − μ) "
        "/ σ.",
        "W′ = W + 1γᵀ adds the same γᵀx to all units of a case. The row's mean grows by just "
        "that, and a − μ stays. This is the paper's equation 6.",
        "Only a₁ is multiplied by s. It moves the mean and deviation that the whole row shares, "
        "so every unit's output changes.",
        "x′ = sx gives a′ = sa. Along each row μ′ = sμ and σ′ = sσ: the factor cancels.",
        "x′ = x + c adds wᵢᵀc to unit i: another number for each unit. The row's mean is over "
        "units, so it takes out only their average. LayerNorm ignores a + c, but not x + c.",
        "aₙ′ = s aₙ along one row, and that row's own μ and σ grow with it: the factor cancels. "
        "This is the paper's equation 7.",
    ),
    "rms": (
        "a′ = sa, and the root mean square of each row is multiplied by s: the factor cancels.",
        "W′ = W + 1γᵀ adds γᵀx to all units of a case. RMSNorm subtracts no mean, so it stays. "
        "This is what it gives up against LayerNorm.",
        "Only a₁ is multiplied by s. It moves the root mean square that the whole row shares, "
        "so every unit's output changes.",
        "a′ = sa, and the root mean square of each row is multiplied by s: the factor cancels.",
        "x′ = x + c adds wᵢᵀc to unit i. No mean is subtracted, and it would differ from unit "
        "to unit anyway.",
        "aₙ′ = s aₙ along one row, and that row's root mean square grows with it: the factor "
        "cancels.",
    ),
    "group": (
        "a′ = sa. In each part of a row μ′ = sμ and σ′ = sσ: the factor cancels.",
        "γᵀx is added to all units of a case, so to all of each part: the part's mean grows by "
        "just that, and a − μ stays.",
        "Only a₁ is multiplied by s. It moves the mean and deviation of its part of the row. "
        "Units in the other part do not notice.",
        "a′ = sa. In each part of a row μ′ = sμ and σ′ = sσ: the factor cancels.",
        "x′ = x + c adds another number to each unit. A part's mean takes out only their average.",
        "aₙ′ = s aₙ along one row. Each part's own μ and σ grow with it: the factor cancels.",
    ),
    "dyt": (_NO_STATISTICS,) * 6,
    "none": ("Without a norm the output is f(g ⊙ a + b), and a changes.",) * 6,
}
"""For each norm the six texts, in the order of `TRANSFORMATIONS`."""

REASONS: dict[tuple[str, str], str] = {
    (norm, change): text
    for norm, texts in _TEXTS.items()
    for change, text in zip(TRANSFORMATIONS, texts, strict=True)
}
