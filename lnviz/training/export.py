"""Records as rows: how each run fared, and what was measured, for other programs to read."""

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
    """Return how each run of the groups that have ended fared.

    `loss` is the mean over the last batches, in nats; `test_loss` in nats and `test_error`, the
    share named wrong, are of the test part. None stands where a run has diverged.
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
        for norm, size in product(s.norms, s.batch_sizes)  # they may have ended in another order
        if (tested := record.test_results.get((norm, size)))
        for run, (rate, seed) in enumerate(record.runs)
    ]


def to_dataframe(record: TrainingRecord) -> pandas.DataFrame:
    """Return what was measured: a row for each run at each point.

    What the test part says of a run, as `outcomes` has it, stands in the row of its last point.
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
    import pandas  # half a second, which who exports nothing does not wait for

    return pandas.DataFrame(table, columns=columns)


def encode(record: TrainingRecord, suffix: str) -> bytes:
    """Return the content of a file of this ending.

    Args:
        record: what is written.
        suffix: `.csv` or `.parquet` for `rows`, `.json` for all there is.

    Raises:
        SpecificationError: the ending is another one.
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
        f"A file ends in {', '.join(SUFFIXES)}, got {suffix[:24]!r}. Give it such a name."
    )
