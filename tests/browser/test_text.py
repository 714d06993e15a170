"""Numbers in the text of a figure."""

import json

import pytest
import torch
from playwright.sync_api import expect

from lnviz.explorable import Explorable, Readout, Swept
from tests.browser.conftest import Opener
from tests.browser.figures import LINE


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (-2.5, "d3", "0.00316"),
        (-4.4375, "d3", "3.65 × 10⁻⁵"),
        (2.0, "d2", "100"),
        (float("nan"), "d2", "undefined"),
        (-0.001, "2", "0.00"),
        (-1.25, "1n", "(−1.3)"),
    ],
)
def test_a_number_is_written_as_its_format_says(
    open_tab: Opener, value: float, places: str, text: str
) -> None:
    tensors = {"x": Swept((), torch.tensor(value))}
    figure = Explorable("t", (), tensors, ((Readout(f"{{x:{places}}}"),),))
    document = json.dumps({**figure.payload(), "parameters": []})
    tab = open_tab(None)
    tab.page.route("**/line.json", lambda route: route.fulfill(body=document))
    tab.open(LINE.standalone)
    expect(tab.figure.locator(".note")).to_have_text(text)
