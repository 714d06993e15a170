"""Why each entry of the table is what it is, in two or three lines of algebra."""

from __future__ import annotations

from lnviz.norms import ALPHA
from lnviz.topics.invariance import TRANSFORMATIONS

_NO_STATISTICS = (
    f"DyT, tanh(αa) with α = {ALPHA:g}, takes no statistics that could absorb a change. "
    "Where |αa| is large, tanh has come to its ends, and little of a change is left."
)

_TEXTS: dict[str, tuple[str, ...]] = {
    "batch": (
        "W′ = sW gives a′ = sa. Down each column μ′ = sμ and σ′ = sσ, so (sa − sμ) / sσ = (a − "
        "μ) / σ.",
        "W′ = W + 1γᵀ adds γᵀx to every unit's a, a number that depends on the case. The column's "
        "mean is over cases, so it takes out only the average of these numbers.",
        "One unit's column is multiplied by s, and so are the mean and deviation of that "
        "column, which no other unit shares. The factor cancels.",
        "x′ = sx gives a′ = sa. Down each column μ′ = sμ and σ′ = sσ: the factor cancels.",
        "x′ = x + c adds wᵢᵀc to unit i's a, the same number for every case. The column's mean "
        "moves by just that, and a − μ stays.",
        "One case is multiplied by s, and the mean and deviation of a column are taken over all "
        "cases. They do not follow that one, and they carry the change to the others.",
    ),
    "weight": (
        "W′ = sW gives a′ = sa, and σ′ᵢ = |s wᵢ| = s|wᵢ|: the factor cancels.",
        "W′ = W + 1γᵀ adds γᵀx to every a and changes every |wᵢ| in its own way. Nothing "
        "subtracts the first or matches the second.",
        "aᵢ′ = s aᵢ and |s wᵢ| = s|wᵢ|: the factor cancels, unit by unit.",
        "a′ = sa, but |wᵢ| knows nothing of the data: every standardized value is multiplied by "
        "s. The paper's prose says that all three methods are invariant here; its own table says "
        "that weight normalization is not.",
        "x′ = x + c adds wᵢᵀc to unit i's a. WeightNorm subtracts no mean, so it stays there.",
        "aₙ′ = s aₙ for that case, and |wᵢ| is what it was: the case's standardized values are "
        "multiplied by s.",
    ),
    "layer": (
        "W′ = sW gives a′ = sa. Along each row μ′ = sμ and σ′ = sσ, so (sa − sμ) / sσ = (a − μ) "
        "/ σ.",
        "W′ = W + 1γᵀ adds the same γᵀx to all units of a case. The row's mean moves by just "
        "that, and a − μ stays. This is the paper's equation 6, with δ = 1.",
        "Only a₁ is multiplied by s. It moves the mean and deviation that the whole row shares, "
        "and through them every unit.",
        "x′ = sx gives a′ = sa. Along each row μ′ = sμ and σ′ = sσ: the factor cancels.",
        "x′ = x + c adds wᵢᵀc to unit i, a number that depends on the unit. The row's mean is over "
        "units, so it takes out only the average of these numbers. LayerNorm ignores a + c1, one "
        "number c added to all units, but not x + c.",
        "aₙ′ = s aₙ along one row, and that row's own μ and σ are multiplied by s, too: the factor "
        "cancels. This is the paper's equation 7.",
    ),
    "rms": (
        "a′ = sa, and the root mean square of each row is multiplied by s: the factor cancels.",
        "W′ = W + 1γᵀ adds γᵀx to all units of a case. RMSNorm subtracts no mean, so it stays. "
        "This is what it gives up against LayerNorm.",
        "Only a₁ is multiplied by s. It moves the root mean square that the whole row shares, "
        "and through it every unit.",
        "a′ = sa, and the root mean square of each row is multiplied by s: the factor cancels.",
        "x′ = x + c adds wᵢᵀc to unit i. No mean is subtracted, and the mean would take out only "
        "the average of these numbers anyway.",
        "aₙ′ = s aₙ along one row, and that row's root mean square is multiplied by s, too: the "
        "factor cancels.",
    ),
    "group": (
        "a′ = sa. In each part of a row μ′ = sμ and σ′ = sσ: the factor cancels.",
        "γᵀx is added to all units of a case, so to all of each part: the part's mean moves by "
        "just that, and a − μ stays.",
        "Only a₁ is multiplied by s. It moves the mean and deviation of its part of the row. "
        "Units in the other part do not notice.",
        "a′ = sa. In each part of a row μ′ = sμ and σ′ = sσ: the factor cancels.",
        "x′ = x + c adds wᵢᵀc to unit i. A part's mean takes out only the average of these "
        "numbers in the part.",
        "aₙ′ = s aₙ along one row. Each part's own μ and σ are multiplied by s, too: the factor "
        "cancels.",
    ),
    "dyt": (_NO_STATISTICS,) * 6,
    "none": ("Without a norm the output is f(g ⊙ a + b): nothing takes a change of a back.",) * 6,
}
"""Six texts for each norm, in the order of `TRANSFORMATIONS`."""

REASONS: dict[tuple[str, str], str] = {
    (norm, change): text
    for norm, texts in _TEXTS.items()
    for change, text in zip(TRANSFORMATIONS, texts, strict=True)
}
