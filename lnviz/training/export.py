"""Records as rows: how each run fared, and what was measured, for other programs to read."""

from __future__ import annotations

import io
from itertools import product
from typing import TYPE_CHECKING, Any

from lnviz.training.experiment import SpecificationError
from lnviz.training.record import Record

if TYPE_CHECKING:
    import pandas

RUN = ("norm", "batch_size", "rate", "seed")
TESTED = ("test_loss", "test_error")
ENDINGS = (".csv", ".parquet", ".json")


def outcomes(record: Record) -> list[dict[str, Any]]:
    """Return how each run of the groups that have ended fared.

    `loss` is the mean over the last batches, in nats; `test_loss` in nats and `test_error`, the
    share named wrong, are of the test part. None stands where a run has diverged.
    """
    s = record.specification
    last = {(point.norm, point.batch_size): point.values["loss"] for point in record.points}
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
        if (tested := record.outcomes.get((norm, size)))
        for run, (rate, seed) in enumerate(record.runs)
    ]


def rows(record: Record) -> pandas.DataFrame:
    """Return what was measured: a row for each run at each point.

    What the test part says of a run, as `outcomes` has it, stands in the row of its last point.
    """
    names = ("loss", "validation loss", "validation error")
    columns = ["norm", "batch_size", "rate", "seed", "step", "seconds"]
    columns += [name.replace(" ", "_") for name in names] + list(TESTED)
    last = {(point.norm, point.batch_size): point.step for point in record.points}
    tested = {
        (last[each["norm"], each["batch_size"]], *(each[name] for name in RUN)): each
        for each in outcomes(record)
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
            **{name: ended[name] if ended else None for name in TESTED},
        }
        for point in record.points
        for run, (rate, seed) in enumerate(record.runs)
        for ended in [tested.get((point.step, point.norm, point.batch_size, rate, seed))]
    ]
    import pandas  # half a second, which who exports nothing does not wait for

    return pandas.DataFrame(table, columns=columns)


def exported(record: Record, ending: str) -> bytes:
    """Return the content of a file of this ending.

    Args:
        record: what is written.
        ending: `.csv` or `.parquet` for `rows`, `.json` for all there is.

    Raises:
        SpecificationError: the ending is another one.
    """
    if ending == ".csv":
        text: str = rows(record).to_csv(index=False)
        return text.encode()
    if ending == ".parquet":
        buffer = io.BytesIO()
        rows(record).to_parquet(buffer, index=False)
        return buffer.getvalue()
    if ending == ".json":
        return record.to_json().encode()
    raise SpecificationError(
        f"A file ends in {', '.join(ENDINGS)}, got {ending[:24]!r}. Give it such a name."
    )
