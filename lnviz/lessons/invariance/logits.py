"""LayerNorm applied to a classifier's logits, and its effect on the classifier's confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch import Tensor

from lnviz.explorable import (
    CellPicker,
    Chart,
    Explorable,
    Grid,
    SliceAlong,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import category_axis, linear_axis, log_axis, to_log10
from lnviz.lessons.charts import bars, chart, norm_line
from lnviz.lessons.data_parameters import tensor_literal, to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import LAYER
from lnviz.number_format import number
from lnviz.topics.invariance import (
    CLASSES,
    TRAINING_CASES,
    Classifier,
    Confidence,
    confidence,
    digits_classifier,
)

SCALE = Slider.decades("logit scale", -1, 1, 100, 1.0)
IMAGES = 20
IMAGE = Slider.linear("held-out image", 1, IMAGES, 1, 1)
DIGITS = tuple(str(digit) for digit in range(CLASSES))
DIGIT = CellPicker("class", ("",), DIGITS, "digit")
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the figure of a classifier's probabilities with and without LayerNorm on its logits."""
    trained = digits_classifier()
    measured = confidence(trained.logits, to_tensor(SCALE.values).cpu())
    said = _captions(trained, measured)
    return Explorable(
        title=said.title,
        controls=(SCALE, IMAGE, DIGIT),
        tensors=_tensors(trained, measured),
        views=((_logits(),), (_probabilities(), _entropies(measured)), said.readouts),
        code=load_program(__file__, logits=tensor_literal(trained.logits[:IMAGES].float())),
    )


def _tensors(trained: Classifier, measured: Confidence) -> dict[str, SweptTensor]:
    scale, image = (SCALE.name,), (IMAGE.name,)
    both, cells = (*scale, *image), (*scale, *image, DIGIT.name)
    tensors = {
        "pictures": SweptTensor(image, trained.images[:IMAGES, None], 2),
        "shown": SweptTensor(image, trained.targets[:IMAGES], 0),
    }
    for name, predicted in (("plain", measured.plain), ("normed", measured.normed)):
        tensors |= {
            f"{name} logits": SweptTensor(cells, predicted.logits[:, :IMAGES], 2),
            name: SweptTensor(cells, predicted.probabilities[:, :IMAGES], 4),
            f"{name} top": SweptTensor(both, predicted.top[:, :IMAGES], 3),
            f"{name} entropy": SweptTensor(both, predicted.entropy[:, :IMAGES], 3),
            f"{name} mean entropy": SweptTensor(scale, predicted.entropy.mean(1), 3),
            f"{name} separation": SweptTensor(scale, predicted.separation(trained.right), 3),
        }
    return tensors


def _captions(trained: Classifier, measured: Confidence) -> RenderedCaptions:
    return CAPTIONS.render(
        {
            "classes": CLASSES,
            "even": math.log(CLASSES),
            "trained": TRAINING_CASES,
            "others": len(trained.targets),
            "right": 100 * float(trained.right.double().mean()),
            "least": float(measured.normed.top.min()),
            "most": float(measured.normed.top.max()),
            "bound": measured.most,
        }
    )


def _logits() -> Grid:
    return Grid(
        "Logits of image {held-out image}, which shows a {shown:0}",
        DIGIT.name,
        10.0,
        rows=(
            ("logits × {logit scale}", "plain logits"),
            ("after LayerNorm", "normed logits"),
        ),
        pictures="pictures",
    )


def _probabilities() -> Chart:
    places = [float(digit) for digit in range(CLASSES)]
    return chart(
        "Probability of each digit",
        [
            bars("softmax of the logits", "none", places, SliceAlong("plain", DIGIT.name)),
            bars("softmax after LayerNorm", "layer", places, SliceAlong("normed", DIGIT.name)),
        ],
        category_axis("digit", DIGITS),
        linear_axis("probability", 0, 1, padded=False),
        "The probability of each digit for image {held-out image}, a {shown:0}, at logit scale "
        "{logit scale}: the largest is {plain top:3} without LayerNorm on the logits and "
        "{normed top:3} with it. The entropy is {plain entropy:3} nats without it and "
        "{normed entropy:3} with it.",
        height=300,
    )


def _entropies(measured: Confidence) -> Chart:
    low, *_, high = to_log10(to_tensor(SCALE.values)).tolist()
    plain, normed = (p.entropy.mean(1).tolist() for p in (measured.plain, measured.normed))
    return chart(
        "Mean entropy over all held-out images",
        [
            norm_line("none", SCALE, plain),
            norm_line("layer", SCALE, normed, name=f"{LAYER.label} on the logits"),
        ],
        log_axis("logit scale", low, high),
        linear_axis("mean entropy, nats", 0, 2.4, padded=False),
        f"As the logit scale grows from {SCALE.values[0]:g} to {SCALE.values[-1]:g}, the mean "
        f"entropy falls from {number(plain[0], '3')} nats to {number(plain[-1], '3')}; after "
        f"LayerNorm, it stays between {number(min(normed), '3f')} and {number(max(normed), '3c')}. "
        "At logit scale {logit scale}, it is {plain mean entropy:3} nats without the norm and "
        "{normed mean entropy:3} with it.",
        height=300,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for predicted, name in zip(printed[0], ("plain", "normed"), strict=True):
        yield predicted, shown.lookup(name, {**state, "class": slice(None)})


FIGURE = FigureSpec(
    "logits", build, cpu_seconds=0.5, program_output=ProgramOutput(_printed, tolerance=1e-5)
)
