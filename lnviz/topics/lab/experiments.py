"""The experiment that a specification names."""

from __future__ import annotations

from lnviz.database import uploads
from lnviz.database.connection import Database
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training.experiment import Experiment, SpecificationError, TrainingSpec


def resolve_experiment(database: Database, specification: TrainingSpec) -> Experiment:
    """Return the experiment that a specification names.

    Args:
        database: holds the uploaded file, if the specification names one.
        specification: checked or not.

    Raises:
        SpecificationError: there is no such experiment, or the file is not kept any more.
    """
    name = str(specification.experiment)
    if name not in EXPERIMENTS:
        raise SpecificationError(
            f"There is no experiment {name[:24]!r}. Choose from {', '.join(EXPERIMENTS)}."
        )
    known = EXPERIMENTS[name]
    if not specification.file or known.load_file is None:
        return known
    content = uploads.get(database, uploads.FILES, str(specification.file))
    if content is None:
        raise SpecificationError(
            f"The file that {known.label} is to learn from is not kept any more. Hand it in again."
        )
    return known.with_file(content)
