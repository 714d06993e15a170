"""What the figure of the block says: the arithmetic, and which module takes which cells."""

from __future__ import annotations

from lnviz.explorable import Readout
from lnviz.numerals import number
from lnviz.topics.images.cube import CHANNELS, EPS, NORMS

POINTED = (
    "You point at {cell}. Its mean and its variance are taken over {count:0} cells, itself among "
    "them: "
)
SAID = {
    "images": {
        "batch": "this channel at every place of every image. In training each image depends on "
        "the others in its batch. In PyTorch: nn.BatchNorm2d(C).",
        "layer": "every channel at every place of this image, and no other image. In PyTorch: "
        "nn.LayerNorm((C, H, W)), with a gain for each element, or nn.GroupNorm(1, C), with a gain "
        "for each channel.",
        "place": "the channels at this one place of this image. In PyTorch: nn.LayerNorm(C), once "
        "the channels stand last, (N, H, W, C). ConvNeXt is built so.",
        "instance": "this channel of this image, at every place. In PyTorch: nn.InstanceNorm2d(C).",
        "group": "those channels of this image that are in one group with this one, at every "
        "place. In PyTorch: nn.GroupNorm(groups, C).",
    },
    "tokens": {
        "batch": "this feature at every token of every sequence. nn.BatchNorm1d(D) wants the "
        "features in the middle, (B, D, T), so the tensor is transposed before and after.",
        "layer": "every feature at every token of this sequence. That is nn.LayerNorm((T, D)), and "
        "not what a Transformer does: a token would depend on all others, and the module would "
        "take sequences of one length only.",
        "place": "the features of this one token. That is nn.LayerNorm(D), the Transformer's: no "
        "other token is looked at, and no other sequence.",
        "instance": "this feature at every token of this sequence. nn.InstanceNorm1d(D) wants "
        "(B, D, T), as BatchNorm does.",
        "group": "the features of one group with this one, at every token of this sequence. "
        "nn.GroupNorm(groups, D) wants (B, D, T), and so takes the tokens together.",
    },
}
ENDS = {
    "images": ("LayerNorm over C, H, W", "channel"),
    "tokens": ("LayerNorm over T, D", "feature"),
}


def notes(layout: str) -> tuple[Readout, ...]:
    """Say the pointed cell's arithmetic, its group, and the ends of GroupNorm."""
    one, each = ENDS[layout]
    group = {"norm": ("group",)}
    return (
        Readout(
            f"({{x:4 value}} − {{mean:4n stat}}) / √({{var:4 stat}} + {number(EPS, '5')}) = "
            "{x_hat:4 value}",
            "formula",
        ),
        *(Readout(POINTED + SAID[layout][key], when={"norm": (key,)}) for key in NORMS),
        Readout(f"One group: this is {one}.", "verdict", group | {"groups": (1.0,)}),
        Readout(
            f"{CHANNELS} groups, one for each {each}: this is InstanceNorm.",
            "verdict",
            group | {"groups": (float(CHANNELS),)},
        ),
        Readout(
            "The numbers are real: digits 0, 1 and 2 through six filters of 3 × 3 pixels, edges "
            "and bars in three directions, each averaged over 2 × 2 places. "
            + (
                "Places are counted row by row."
                if layout == "images"
                else "Here each place counts as a token, as in a Vision Transformer that stands on "
                "a convolution, and each channel as a feature."
            )
        ),
    )
