import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.data.examples import worked_example
from lnviz.norms import CATALOGUE
from lnviz.topics.successors import NORMS, Curves, curves, treats_units_alike

BATCH = worked_example().values
SCALES = torch.tensor([0.5, 1.0, 4.0])
STANDING = ("layer", "rms", "scale", "ada", "group")


def found(case: int = 0) -> Curves:
    return curves(BATCH, case, SCALES, torch.linspace(-3, 3, 7))


def test_every_norm_of_the_catalogue_is_there_but_the_one_that_needs_places() -> None:
    assert set(found().outputs) == set(CATALOGUE) - {"instance"}


@pytest.mark.parametrize("case", [0, 3])
def test_outputs_are_those_of_pytorch(case: int) -> None:
    for at, scale in enumerate(SCALES):
        batch = BATCH.clone()
        batch[case] *= scale
        x = batch[case]
        expected = {
            "layer": F.layer_norm(x, (6,)),
            "rms": F.rms_norm(x, (6,), eps=1e-5),
            "group": F.group_norm(batch, 2)[case],
            "batch": F.batch_norm(batch, None, None, training=True)[case],
            "dyt": torch.tanh(x / 2),
            "derf": torch.erf(x / 2),
            "none": x,
        }
        for key, values in expected.items():
            assert_close(found(case).outputs[key][at], values, rtol=1e-4, atol=1e-5)


@settings(max_examples=20)
@given(case=st.integers(0, 3), scale=st.floats(0.125, 8))
def test_statistics_of_the_vector_cancel_its_scale_and_others_do_not(
    case: int, scale: float
) -> None:
    both = curves(BATCH, case, torch.tensor([1.0, scale]), torch.zeros(1))
    of_vector = [key for key, norm in NORMS.items() if norm.family == "case"]
    for key in of_vector:
        assert_close(both.outputs[key][1], both.outputs[key][0], rtol=0, atol=5e-3)
    if scale > 1.5 or scale < 0.7:
        for key in set(NORMS) - set(of_vector):
            assert (both.outputs[key][1] - both.outputs[key][0]).abs().max() > 0.03


def test_a_curve_goes_through_the_units() -> None:
    x = BATCH[0]
    through = curves(BATCH, 0, SCALES, x)
    assert set(through.functions) == {key for key in NORMS if treats_units_alike(key)}
    assert set(through.functions) >= {"layer", "rms", "scale", "ada", "none", "dyt", "derf"}
    assert not set(through.functions) & {"batch", "group", "power", "weight"}
    for key, values in through.functions.items():
        assert_close(values, through.outputs[key], rtol=1e-4, atol=1e-5)
