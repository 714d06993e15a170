import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from lnviz.topics.cost.block import (
    KINDS,
    NONE,
    BlockSpecification,
    TimedBlock,
    heads,
    measure,
    operations,
)
from lnviz.topics.cost.costs import stored_costs

CPU = torch.device("cpu")
TINY = BlockSpecification(tokens=3, widths=(32, 64), rounds=2, block=1e-6)


def twins(width: int, kind: str) -> tuple[TimedBlock, nn.TransformerEncoderLayer]:
    """A block, and PyTorch's own with the same weights."""
    ours = TimedBlock(width, kind, CPU)
    theirs = nn.TransformerEncoderLayer(
        width,
        heads(width),
        4 * width,
        dropout=0.0,
        activation="gelu",
        batch_first=True,
        norm_first=True,
    )
    pairs = [
        (theirs.self_attn.in_proj_weight, ours.qkv.weight),
        (theirs.self_attn.in_proj_bias, ours.qkv.bias),
        (theirs.self_attn.out_proj.weight, ours.out.weight),
        (theirs.self_attn.out_proj.bias, ours.out.bias),
        (theirs.linear1.weight, ours.first.weight),
        (theirs.linear1.bias, ours.first.bias),
        (theirs.linear2.weight, ours.second.weight),
        (theirs.linear2.bias, ours.second.bias),
    ]
    with torch.no_grad():
        for to, of in pairs:
            to.copy_(of)
    return ours, theirs


@pytest.mark.parametrize("width", [32, 128])
@pytest.mark.parametrize("kind", ["layer written", "layer function"])
def test_a_block_is_pytorchs_pre_ln_layer(kind: str, width: int) -> None:
    torch.manual_seed(0)
    ours, theirs = twins(width, kind)
    x = torch.randn(7, width)
    causal = nn.Transformer.generate_square_subsequent_mask(7)
    expected = theirs(x[None], src_mask=causal, is_causal=True)[0]
    torch.testing.assert_close(ours(x), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_both_ways_of_a_norm_make_the_same_block(norm: str) -> None:
    written, function = (
        TimedBlock(64, f"{norm} written", CPU),
        TimedBlock(64, f"{norm} function", CPU),
    )
    function.load_state_dict(written.state_dict())
    x = torch.randn(5, 64)
    torch.testing.assert_close(written(x), function(x))


def test_a_block_without_norms_has_no_parameters_of_norms() -> None:
    count = {
        kind: sum(p.numel() for p in TimedBlock(64, kind, CPU).parameters())
        for kind in (NONE, "layer function", "rms function")
    }
    assert count["layer function"] - count[NONE] == 2 * 2 * 64
    assert count["rms function"] - count[NONE] == 2 * 64


@pytest.mark.parametrize("width", [64, 192])
def test_the_operations_of_the_products_are_those_that_pytorch_counts(width: int) -> None:
    x = torch.randn(16, width)
    block = TimedBlock(width, NONE, CPU)
    with FlopCounterMode(display=False) as counter:
        block(x)
    counted = operations(16, (width,))
    assert (
        counter.get_total_flops() == counted.maps.item() == 24 * 16 * width**2 + 4 * 16**2 * width
    )


def test_a_norm_has_seven_operations_a_number_with_the_mean_and_four_without() -> None:
    found = operations(10, (32, 64))
    assert found.norms["layer"].tolist() == [2 * 7 * 10 * 32, 2 * 7 * 10 * 64]
    assert found.norms["rms"].tolist() == [2 * 4 * 10 * 32, 2 * 4 * 10 * 64]


def test_a_measurement_holds_quartiles_for_every_kind_pass_and_width() -> None:
    found = measure(TINY, CPU)
    assert set(found.whole) == {NONE, *KINDS}
    assert set(found.alone) == set(found.shares) == set(found.differences) == set(KINDS)
    for times in (*found.whole.values(), *found.alone.values(), *found.shares.values()):
        values = torch.tensor(times)
        assert values.shape == (2, 2, 3)  # passes, widths, quartiles
        assert (values > 0).all()


def test_norms_alone_take_less_than_the_block_they_are_in() -> None:
    for times in stored_costs()["cpu"].blocks.shares.values():
        assert (torch.tensor(times) < 1).all()


def test_the_stored_blocks_have_the_widths_the_lesson_shows() -> None:
    assert stored_costs()["cpu"].blocks.specification == BlockSpecification()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tokens": 0}, "tokens must be 1 or more, got 0"),
        ({"widths": (64, 64)}, r"widths rise, got \(64, 64\)"),
        ({"widths": (129,)}, "got width 129. Use a multiple of 64, or fewer than 128"),
    ],
)
def test_what_cannot_be_measured_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BlockSpecification(**given)  # type: ignore[arg-type]
