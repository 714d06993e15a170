"""What is known of a training, written down and read again."""

from dataclasses import replace

from lnviz.training.experiment import Specification
from lnviz.training.record import Measured, Record

SPECIFICATION = Specification("digits", ("layer",), (4,), (0.1,), (0, 1), 50)
VALUES = {"loss": [None, 0.123456], "scales": {"gains": {"1": [0.99999, 1.00011]}}}
RECORD = Record(
    SPECIFICATION,
    {"torch": "2"},
    (Measured("layer", 4, 50, 1.5, VALUES),),
    {("layer", 4): {"loss": [2.34567, None], "error": [0.1, 1.0]}},
)


def test_a_record_comes_back_as_it_was_written() -> None:
    assert Record.from_json(RECORD.to_json()) == RECORD


def test_a_rounded_record_has_fewer_digits_and_the_same_divergences() -> None:
    rounded = RECORD.rounded(3)
    scales = {"gains": {"1": [1.0, 1.0]}}
    assert rounded.points[0].values == {"loss": [None, 0.123], "scales": scales}
    assert rounded.outcomes["layer", 4] == {"loss": [2.35, None], "error": [0.1, 1.0]}
    assert replace(rounded, points=RECORD.points, outcomes=RECORD.outcomes) == RECORD
