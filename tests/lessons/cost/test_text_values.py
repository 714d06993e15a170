"""What the lesson's text says besides its figures."""

from lnviz.lessons.cost.text_values import text_values
from lnviz.topics.cost.traffic import builtin_traffic


def test_pytorchs_rmsnorm_is_several_operations_where_its_layernorm_is_one() -> None:
    layer, rms = builtin_traffic("layer"), builtin_traffic("rms")
    assert len(layer.forward) == len(layer.backward) == 1
    assert min(len(rms.forward), len(rms.backward)) > 3


def test_pytorchs_layernorm_reaches_neither_limit_of_the_stored_processor() -> None:
    said = text_values()
    assert said["moving"] < 90
    assert said["computing"] < 50
