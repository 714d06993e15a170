"""Lookup of an experiment by the name in a training specification."""

from __future__ import annotations

from lnviz.database import uploads
from lnviz.database.connection import Database
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training.experiment import Experiment, SpecificationError, TrainingSpec


def resolve_experiment(database: Database, specification: TrainingSpec) -> Experiment:
    """Return the experiment that a training specification names.

    Args:
        database: the database with the uploaded file, if the specification names one.
        specification: the specification, valid or not.

    Raises:
        SpecificationError: there is no such experiment, or its uploaded file was deleted.
    """
    name = str(specification.experiment)
    if name not in EXPERIMENTS:
        raise SpecificationError(
            f"There is no experiment {name[:24]!r}. Choose from {', '.join(EXPERIMENTS)}."
        )
    experiment = EXPERIMENTS[name]
    if not specification.file or experiment.load_file is None:
        return experiment
    content = uploads.get_upload(database, uploads.FILES, str(specification.file))
    if content is None:
        raise SpecificationError(
            "The file with the data of this training is no longer stored. Upload it again."
        )
    return experiment.with_file(content)
