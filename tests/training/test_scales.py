"""Scales inside runs: of which layers, and what they are."""

import torch
from torch import Tensor, nn

from lnviz.training import Trainer, initialize
from lnviz.training.scales import activations, biases, gains, gradients, scales

X = torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.0, -1.0]])


class Model(nn.Sequential):
    """A linear layer, norms with and without a bias, and a convolution."""

    def __init__(self) -> None:
        super().__init__(
            nn.Linear(3, 4),
            nn.LayerNorm(4),
            nn.RMSNorm(4),
            nn.Unflatten(1, (1, 1, 4)),
            nn.Conv2d(1, 2, 1),
        )


def models() -> list[Model]:
    built = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        built.append(Model())
    return built


def test_gains_and_biases_are_those_of_norms_alone() -> None:
    runs = initialize(Model, (0, 1))
    with torch.no_grad():
        runs.parameters["1.weight"][1] = torch.tensor([1.0, 2.0, 3.0, 6.0])
        runs.parameters["1.bias"][0] = torch.tensor([0.0, 0.0, 2.0, 2.0])
    assert list(gains(runs)) == ["1", "2"]
    assert list(biases(runs)) == ["1"]
    assert gains(runs)["1"][1].tolist() == [1.0, 2.0, 3.0, 6.0]
    assert biases(runs)["1"][0].tolist() == [0.0, 0.0, 2.0, 2.0]
    found = scales(runs, X)
    assert found["gains"]["1"].tolist() == [1.0, 3.0]
    torch.testing.assert_close(found["gain spreads"]["1"], torch.tensor([0.0, 3.5**0.5]))
    assert found["bias spreads"]["1"].tolist() == [1.0, 0.0]


def test_activations_are_the_rms_of_outputs_of_linear_layers_and_convolutions() -> None:
    found = activations(initialize(Model, (0, 1)), X)
    assert list(found) == ["0", "4"]
    for seed, model in enumerate(models()):
        rms = [model[0](X).square().mean().sqrt(), model(X).square().mean().sqrt()]
        torch.testing.assert_close(
            torch.stack([found["0"][seed], found["4"][seed]]), torch.stack(rms)
        )


def test_gradients_are_the_rms_of_each_weights_gradient() -> None:
    def loss(output: Tensor, targets: Tensor) -> Tensor:
        return (output - targets).square().mean()

    runs = initialize(Model, (0, 1))
    targets = torch.zeros(2, 2, 1, 4)
    assert {name: each.tolist() for name, each in gradients(runs).items()} == {
        "0.weight": [0.0, 0.0],
        "4.weight": [0.0, 0.0],
    }
    training = Trainer(runs, loss=loss)
    training.step((X.expand(2, -1, -1), targets.expand(2, -1, -1, -1, -1)))
    for seed, model in enumerate(models()):
        loss(model(X), targets).backward()
        for name in ("0.weight", "4.weight"):
            expected = model.get_parameter(name).grad
            assert expected is not None
            torch.testing.assert_close(
                gradients(runs)[name][seed], expected.square().mean().sqrt(), rtol=1e-4, atol=1e-7
            )
