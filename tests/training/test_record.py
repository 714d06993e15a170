"""What is known of a training, written down."""

import json
from dataclasses import replace

from lnviz.training.experiment import TrainingSpec
from lnviz.training.record import LoggedMetrics, TrainingRecord

SPECIFICATION = TrainingSpec("digits", ("layer",), (4,), (0.1,), (0, 1), 50)
VALUES = {"loss": [None, 0.123456], "scales": {"gains": {"1": [0.99999, 1.00011]}}}
RECORD = TrainingRecord(
    SPECIFICATION,
    {"torch": "2"},
    (LoggedMetrics("layer", 4, 50, 1.5, VALUES),),
    {("layer", 4): {"loss": [2.34567, None], "error": [0.1, 1.0]}},
)


def test_a_record_is_written_with_all_that_is_known() -> None:
    assert json.loads(RECORD.to_json()) == {
        "specification": SPECIFICATION.to_dict(),
        "made_with": {"torch": "2"},
        "points": [
            {"norm": "layer", "batch_size": 4, "step": 50, "seconds": 1.5, "values": VALUES}
        ],
        "outcomes": [
            {
                "norm": "layer",
                "batch_size": 4,
                "tested": {"loss": [2.34567, None], "error": [0.1, 1.0]},
            }
        ],
    }


def test_a_rounded_record_has_fewer_digits_and_the_same_divergences() -> None:
    rounded = RECORD.rounded(3)
    scales = {"gains": {"1": [1.0, 1.0]}}
    assert rounded.metrics[0].values == {"loss": [None, 0.123], "scales": scales}
    assert rounded.test_results["layer", 4] == {"loss": [2.35, None], "error": [0.1, 1.0]}
    assert replace(rounded, metrics=RECORD.metrics, test_results=RECORD.test_results) == RECORD
