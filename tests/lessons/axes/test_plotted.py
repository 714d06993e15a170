import pytest
import torch

import lnviz
from lnviz.explorable import Grid
from tests.lessons.running import views


def test_what_was_normalized_is_drawn_with_its_groups() -> None:
    done = lnviz.normalize(torch.randn(2, 3, 4), over=-1, gain=2.0)
    drawn = lnviz.plot(done)
    state = drawn.state_at(dimension_0=1, cell=6)  # row 1, column 2
    for name, values in (("y", done.y), ("x_hat", done.x_hat)):
        assert float(drawn.lookup(name, state)) == pytest.approx(float(values[1, 1, 2]))
    assert float(drawn.lookup("mean", state)) == pytest.approx(float(done.mean[1, 1, 0]))
    groups = drawn.lookup("groups", {**state, "cell": slice(None)}).view(3, 4)
    assert torch.equal(groups, torch.tensor([3.0, 4.0, 5.0])[:, None].expand(3, 4))
    assert len(views(drawn, Grid)) == 2
    assert drawn.payload()["controls"][0]["name"] == "dimension 0"


def test_without_gain_and_bias_there_is_one_table_and_one_dimension_is_a_row() -> None:
    drawn = lnviz.plot(lnviz.normalize(torch.randn(5), over=0))
    assert len(views(drawn, Grid)) == 1
    assert [control.name for control in drawn.controls] == ["cell"]


def test_what_cannot_be_drawn_gets_a_sentence() -> None:
    with pytest.raises(TypeError, match=r"got Tensor. Normalize first: lnviz.plot\("):
        lnviz.plot(torch.ones(3))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"1 to 64 rows and columns, .* got shape \(2, 65\)"):
        lnviz.plot(lnviz.normalize(torch.randn(2, 65), over=-1))
