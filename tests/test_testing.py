"""A test of a model's norms fails with their findings, and leaves the model as it was."""

from dataclasses import dataclass

import pytest
import torch
from torch import nn

from lnviz.testing import assert_healthy
from tests.diagnostics.models import Reader, pictures

IDS = torch.randint(50, (4, 12), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("inputs", [IDS, (IDS,), [IDS], {"ids": IDS}])
def test_a_healthy_model_passes_whatever_its_inputs_are_given_as(inputs):
    assert_healthy(Reader(), inputs)


def test_a_fault_fails_with_its_place():
    model = Reader()
    model.blocks[1].second.eps = 10.0
    with pytest.raises(AssertionError, match=r"^epsilon at \"blocks\.1\.second\" "):
        assert_healthy(model, IDS)
    assert_healthy(model, IDS, allow=("epsilon",))
    assert_healthy(model, IDS, allow="epsilon")


def test_the_model_keeps_its_gradients_its_buffers_and_its_mode():
    model = pictures()
    before = {name: values.clone() for name, values in model.state_dict().items()}
    assert_healthy(model, torch.randn(16, 3, 16, 16))
    assert model.training
    assert all(p.grad is None for p in model.parameters())
    for name, values in model.state_dict().items():
        assert torch.equal(values, before[name])


def test_gradients_are_judged_too():
    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.reader = Reader()

        def forward(self, ids):
            return {"logits": self.reader(ids), "state": (torch.zeros(2),)}

    assert_healthy(Head(), IDS)
    with pytest.raises(AssertionError, match='batch at "1"'):
        assert_healthy(pictures(), torch.randn(2, 3, 16, 16))


def test_a_model_without_norms_fails_since_nothing_was_judged():
    with pytest.raises(AssertionError, match="no norm was called"):
        assert_healthy(nn.Linear(4, 4), torch.randn(2, 4))


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="No kind of finding is called 'epsilons'"):
        assert_healthy(Reader(), IDS, allow=("epsilons",))


def test_a_dataclass_of_outputs_needs_no_gradient():
    @dataclass
    class Output:
        logits: torch.Tensor

    class Model(nn.Sequential):
        def forward(self, x):
            return Output(super().forward(x))

    assert_healthy(Model(nn.LayerNorm(8)), torch.randn(4, 8))
