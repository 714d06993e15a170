import pytest
import torch

from lnviz.topics.cost.costs import stored_costs
from lnviz.topics.cost.kernels import FLOAT, Kernels, KernelSpecification, measure, minimal_bytes
from lnviz.topics.cost.ways import WRITTEN

TINY = KernelSpecification(
    rows=3, widths=(4, 16), rounds=2, block=1e-6, ways=("written", "function")
)


def measured() -> Kernels:
    return measure(TINY, torch.device("cpu"))


def test_a_measurement_holds_quartiles_for_every_norm_way_pass_and_width() -> None:
    found = measured()
    assert set(found.times) == {f"{norm} written" for norm in WRITTEN} | {
        f"{norm} function" for norm in ("layer", "rms", "batch")
    }
    for times in (*found.times.values(), *found.ratios.values()):
        values = torch.tensor(times)
        assert values.shape == (2, 2, 3)  # passes, widths, quartiles
        assert (values > 0).all()
    assert torch.tensor(found.copy).shape == (2, 3)


def test_the_stored_result_has_the_widths_the_lesson_shows() -> None:
    found = stored_costs()["cpu"].kernels
    assert found.specification == KernelSpecification()
    assert found.specification.widths[0] == 64
    assert found.specification.widths[-1] == 8192
    assert found.machine.device == "cpu"
    for times in found.times.values():
        assert torch.tensor(times).shape == (2, len(found.specification.widths), 3)


@pytest.mark.parametrize(
    ("norm", "learned"), [("layer", 2 * 7), ("rms", 7), ("batch", 2 * 7), ("dyt", 2 * 7 + 1)]
)
def test_the_bytes_are_those_of_inputs_and_outputs(norm: str, learned: int) -> None:
    x = y = arriving = gradient = 5 * 7
    assert minimal_bytes(norm, 5, 7, both=False) == FLOAT * (x + learned + y)
    both = (x + learned + y) + (x + learned + arriving + gradient + learned)
    assert minimal_bytes(norm, 5, 7, both=True) == FLOAT * both


def test_a_copy_reads_and_writes() -> None:
    assert minimal_bytes("copy", 5, 7, both=False) == FLOAT * 2 * 5 * 7


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rows": 0}, "rows must be 1 or more, got 0"),
        ({"widths": (8, 4)}, r"each larger than the one before, got \(8, 4\)"),
        ({"widths": (0, 4)}, "widths are 1 or more"),
        ({"ways": ("by hand",)}, "ways are some of written, function, compiled"),
    ],
)
def test_what_cannot_be_measured_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KernelSpecification(**given)  # type: ignore[arg-type]
