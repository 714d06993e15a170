"""Export of training records as CSV, Parquet or JSON."""

from __future__ import annotations

import io
from itertools import product
from typing import TYPE_CHECKING, Any

from lnviz.training.experiment import SpecificationError
from lnviz.training.record import TrainingRecord

if TYPE_CHECKING:
    import pandas

RUN_COLUMNS = ("norm", "batch_size", "rate", "seed")
TEST_COLUMNS = ("test_loss", "test_error")
SUFFIXES = (".csv", ".parquet", ".json")


def run_results(record: TrainingRecord) -> list[dict[str, Any]]:
    """Return the final loss and test results of each run in the completed run groups.

    `loss` is the mean training loss between the last two measurements, in nats; `test_loss` (in
    nats) and `test_error` (a fraction) are measured on the test split. They are None if a run has
    diverged.
    """
    s = record.specification
    last = {(point.norm, point.batch_size): point.values["loss"] for point in record.metrics}
    return [
        {
            "norm": norm,
            "batch_size": size,
            "rate": rate,
            "seed": seed,
            "loss": last[norm, size][run],
            "test_loss": tested["loss"][run],
            "test_error": tested["error"][run] if tested["loss"][run] is not None else None,
        }
        for norm, size in product(s.norms, s.batch_sizes)  # groups may have ended in another order
        if (tested := record.test_results.get((norm, size)))
        for run, (rate, seed) in enumerate(record.runs)
    ]


def to_dataframe(record: TrainingRecord) -> pandas.DataFrame:
    """Return a training record as a data frame: one row for each run and measured step.

    The test columns, as in `run_results`, are filled in the last row of a run.
    """
    names = ("loss", "validation loss", "validation error")
    columns = ["norm", "batch_size", "rate", "seed", "step", "seconds"]
    columns += [name.replace(" ", "_") for name in names] + list(TEST_COLUMNS)
    last = {(point.norm, point.batch_size): point.step for point in record.metrics}
    tested = {
        (last[each["norm"], each["batch_size"]], *(each[name] for name in RUN_COLUMNS)): each
        for each in run_results(record)
    }
    table = [
        {
            "norm": point.norm,
            "batch_size": point.batch_size,
            "rate": rate,
            "seed": seed,
            "step": point.step,
            "seconds": point.seconds,
            **{name.replace(" ", "_"): point.values[name][run] for name in names},
            **{name: ended[name] if ended else None for name in TEST_COLUMNS},
        }
        for point in record.metrics
        for run, (rate, seed) in enumerate(record.runs)
        for ended in [tested.get((point.step, point.norm, point.batch_size, rate, seed))]
    ]
    import pandas  # here, since importing it takes half a second

    return pandas.DataFrame(table, columns=columns)


def encode(record: TrainingRecord, suffix: str) -> bytes:
    """Return a training record as file content in CSV, Parquet or JSON format.

    Args:
        record: the record.
        suffix: suffix of the file: `.csv` or `.parquet` for the rows of `to_dataframe`, `.json`
            for the whole record.

    Raises:
        SpecificationError: the suffix is not supported.
    """
    if suffix == ".csv":
        text: str = to_dataframe(record).to_csv(index=False)
        return text.encode()
    if suffix == ".parquet":
        buffer = io.BytesIO()
        to_dataframe(record).to_parquet(buffer, index=False)
        return buffer.getvalue()
    if suffix == ".json":
        return record.to_json().encode()
    raise SpecificationError(
        f"The file name must end in {', '.join(SUFFIXES)}, but got {suffix[:24]!r}."
    )
