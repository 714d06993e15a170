"""The experiments of the paper's section 6, their baselines, and the fairness of the comparison."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PaperExperiment:
    """One experiment of the paper: a subsection of section 6.

    Attributes:
        key: short name, for URLs.
        label: printed name.
        section: the section of the paper.
        batch: mini-batch size; "" if the paper gives none.
        numbers: the paper's table with the numeric results; "" if there is none.
        curves: the paper's figure with learning curves; "" if there is none.
        against: the baseline that LayerNorm is compared with.
        fair: whether all else is equal according to the paper, in one word, such as "yes".
        speed: the paper's words on speed; "" where it says nothing.
        time: training time as a fraction of the baseline's that the paper states; None if it states
            none. "Almost twice as fast" counts as one half.
    """

    key: str
    label: str
    section: str
    batch: str
    numbers: str
    curves: str
    against: str
    fair: str
    speed: str
    time: float | None = None

    @property
    def kind(self) -> str:
        """The form in which the paper gives the results: "numbers", "curves" or "words"."""
        return "numbers" if self.numbers else "curves" if self.curves else "words"


EXPERIMENTS = (
    PaperExperiment(
        "order",
        "Order embeddings",
        "6.1",
        "",
        "Table 2",
        "Figure 1",
        "no norm",
        "yes",
        "“in 60% of the time”",
        0.6,
    ),
    PaperExperiment(
        "reader",
        "Attentive reader",
        "6.2",
        "",
        "",
        "Figure 2",
        "no norm; BatchNorm in the LSTM; BatchNorm everywhere",
        "in part",
        "“trains faster”",
    ),
    PaperExperiment(
        "skip",
        "Skip-thoughts",
        "6.3",
        "",
        "Table 3",
        "Figure 3",
        "no norm",
        "yes",
        "“a speedup over the baseline”",
    ),
    PaperExperiment(
        "draw",
        "DRAW",
        "6.4",
        "128",
        "the text",
        "Figure 4",
        "no norm",
        "yes",
        "“almost twice as fast”",
        0.5,
    ),
    PaperExperiment(
        "handwriting",
        "Handwriting",
        "6.5",
        "8",
        "",
        "Figure 5",
        "no norm",
        "yes",
        "“much faster”",
    ),
    PaperExperiment(
        "digits",
        "MNIST",
        "6.6",
        "128 and 4",
        "",
        "Figure 6",
        "no norm; BatchNorm",
        "no",
        "“faster” than BatchNorm",
    ),
    PaperExperiment(
        "conv",
        "Convolutions",
        "6.7",
        "",
        "",
        "",
        "no norm; BatchNorm",
        "not said",
        "“a speedup,” but BatchNorm does better",
    ),
)
"""The experiments, in the paper's order. It counts six, the last one as a preliminary seventh."""
