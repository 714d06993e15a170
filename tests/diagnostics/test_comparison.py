import copy
import math
from collections import OrderedDict

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

import lnviz
from lnviz.__main__ import main
from lnviz.diagnostics.comparison import compare, compare_weights
from lnviz.diagnostics.weights import NormParameter

D = 32
X = torch.randn(4, 6, D, generator=torch.manual_seed(0))


class OwnLayerNorm(nn.Module):
    """LayerNorm as people write it."""

    def __init__(self, eps: float = 1e-5, correction: int = 0, outside: bool = False) -> None:
        super().__init__()
        self.a, self.b = nn.Parameter(torch.ones(D)), nn.Parameter(torch.zeros(D))
        self.eps, self.correction, self.outside = eps, correction, outside

    def forward(self, x: Tensor) -> Tensor:
        variance = x.var(-1, keepdim=True, correction=self.correction)
        root = variance.sqrt() + self.eps if self.outside else (variance + self.eps).sqrt()
        return self.a * (x - x.mean(-1, keepdim=True)) / root + self.b


class OwnRMSNorm(nn.Module):
    """RMSNorm with a convention of gains and an order of casts."""

    def __init__(self, added: float = 0.0, order: str = "float32") -> None:
        super().__init__()
        noise = torch.randn(D, generator=torch.manual_seed(1))
        self.weight = nn.Parameter(0.1 * noise + 1 - added)
        self.added, self.order = added, order

    def forward(self, x: Tensor) -> Tensor:
        wide = x if self.order == "none" else x.float()
        normed = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)
        if self.order == "cast first":
            return (self.added + self.weight) * normed.to(x.dtype)
        return ((self.added + self.weight.to(normed.dtype)) * normed).to(x.dtype)


class OnePassNorm(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        return (x - mean) / (x.square().mean(-1, keepdim=True) - mean.square() + 1e-5).sqrt()


def changed(norm: nn.Module, **changes: object) -> nn.Module:
    """A copy of a norm: tensors are changed in place, other attributes replaced."""
    norm = copy.deepcopy(norm)
    for name, value in changes.items():
        if isinstance(value, Tensor):
            with torch.no_grad():
                getattr(norm, name).copy_(value)
        else:
            setattr(norm, name, value)
    return norm


def trained_batchnorm() -> nn.BatchNorm2d:
    norm = nn.BatchNorm2d(6)
    norm(3 * torch.randn(8, 6, 4, 4, generator=torch.manual_seed(2)) + 1)
    return norm


PLAIN = nn.LayerNorm(D)
SHIFTED = OwnRMSNorm(added=1.0)
FACTOR = OwnRMSNorm()
BATCH = trained_batchnorm()
IMAGES = torch.randn(3, 6, 4, 4, generator=torch.manual_seed(3))
W = FACTOR.weight.detach()
ONE_GAIN = torch.where(torch.arange(D) == 3, 2 * W, W)

PLANTED = {
    "epsilon": (PLAIN, nn.LayerNorm(D, eps=1e-6), X, "epsilon", "1 × 10⁻⁵ in theirs and 1 × 10⁻⁶"),
    "a fixed epsilon": (nn.RMSNorm(D), nn.RMSNorm(D, eps=1e-6), X, "epsilon", "1.19 × 10⁻⁷ in"),
    "epsilon outside": (
        PLAIN,
        OwnLayerNorm(outside=True),
        X,
        "epsilon",
        "under the root, mine (1 × 10⁻⁵) outside the root",
    ),
    "n - 1": (PLAIN, OwnLayerNorm(correction=1), X, "n - 1", "Mine divides the sum of squares by"),
    "n": (OwnLayerNorm(correction=1), PLAIN, X, "n - 1", "Theirs divides the sum of squares by"),
    "1 + w twice": (
        SHIFTED,
        changed(SHIFTED, weight=SHIFTED.weight + 1),
        X,
        "gain",
        "1 is added twice",
    ),
    "1 + w not at all": (SHIFTED, changed(SHIFTED, added=0.0), X, "gain", "1 is never added"),
    "1 + w instead of w": (
        FACTOR,
        changed(FACTOR, added=1.0),
        X,
        "gain",
        "Mine multiplies by 1 + w",
    ),
    "ratio": (
        FACTOR,
        changed(FACTOR, weight=1.25 * W),
        X,
        "gain",
        "are 1.25 times those of theirs",
    ),
    "one gain": (
        FACTOR,
        changed(FACTOR, weight=ONE_GAIN),
        X,
        "gain",
        "3.2% of the factors differ",
    ),
    "bias": (PLAIN, changed(PLAIN, bias=torch.full((D,), 0.3)), X, "bias", "difference is 0.3"),
    "mean": (
        nn.LayerNorm(D),
        nn.RMSNorm(D, eps=1e-5),
        X,
        "mean",
        "Theirs subtracts the mean, mine does not",
    ),
    "axes": (
        nn.LayerNorm(D, elementwise_affine=False),
        nn.LayerNorm((6, D), elementwise_affine=False),
        X,
        "axes",
        "theirs shares statistics over axis 2, mine over axes 1, 2",
    ),
    "groups": (nn.GroupNorm(2, 6), nn.GroupNorm(3, 6), IMAGES, "axes", "48 values (2 groups)"),
    "running variance": (
        BATCH,
        changed(BATCH, running_var=2 * BATCH.running_var),
        IMAGES,
        "gain",
        "since running variances differ: the median ratio of mine to theirs is 0.7071",
    ),
    "BatchNorm's epsilon": (
        BATCH,
        changed(BATCH, eps=1e-3),
        IMAGES,
        "epsilon",
        "Epsilon is 1 × 10⁻⁵ in theirs and 0.001 in mine.",
    ),
    "running mean": (
        BATCH,
        changed(BATCH, running_mean=BATCH.running_mean + 1),
        IMAGES,
        "bias",
        "(the bias, and the running mean) differ",
    ),
    "order of casts": (
        OwnRMSNorm().bfloat16(),
        changed(FACTOR, order="cast first").bfloat16(),
        X.bfloat16(),
        "casts",
        "casts after the gain; mine computes in float32 and casts before the gain",
    ),
    "precision": (
        OwnRMSNorm().bfloat16(),
        changed(FACTOR, order="none").bfloat16(),
        X.bfloat16(),
        "precision",
        "mine computes in bfloat16",
    ),
    "NaN in a gain": (
        PLAIN,
        changed(PLAIN, weight=torch.where(torch.arange(D) == 3, math.nan, 1.0)),
        X,
        "gain",
        "Of 768 finite inputs, 0 give NaN or infinity in theirs, and 24 in mine.",
    ),
    "width": (
        nn.Sequential(nn.Linear(D, 8, bias=False), nn.LayerNorm(8, elementwise_affine=False)),
        nn.Sequential(nn.Linear(D, 9, bias=False), nn.LayerNorm(9, elementwise_affine=False)),
        X,
        "shape",
        "Their inputs have shapes 4 × 6 × 8 and 4 × 6 × 9.",
    ),
    "one pass": (
        nn.LayerNorm(D, elementwise_affine=False),
        OnePassNorm(),
        X + 300,
        "precision",
        "mine is",
    ),
}


@pytest.mark.parametrize("case", PLANTED.values(), ids=list(PLANTED))
def test_a_planted_difference_is_named_with_its_numbers(case):
    theirs, mine, x, kind, said = case
    found = compare(theirs, mine, x)
    assert [one.kind for one in found.differences] == [kind]
    assert said in found.first.reason
    assert found.first.effect > 0 or kind == "shape"


def test_the_annotated_transformers_norm_differs_in_two_ways():
    found = compare(PLAIN, OwnLayerNorm(correction=1, outside=True), X)
    assert [one.kind for one in found.differences] == ["n - 1", "epsilon"]
    assert "mine (1 × 10⁻⁵) outside the root" in found.differences[1].reason


EQUAL = {
    "LayerNorm": (PLAIN, OwnLayerNorm(), X),
    "RMSNorm": (nn.RMSNorm(D, eps=1e-6), changed(OwnRMSNorm(), weight=torch.ones(D)), X),
    "conventions": (OwnRMSNorm(), OwnRMSNorm(added=1.0), X),
    "bfloat16": (OwnRMSNorm().bfloat16(), OwnRMSNorm().bfloat16(), X.bfloat16()),
    "float64": (nn.LayerNorm(D).double(), OwnLayerNorm().double(), X.double()),
    "InstanceNorm": (nn.InstanceNorm2d(6), nn.GroupNorm(6, 6), IMAGES),
    "BatchNorm": (BATCH, copy.deepcopy(BATCH), IMAGES),
    "layouts": (PLAIN, nn.LayerNorm(D), X.transpose(0, 1)),
    "the same NaN": (
        changed(PLAIN, weight=torch.full((D,), math.nan)),
        changed(PLAIN, weight=torch.full((D,), math.nan)),
        X,
    ),
}


@pytest.mark.parametrize("case", EQUAL.values(), ids=list(EQUAL))
def test_two_equal_implementations_differ_in_nothing(case):
    found = compare(*case)
    assert found.differences == found.notes == ()
    assert str(found) == "Pairs of norms that were compared: 1; that differ: 0."


@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("mean", [0.0, 5.0])
@pytest.mark.parametrize("width", [2, 3, 257])
def test_equal_norms_of_any_width_and_input_differ_in_nothing(width, mean, size):
    class OwnNorm(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gain, self.bias = (
                nn.Parameter(torch.randn(width)),
                nn.Parameter(torch.randn(width)),
            )

        def forward(self, x: Tensor) -> Tensor:
            wide = x.float() - x.float().mean(-1, keepdim=True)
            normed = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-5)
            return (normed * self.gain.float() + self.bias.float()).to(x.dtype)

    torch.manual_seed(0)
    mine, theirs = OwnNorm(), nn.LayerNorm(width)
    changes = dict(zip(("weight", "bias"), mine.parameters(), strict=True))
    theirs = changed(theirs, **{name: held.detach() for name, held in changes.items()})
    x = size * (torch.randn(3, 5, width) + mean)
    for dtype in (torch.float32, torch.bfloat16):
        assert compare(theirs.to(dtype), mine.to(dtype), x.to(dtype)).differences == ()


def model() -> nn.Sequential:
    torch.manual_seed(0)
    layers = (nn.Linear(D, D), nn.LayerNorm(D), nn.Linear(D, D), nn.RMSNorm(D), nn.Dropout(0.5))
    return nn.Sequential(*layers)


def test_the_first_norm_that_differs_is_first_and_a_layer_before_it_is_noted():
    theirs, mine = model(), model()
    assert compare(theirs, mine, X).differences == ()
    mine[3].eps = 1e-3
    (found,) = compare(theirs, mine, X).differences
    assert (found.theirs, found.kind) == ("3", "epsilon")
    mine[1].eps = 1e-2
    assert [one.theirs for one in compare(theirs, mine, X).differences] == ["1", "3"]
    mine = model()
    with torch.no_grad():
        mine[2].weight[0] *= 2
    found = compare(theirs, mine, X)
    assert found.differences == ()
    (note,) = found.notes
    assert note.startswith("In the running models, the inputs of 3 are the first to differ")
    assert note.endswith("look at the layers between 1 and 3.")


def test_norms_of_other_names_are_paired_in_the_order_of_their_calls():
    class Mine(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.late, self.early = nn.RMSNorm(D), nn.LayerNorm(D, eps=1e-3)

        def forward(self, x: Tensor) -> Tensor:
            return self.late(self.early(x))

    theirs = nn.Sequential(nn.LayerNorm(D), nn.RMSNorm(D), nn.RMSNorm(D))
    found = lnviz.compare(theirs, Mine(), (X,))
    assert (found.pairs, found.first.theirs, found.first.mine) == (2, "0", "early")
    assert found.notes[0].startswith("Names differ, and norms of other names were paired in the")
    assert found.notes[1] == "Only theirs has 2, which was not compared."


def test_models_are_left_as_they_were():
    theirs, mine = trained_batchnorm(), trained_batchnorm()
    mine.eval()
    before = theirs.running_mean.clone()
    compare(theirs, mine, {"input": IMAGES})
    assert theirs.training
    assert not mine.training
    assert torch.equal(theirs.running_mean, before)
    assert not theirs._forward_hooks


def test_a_model_without_a_norm_is_answered():
    with pytest.raises(ValueError, match='On these inputs, the model "mine" calls no norm'):
        compare(nn.LayerNorm(D), nn.Linear(D, D), X)


@pytest.mark.parametrize("who", ["theirs", "mine"])
def test_a_model_that_raises_is_named_and_its_error_is_the_cause(who):
    model = nn.Sequential(nn.Linear(D + 1, D), nn.LayerNorm(D))
    models = {"theirs": nn.LayerNorm(D), "mine": nn.LayerNorm(D), who: model}
    says = rf"The model \"{who}\" \(Sequential\) raises RuntimeError on these inputs: .*mat1 and"
    with pytest.raises(RuntimeError, match=says) as raised:
        compare(**models, inputs=X)
    assert isinstance(raised.value.__cause__, RuntimeError)
    assert model.training
    assert not model[1]._forward_hooks


def test_a_norm_that_does_not_take_the_others_input_is_a_difference_in_shape():
    class Turned(nn.LayerNorm):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x)

    theirs = nn.Sequential(nn.LayerNorm(D))
    mine = nn.Sequential(nn.Unflatten(-1, (D, 1)), Turned((D, 1)), nn.Flatten(-2))
    found = compare(theirs, mine, X).first
    assert found.kind == "shape"
    assert found.reason.startswith("Mine raises RuntimeError on the input of theirs, of shape ")


@pytest.mark.parametrize(
    ("theirs", "mine", "kind", "said"),
    [
        ([0.1, -0.2, 0.3], [1.1, 0.8, 1.3], "gain", "All values of mine are larger by 1"),
        ([1.1, 0.8, 1.3], [0.1, -0.2, 0.3], "gain", "All values of theirs are larger by 1"),
        ([1.0, 2.0, 3.0], [1.25, 2.5, 3.75], "gain", "are 1.25 times those of theirs"),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.004], "precision", "rounding to half precision"),
        ([1.0, 2.0, 3.0], [1.0, 5.0, 3.0], "gain", "1 of 3 values differ, by at most 3"),
        ([1.0, 2.0, 3.0], [1.0, math.nan, 3.0], "gain", "1 of 3 values are NaN or infinite"),
        ([1.0, 2.0, 3.0], [1.0, 2.0], "shape", "There are 3 values in theirs and 2 in mine"),
    ],
)
def test_files_that_differ_are_told_apart(theirs, mine, kind, said):
    sides = [[NormParameter("norm.weight", torch.tensor(held))] for held in (theirs, mine)]
    found = compare_weights(*sides)
    assert found.first.kind == kind
    assert said in found.first.reason
    assert not compare_weights(sides[0], sides[0]).differences


def test_a_norm_that_only_one_side_has_does_not_shift_the_others():
    """As if one layer of a port was forgotten."""
    whole = [NormParameter(f"{n}.weight", torch.tensor([1.0, 2.0 + n])) for n in range(8)]
    found = compare_weights(whole, [whole[7], *whole[:2]])
    assert (found.pairs, found.differences) == (3, ())
    (note,) = found.notes
    assert note == (
        "Only theirs has 2.weight, 3.weight, 4.weight and 2 more, which were not compared."
    )
    models = [
        nn.Sequential(OrderedDict((name, nn.LayerNorm(D)) for name in names))
        for names in ("abc", "ac")
    ]
    with torch.no_grad():
        for model in models:
            model.c.weight[0] = 3.0
    found = compare(*models, X)
    assert (found.pairs, found.differences) == (2, ())
    assert found.notes[0] == "Only theirs has b, which was not compared."


def test_the_command_compares_files_by_name_and_by_order(tmp_path, capsys):
    one, other = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    save_file({"norm.weight": torch.ones(4), "norm.bias": torch.zeros(4)}, one)
    save_file({"ln.weight": torch.full((4,), 2.0), "ln.bias": torch.zeros(4)}, other)
    assert main(["compare", str(one), str(one)]) == 0
    assert "that differ: 0." in capsys.readouterr().out
    assert main(["compare", str(one), str(other)]) == 1
    printed = capsys.readouterr().out
    assert "gain at norm.weight and ln.weight: All values of mine are larger by 1" in printed
    assert "Names differ" in printed
    with pytest.raises(SystemExit):
        main(["compare", str(one), str(tmp_path / "none.safetensors")])
    assert "There is no file" in capsys.readouterr().err
