import pytest
import torch
from torch import Tensor

from lnviz.norms import CATALOGUE
from lnviz.topics.cost.ways import FUNCTIONS, WRITTEN, can_compile, kernel, parameters

CPU = torch.device("cpu")
# A compiler takes seconds for each.
PAIRS = [
    *((norm, "function") for norm in FUNCTIONS),
    *(
        pytest.param(norm, "compiled", marks=pytest.mark.long)
        for norm in WRITTEN
        if can_compile(CPU)
    ),
]


def drawn(norm: str) -> tuple[Tensor, list[Tensor], Tensor]:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(5, 24, generator=generator) + 1
    learned = [
        (each.detach() + 0.3 * torch.randn(each.shape, generator=generator)).requires_grad_()
        for each in parameters(norm, 24, CPU)
    ]
    return x.requires_grad_(), learned, torch.randn(5, 24, generator=generator)


@pytest.mark.parametrize("norm", [norm for norm in WRITTEN if norm != "dyt"])
def test_what_is_written_out_is_the_catalogues_norm(norm: str) -> None:
    x, (gain, *rest), _ = drawn(norm)
    found = CATALOGUE[norm].apply(x, "ND", gain=gain, bias=rest[0] if rest else None)
    torch.testing.assert_close(WRITTEN[norm](x, gain, *rest), found.y)


def test_dyt_as_it_starts_is_the_catalogues() -> None:
    x, _, _ = drawn("dyt")
    alpha, gain, bias = parameters("dyt", 24, CPU)
    torch.testing.assert_close(
        WRITTEN["dyt"](x, alpha, gain, bias), CATALOGUE["dyt"].apply(x, "ND").y
    )


# What PyTorch's compiler imports uses something that PyTorch has deprecated.
@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
@pytest.mark.parametrize(("norm", "way"), PAIRS)
def test_every_way_gives_the_same_output_and_the_same_gradients(norm: str, way: str) -> None:
    x, learned, arriving = drawn(norm)
    run = kernel(norm, way)
    assert run is not None
    y, expected = run(x, *learned), WRITTEN[norm](x, *learned)
    torch.testing.assert_close(y, expected)
    torch.testing.assert_close(
        torch.autograd.grad(y, (x, *learned), arriving),
        torch.autograd.grad(expected, (x, *learned), arriving),
    )


def test_a_way_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"each written, function, compiled; got 'layer', 'fast'"):
        kernel("layer", "fast")
