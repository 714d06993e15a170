"""Run experiments from a command line, look at what was run, and take it along.

python -m lnviz.training run digits --norms none layer --batch-sizes 4 --seeds 0 1 --steps 100
python -m lnviz.training list
python -m lnviz.training show JOB
python -m lnviz.training resume JOB
python -m lnviz.training export JOB FILE.csv
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import torch

from lnviz.device import device
from lnviz.lab import EXPERIMENTS
from lnviz.results.making import named, progress, versions
from lnviz.training.experiment import SpecificationError
from lnviz.training.store import VARIABLE, Job, State, Store, StoreError, location
from lnviz.training.work import work

UNFINISHED = (State.QUEUED, State.PAUSED, State.STOPPED, State.FAILED, State.RUNNING)


def main() -> None:
    """Run from a command line."""
    parser = _parser()
    given = parser.parse_args()
    command: Callable[[Store, argparse.Namespace], None] = given.command
    try:
        store = Store(given.database)
        try:
            command(store, given)
        finally:
            store.close()
    except (SpecificationError, StoreError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lnviz.training",
        description="Run experiments, look at what was run, and take it along.",
    )
    # Its help must not print a default: a password may stand in it.
    where = f"its address, if not what {VARIABLE} names or else a file of this user"
    parser.add_argument("--database", default=location(), help=where)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="train every norm at every batch size, rate and seed")
    run.add_argument("experiment", choices=EXPERIMENTS)
    run.add_argument("--norms", nargs="+", help="keys of norms")
    run.add_argument("--batch-sizes", nargs="+", type=int, help="cases in a batch")
    run.add_argument("--rates", nargs="+", type=float, help="learning rates of Adam")
    run.add_argument("--seeds", nargs="+", type=int, help="one a run")
    run.add_argument("--steps", type=int, help="batches that each run learns from")
    run.add_argument("--every", type=int, help="batches between two measurements")
    run.add_argument("--head", help="plain, or paper: BatchNorm before the softmax, too")
    run.add_argument("--json", action="store_true", help="print how each run fared as JSON")
    run.set_defaults(command=_run)

    listed = commands.add_parser("list", help="what was run")
    listed.set_defaults(command=_list)
    for name, command, what in (
        ("show", _show, "how the runs of a job fare"),
        ("resume", _resume, "go on with a job that was interrupted"),
        ("export", _export, "write what was measured to a file"),
    ):
        sub = commands.add_parser(name, help=what)
        sub.add_argument("job", help="its name, or how it begins")
        if name == "export":
            sub.add_argument("file", type=Path, help="ends in .csv or .parquet")
        else:
            sub.add_argument("--json", action="store_true", help="as JSON")
        sub.set_defaults(command=command)
    return parser


def _run(store: Store, given: argparse.Namespace) -> None:
    experiment = EXPERIMENTS[given.experiment]
    fields = ("norms", "batch_sizes", "rates", "seeds", "steps", "every", "head")
    asked = {name: getattr(given, name) for name in fields if getattr(given, name) is not None}
    asked = {name: tuple(v) if isinstance(v, list) else v for name, v in asked.items()}
    specification = replace(experiment.default, **asked)
    experiment.check(specification)
    steps = specification.steps * len(experiment.groups(specification))
    made_with = versions() | {"device": named(device())}
    job = store.add(specification, steps, made_with, state=State.RUNNING)
    _work(store, job, given.json)


def _resume(store: Store, given: argparse.Namespace) -> None:
    job = _found(store, given.job)
    if job.state is State.DONE:
        raise SpecificationError(f"{job.id} is done; there is nothing to resume. Show it instead.")
    store.move(job.id, State.RUNNING, among=UNFINISHED)
    _work(store, job, given.json)


def _work(store: Store, job: Job, as_json: bool) -> None:
    name = job.specification.experiment
    if name not in EXPERIMENTS:
        raise SpecificationError(
            f"There is no experiment {name[:24]!r}. Choose from {', '.join(EXPERIMENTS)}."
        )
    # A group is many small tensors: beside other work a second thread makes it many times slower.
    torch.set_num_threads(1)
    try:
        work(
            store, job, EXPERIMENTS[name], device=device(), report=progress(job.specification.steps)
        )
    except KeyboardInterrupt:
        store.move(job.id, State.PAUSED, among=(State.RUNNING,))
        print(f"\nPaused. Go on: python -m lnviz.training resume {job.id}", file=sys.stderr)
        raise
    _print(store, job, as_json)


def _list(store: Store, given: argparse.Namespace) -> None:
    for job in store.jobs():
        s = job.specification
        print(
            f"{job.id}  {job.created:%Y-%m-%d %H:%M}  {job.state:<8} {job.done:>6}/{job.steps} "
            f"{s.experiment}: {', '.join(s.norms)}; batches of "
            f"{', '.join(map(str, s.batch_sizes))}; {len(s.rates) * len(s.seeds)} runs each"
        )


def _show(store: Store, given: argparse.Namespace) -> None:
    _print(store, _found(store, given.job), given.json)


def _print(store: Store, job: Job, as_json: bool) -> None:
    found = outcomes(store, job)
    if as_json:
        print(json.dumps(found))
        return
    print(f"{job.id}  {job.specification.experiment}  {store.state(job.id)}")
    print(f"{'norm':<8} {'batch':>6} {'rate':>8} {'seed':>5} {'loss':>9} {'test error':>11}")
    for each in found:
        loss, error = (
            "diverged" if each[what] is None else f"{each[what]:.4f}"
            for what in ("loss", "test_error")
        )
        print(
            f"{each['norm']:<8} {each['batch_size']:>6} {each['rate']:>8g} {each['seed']:>5} "
            f"{loss:>9} {error:>11}"
        )


def outcomes(store: Store, job: Job) -> list[dict[str, Any]]:
    """Return how each run of the groups that have ended fared.

    `loss` is the mean over the last batches, `test_error` the share of test cases named wrong;
    None stands where a run has diverged.
    """
    s = job.specification
    last = {(m.norm, m.batch_size): m.values["loss"] for _, m in store.points(job.id)}
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
        for (norm, size), tested in store.outcomes(job.id).items()
        for run, (rate, seed) in enumerate(product(s.rates, s.seeds))
    ]


def _export(store: Store, given: argparse.Namespace) -> None:
    import pandas

    job, file = _found(store, given.job), given.file
    s = job.specification
    table = pandas.DataFrame(
        {
            "norm": point.norm,
            "batch_size": point.batch_size,
            "rate": rate,
            "seed": seed,
            "step": point.step,
            "seconds": point.seconds,
            **{
                name.replace(" ", "_"): point.values[name][run]
                for name in ("loss", "validation loss", "validation error")
            },
        }
        for _, point in store.points(job.id)
        for run, (rate, seed) in enumerate(product(s.rates, s.seeds))
    )
    if file.suffix == ".csv":
        table.to_csv(file, index=False)
    elif file.suffix == ".parquet":
        table.to_parquet(file, index=False)
    else:
        raise SpecificationError(f"A file ends in .csv or .parquet, got {file.name}. Rename it.")
    print(f"{len(table)} rows written to {file}.")


def _found(store: Store, name: str) -> Job:
    job = store.job(name)
    if job is None:
        raise SpecificationError(
            f"There is no one job whose name begins with {name[:24]!r}. "
            "See them all: python -m lnviz.training list"
        )
    return job


if __name__ == "__main__":
    main()
