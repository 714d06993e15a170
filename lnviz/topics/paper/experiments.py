"""The experiments of the paper's section 6: what was compared, on equal terms or not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Experiment:
    """One subsection.

    Attributes:
        key: short name, for addresses.
        label: what it is about.
        section: the section of the paper.
        data: what was learned from.
        model: what learned it, and where its norm is.
        training: optimizer and duration, as far as the paper says.
        batch: mini-batch size, "" where the paper gives none.
        numbers: where results are printed as numbers, "" where nowhere.
        curves: the figure, "" where there is none.
        against: what LayerNorm is compared with.
        fair: whether all else is equal, in a word: "yes" as far as the paper says.
        terms: the terms on which they are compared.
        finding: what the authors say came out.
        later: what the authors' code says, "" where we know of nothing.
    """

    key: str
    label: str
    section: str
    data: str
    model: str
    training: str
    batch: str
    numbers: str
    curves: str
    against: str
    fair: str
    terms: str
    finding: str
    later: str = ""

    @property
    def kind(self) -> str:
        """What is there of results: "numbers", "curves" or "words"."""
        return "numbers" if self.numbers else "curves" if self.curves else "words"


EXPERIMENTS = (
    Experiment(
        "order",
        "Order embeddings",
        "6.1",
        "Microsoft COCO: images and their captions; 5 test sets of 1,000 images and 5,000 "
        "captions each.",
        "A GRU reads the caption, a trained VGG network has read the image (10 crops). LayerNorm "
        "in the GRU.",
        "Adam. Validated every 300 iterations; the model that did best there was tested.",
        "",
        "Table 2",
        "Figure 1",
        "no norm",
        "yes",
        "Same code, same architecture, same initial hyperparameters. Two further rows of the "
        "table are taken from Vendrov et al. 2016.",
        "Best validation in 60 % of the baseline's time, and better test results; the best of "
        "recurrent embeddings but for one that was measured on a single test set.",
        "The trained model was put online, to compute the table's last row with.",
    ),
    Experiment(
        "reader",
        "Attentive reader",
        "6.2",
        "CNN news: a question with a blank, about a passage cut to 4 sentences.",
        "An attentive reader that reads in one direction. LayerNorm inside the LSTM alone, gains "
        "from 1.",
        "As Cooijmans et al. 2016, by their code; not repeated in the paper.",
        "",
        "",
        "Figure 2",
        "no norm; BatchNorm in the LSTM; BatchNorm everywhere",
        "in part",
        "BatchNorm's curves are taken from Cooijmans et al. 2016, whose gains start at 0.1. "
        "Validation set only, as there.",
        "Trains faster and ends better than the baseline and both BatchNorms. Gain 1.0 did "
        "significantly better than 0.1.",
        "The repository's command says Adam, learning rate 8e-5, batches of 64, 240 units, and "
        "that some settings have changed since. The log behind the LayerNorm curve was put "
        "online.",
    ),
    Experiment(
        "skip",
        "Skip-thoughts",
        "6.3",
        "BookCorpus, to learn sentence vectors from; five tasks to test them on.",
        "GRUs: one encodes a sentence into 2,400 numbers, others predict its neighbors. LayerNorm "
        "in the GRUs.",
        "Hyperparameters of Kiros et al. 2015, not repeated in the paper; 1 million iterations, "
        "the row with † about 1.7 million, a month.",
        "",
        "Table 3",
        "Figure 3",
        "no norm",
        "yes",
        "Same code and hyperparameters; the row with † was trained longer, so it stands by "
        "itself. The published row is from Kiros et al. 2015; the authors think that it differs "
        "from their own because the public code does not condition each step of the decoder.",
        "Faster, and better after 1 million iterations; a month brings more in all measures but "
        "MR. An iteration takes about as long as without the norm, if a library for memory, CNMeM, "
        "is used.",
        "The model trained for a month was put online, to compute the table's last row with.",
    ),
    Experiment(
        "draw",
        "DRAW",
        "6.4",
        "MNIST, pixels made black or white once and for all: 50,000 images to train on, 10,000 to "
        "validate, 10,000 to test.",
        "DRAW, which draws an image in 64 glimpses, LSTMs of 256 units. LayerNorm on the LSTM's "
        "cell alone, before it is put out.",
        "Adam with default settings, 200 epochs.",
        "128",
        "the text",
        "Figure 4",
        "no norm",
        "yes",
        "The paper names no other difference.",
        "Converges almost twice as fast; the curves show the first 100 epochs.",
    ),
    Experiment(
        "handwriting",
        "Handwriting",
        "6.5",
        "IAM-OnDB: 12,179 lines by 221 writers, about 700 points on average.",
        "Three LSTMs of 400 cells, a window of 10 Gaussians over the text, 20 bivariate Gaussians "
        "as output; about 3.7 million weights. LayerNorm in the LSTMs.",
        "Adam. Below the curves it says that sequences of length 500 were trained on.",
        "8",
        "",
        "Figure 5",
        "no norm",
        "yes",
        "The paper names no other difference.",
        "A comparable likelihood, reached much faster.",
    ),
    Experiment(
        "digits",
        "MNIST",
        "6.6",
        "MNIST as vectors of 784 pixels: 55,000 images to train on.",
        "Two hidden layers of 1,000 units, ten outputs. LayerNorm on the hidden layers, not on "
        "the last one, whose scale carries the confidence.",
        "Adam, learning rate not given; the curves show 60 epochs.",
        "128 and 4",
        "",
        "Figure 6",
        "no norm; BatchNorm",
        "no",
        "BatchNorm is applied to all layers, the last one too, LayerNorm not to the last. With "
        "batches of 4 BatchNorm divides by the unbiased variance.",
        "Robust to the batch size, and faster than this BatchNorm.",
    ),
    Experiment(
        "conv",
        "Convolutions",
        "6.7",
        "Not named.",
        "Not named.",
        "Not named; the authors call the experiments preliminary.",
        "",
        "",
        "",
        "no norm; BatchNorm",
        "not said",
        "No details are given.",
        "LayerNorm is faster than no norm, BatchNorm does better than both.",
    ),
)
"""The experiments, in the paper's order. It counts six, the last one as a preliminary seventh."""
