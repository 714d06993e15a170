"""Numbers quoted in the text of /results, from the paper's tables and from our own figures."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.topics.batch.regularizer import REGULARIZER
from lnviz.topics.lab.figure_six import FIGURE_SIX
from lnviz.topics.lab.stored import DIGITS as LAB
from lnviz.topics.paper.printed import CAPTIONS, DRAW, SENTENCES
from lnviz.topics.recurrence.train import RECURRENCE


def text_values() -> Mapping[str, float]:
    """Return the numbers quoted in /results: printed values, differences and training settings."""
    s = REGULARIZER.result.specification
    return {
        **_printed(),
        "recurrent": RECURRENCE.result.specification.batch,
        "smallest": s.sizes[0],
        "largest": s.sizes[-1],
        "digits": s.images,
        "lab-smallest": min(LAB.batch_sizes),
        "lab-largest": max(LAB.batch_sizes),
        "mnist": sum(
            FIGURE_SIX.result.tensor(f"{share}_images").item() for share in ("train", "test")
        ),
    }


def _printed() -> Mapping[str, float]:
    published, anew, layer = (CAPTIONS.at(key) for key in ("oe", "ours", "ln"))
    first, ranks = CAPTIONS.values[:, 0], CAPTIONS.values[:, 3]
    reviews = SENTENCES.values[:, 3]
    before, after = (reviews[SENTENCES.at(key)] for key in ("ln", "longer"))
    baseline, normed = DRAW.values[:, 0]
    numbers = {
        "first-anew": first[anew],
        "first-layer": first[layer],
        "first-moved": (first[anew] - first[published]).abs(),
        "first-gain": first[layer] - first[anew],
        "rank-published": ranks[published],
        "rank-anew": ranks[anew],
        "rank-layer": ranks[layer],
        "reviews": before,
        "reviews-longer": after,
        "reviews-moved": (after - before).abs(),
        "nats": baseline,
        "nats-layer": normed,
        "nats-gain": baseline - normed,
        "bar": baseline - 82,
        "bar-layer": normed - 82,
        "share": 100 * normed / baseline,
    }
    return {name: value.item() for name, value in numbers.items()}
