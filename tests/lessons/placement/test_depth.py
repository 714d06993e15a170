import re

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable, Readout
from lnviz.lessons.placement.depth import DEEP, LAYERS
from lnviz.topics.transformer.setups import SETUPS, InitializationExperiment
from lnviz.topics.transformer.theory import last_layer
from tests.lessons.running import built, printed, views


@pytest.fixture(scope="module")
def theory() -> Explorable:
    return built("placement", "depth")


def test_the_curves_are_the_gradients_of_networks_of_their_depth(theory: Explorable) -> None:
    found = last_layer(["post", "pre"], [3, 12], InitializationExperiment(width=64))
    for key, gradients in found.items():
        drawn = theory.tensors[f"{key} mean"].values[[2, 11]]
        assert_close(drawn, gradients.mean, rtol=1e-4, atol=1e-5)


def test_a_mean_lies_between_the_ends_of_its_band(theory: Explorable) -> None:
    for key in ("post", "pre"):
        low, mean, high = (theory.tensors[f"{key} {of}"].values for of in ("low", "mean", "high"))
        assert (low <= mean).all()
        assert (mean <= high).all()


def test_the_dotted_lines_have_the_slopes_of_the_theorem(theory: Explorable) -> None:
    (chart,) = views(theory, Chart)
    lines = {trace.name: trace for trace in chart.figure.data if trace.name}
    for name, power in (("constant", 0.0), ("1/√layers", -0.5)):
        x, y = lines[name].x, lines[name].y
        assert (y[-1] - y[0]) / (x[-1] - x[0]) == pytest.approx(power, abs=1e-4)


def test_in_the_theory_setup_the_slopes_are_those_of_the_theorem(theory: Explorable) -> None:
    (said,) = (
        view.text
        for row in theory.views
        for view in row
        if isinstance(view, Readout) and "measured slope" in view.text
    )
    assert re.search(r"measured slope is −?0\.0", said)
    means = theory.tensors["pre mean"].values
    assert means[15] / means[3] == pytest.approx(0.5, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("setup", SETUPS)
def test_the_slopes_that_are_said_are_those_of_lines_through_the_means(setup: str) -> None:
    figure = built("placement", "depth", *(() if setup == "theory" else (("setup", setup),)))
    (said,) = (view.text for view in views(figure, Readout) if view.style == "verdict")
    written = [float(part) for part in re.findall(r"[−-]?\d\.\d+", said.replace("−", "-"))]
    depths = torch.tensor(LAYERS.values).log()
    fitted = []
    for start in (1, DEEP):
        over = torch.stack([depths, torch.ones_like(depths)], 1)[start - 1 :]
        for key in ("post", "pre"):
            logs = figure.tensors[f"{key} mean"].values[start - 1 :].log()
            fitted.append(float(torch.linalg.lstsq(over, logs[:, None]).solution[0]))
    assert written == pytest.approx(fitted, abs=0.006)


def test_the_code_takes_the_gradient_at_the_depth_of_the_slider(theory: Explorable) -> None:
    (gradients,) = printed(theory, theory.state_at(layers=LAYERS.values[0]))
    # One random network of another seed: near the means, not at them.
    means = torch.stack([theory.tensors[f"{key} mean"].values[0] for key in ("post", "pre")])
    assert_close(gradients, means, rtol=0.5, atol=0)


@pytest.mark.parametrize("setup", ["default", "text"])
def test_in_every_setup_the_gradient_of_pre_ln_falls_below_that_of_post_ln(setup: str) -> None:
    drawn = built("placement", "depth", ("setup", setup))
    assert not drawn.code
    ratio = drawn.tensors["ratio"].values
    assert ratio[-1] > 1.5 * ratio[0]
