"""Gradients in the first training steps, and the result that is shipped."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.results.arrays import ArrayDataset
from lnviz.topics.transformer import first_steps
from lnviz.topics.transformer.documentation import encode, text
from lnviz.topics.transformer.first_steps import FIRST_STEPS, TABLE
from lnviz.topics.transformer.language import prediction_loss
from lnviz.topics.transformer.placements import PLACEMENTS
from lnviz.topics.transformer.warmup import WARMUP
from lnviz.training import sample_batches

SMALL = replace(
    FIRST_STEPS.default,
    **{**FIRST_STEPS.quick, "steps": 3, "warm_up": 4, "rate": 0.01, "seeds": (1, 4)},
)


@pytest.fixture(scope="module")
def found() -> ArrayDataset:
    return first_steps.measure(SMALL, torch.device("cpu"), lambda label, step: None)


@pytest.mark.parametrize(("placement", "warmed"), [("post", True), ("pre", False)])
@pytest.mark.parametrize("network", first_steps.NETWORKS)
def test_gradients_of_one_run_among_many_are_those_of_a_plain_loop(
    found: ArrayDataset, network: str, placement: str, warmed: bool
) -> None:
    torch.manual_seed(SMALL.seeds[1])
    model = SMALL.network(network, PLACEMENTS[placement])
    optimizer = torch.optim.Adam(model.parameters())
    codes = encode(text())
    codes = codes[: round(0.9 * len(codes))]
    drawn = sample_batches((4,), len(codes) - SMALL.context, steps=4, batch_size=SMALL.batch)
    weights: list[Tensor] = []
    streams: list[Tensor] = []
    for step, (begins,) in enumerate(drawn):
        passages = torch.stack([codes[begin : begin + SMALL.context + 1] for begin in begins])
        steps = model(passages[:, :-1])
        outputs = [block.y for block in steps.transformer.blocks]
        for output in outputs:
            output.retain_grad()
        optimizer.zero_grad()
        prediction_loss(steps, passages[:, 1:]).backward()
        blocks = model.transformer.blocks
        seconds = [block.feed_forward.sublayer.second.weight.grad for block in blocks]
        weights.append(torch.stack([gradient.norm() for gradient in seconds]))
        streams.append(torch.stack([output.grad.norm() for output in outputs]))
        optimizer.param_groups[0]["lr"] = 0.01 * (min(1.0, (step + 1) / 4) if warmed else 1.0)
        optimizer.step()
    at = {"network": network, "placement": placement, "warm_up": "with" if warmed else "without"}
    for name, expected in (("weights", weights), ("stream", streams)):
        values = found.tensor(name, "step", "layer", seed=4, **at)
        layers = len(expected[0])
        assert_close(values[:, :layers], torch.stack(expected), rtol=2e-3, atol=1e-6)
        assert values[:, layers:].isnan().all()


def test_the_networks_of_the_table_are_those_that_were_trained_with_and_without_warm_up() -> None:
    ours, theirs = FIRST_STEPS.result.specification, WARMUP.result.specification
    assert ours.table_layers == theirs.layers
    for name in ("width", "heads", "inner", "context", "batch", "warm_up"):
        assert getattr(ours, name) == getattr(theirs, name)
    models = []
    for make in (lambda p: ours.network(TABLE, p), theirs.model):
        torch.manual_seed(0)
        models.append(make(PLACEMENTS["post"]).state_dict())
    assert all(torch.equal(models[0][name], models[1][name]) for name in models[1])
