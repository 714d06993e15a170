"""Command `lnviz train`: runs the lab's experiments, and shows and exports their results.

lnviz train run digits --norms none layer --batch-sizes 4 --seeds 0 1 --steps 100
lnviz train run text --norms layer --placement post --layers 6 --warm-up 200
lnviz train list
lnviz train show JOB
lnviz train resume JOB
lnviz train stop JOB
lnviz train export JOB FILE.csv
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from lnviz.database import uploads
from lnviz.database.connection import URL_VARIABLE, Database, database_url
from lnviz.database.errors import StoreError
from lnviz.device import device
from lnviz.progress import ProgressCallback
from lnviz.results.provenance import current_environment, progress_bar
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.experiments import resolve_experiment
from lnviz.topics.lab.settings import describe_settings
from lnviz.topics.lab.text import TEXT
from lnviz.training.chunks import DIGITS
from lnviz.training.experiment import SpecificationError, TrainingSpec
from lnviz.training.export import encode, run_results
from lnviz.training.job import JobAlreadyActive, JobState, TrainingJob
from lnviz.training.run_repository import RunRepository
from lnviz.training.worker import new_worker_id, run_job

LOCAL, RAY = "here", "ray"
WORKER_COMMAND = (sys.executable, "-m", "lnviz.topics.lab.command", "work")
"""Starts a worker; the ids of job and worker follow."""
WORKER_NICENESS = 19
"""Of worker processes: pages must not wait for them."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `lnviz train` with the given arguments, or with this process's arguments."""
    parser = _parser()
    options = parser.parse_args(arguments)
    # A run group is many small tensors: on a busy machine a second thread makes it much slower.
    torch.set_num_threads(1)
    command: Callable[[RunRepository, argparse.Namespace], None] = options.command
    try:
        database = Database(options.database)
        try:
            command(RunRepository(database), options)
        finally:
            database.close()
    except BrokenPipeError:
        raise  # no fault of the command: the program ends
    except (SpecificationError, StoreError, JobAlreadyActive, OSError) as error:
        parser.error(str(error))


def _norms() -> list[str]:
    """Return the keys of all norms that any of the experiments offers."""
    return list(dict.fromkeys(norm for each in EXPERIMENTS.values() for norm in each.norms))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lnviz train",
        description="Run experiments, see their results, and export them.",
    )
    # Without the default in its help: it may contain a password.
    help_text = (
        f"database URL (default: {URL_VARIABLE}, or a file in your user directory if that "
        "is not set)"
    )
    parser.add_argument("--database", default=database_url(), help=help_text)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser(
        "run", help="train every norm at every batch size, learning rate and seed"
    )
    run.add_argument("experiment", choices=EXPERIMENTS)
    run.add_argument("--norms", nargs="+", help=f"one or more of {', '.join(_norms())}")
    run.add_argument("--batch-sizes", nargs="+", type=int, help="examples per batch")
    run.add_argument("--rates", nargs="+", type=float, help="learning rates of Adam")
    run.add_argument("--seeds", nargs="+", type=int, help="random seeds, one for each run")
    run.add_argument("--steps", type=int, help="number of training steps of each run")
    run.add_argument("--every", type=int, help="number of steps between measurements")
    run.add_argument("--head", help="plain, or paper: BatchNorm also before the softmax")
    run.add_argument(
        "--placement",
        choices=TEXT.placements,
        help='where the Transformer of the experiment "text" has its norms',
    )
    run.add_argument(
        "--layers", type=int, help=f"number of layers of that Transformer, 1 to {TEXT.max_layers}"
    )
    run.add_argument(
        "--warm-up", type=int, help="steps over which the learning rate rises (default 0)"
    )
    run.add_argument(
        "--data",
        type=Path,
        help="data, for an experiment that has none of its own: mnist.npz, or a .npz file with a "
        'numeric array "inputs", one row per example, and whole numbers "labels"',
    )
    run.add_argument("--json", action="store_true", help="print each run's results as JSON")
    run.set_defaults(command=_run)

    _add_backend_option(run)

    listed = commands.add_parser("list", help="list jobs")
    listed.set_defaults(command=_list)
    stop = commands.add_parser("stop", help="stop one job, or all jobs that visitors started")
    which = stop.add_mutually_exclusive_group(required=True)
    which.add_argument("job", nargs="?", help="the job's name, or its first characters")
    which.add_argument(
        "--all",
        action="store_true",
        help="all jobs of visitors that are waiting, running or paused",
    )
    stop.set_defaults(command=_stop)
    # Started by a supervisor.
    worker = commands.add_parser("work")
    worker.add_argument("job")
    worker.add_argument("worker")
    worker.set_defaults(command=_run_worker)
    for name, command, help_text in (
        ("show", _show, "show the results of a job's runs so far"),
        ("resume", _resume, "continue an interrupted job"),
        ("export", _export, "write a job's measurements to a file"),
    ):
        sub = commands.add_parser(name, help=help_text)
        sub.add_argument("job", help="the job's name, or its first characters")
        if name == "export":
            sub.add_argument("file", type=Path, help="a name that ends in .csv, .parquet or .json")
            sub.add_argument(
                "--digits",
                type=int,
                choices=range(1, DIGITS + 1),
                default=DIGITS,
                help="significant digits of each number",
            )
        else:
            sub.add_argument("--json", action="store_true", help="print JSON")
        if name == "resume":
            _add_backend_option(sub)
        sub.set_defaults(command=command)
    return parser


def _add_backend_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--on",
        choices=(LOCAL, RAY),
        default=LOCAL,
        help=f"where to train: {LOCAL}, or {RAY}: on the Ray cluster in RAY_ADDRESS, or on a new "
        "one on this machine",
    )


def _run(runs: RunRepository, options: argparse.Namespace) -> None:
    default = EXPERIMENTS[options.experiment].default
    if options.data:
        content = options.data.read_bytes()
        default = EXPERIMENTS[options.experiment].with_file(content).default
        uploads.put_upload(
            runs.database, uploads.FILES, content, owner="", referenced=runs.jobs.referenced_files()
        )
    fields = (
        *("norms", "batch_sizes", "rates", "seeds", "steps", "every", "head"),
        *("placement", "layers", "warm_up"),
    )
    overrides = {
        name: getattr(options, name) for name in fields if getattr(options, name) is not None
    }
    overrides = {name: tuple(v) if isinstance(v, list) else v for name, v in overrides.items()}
    specification = replace(default, **overrides)
    chosen = resolve_experiment(runs.database, specification)
    chosen.check(specification)
    job = runs.jobs.add(
        *(specification, chosen.total_steps(specification), current_environment(device())),
        worker=new_worker_id(),
    )
    _train(runs, job, options)


def _resume(runs: RunRepository, options: argparse.Namespace) -> None:
    job = _job(runs, options.job)
    runs.jobs.requeue_dead()
    claimed = runs.jobs.claim(new_worker_id(), job.id)
    if claimed is None:
        raise SpecificationError(
            f"{job.id} is {runs.jobs.state(job.id)}, so there is nothing to resume. See its "
            f"results: lnviz train show {job.id}"
        )
    _train(runs, claimed, options)


def _stop(runs: RunRepository, options: argparse.Namespace) -> None:
    active = (JobState.QUEUED, JobState.RUNNING, JobState.PAUSED)
    if options.all:
        jobs = [job for job in runs.jobs.list_jobs() if job.owner and job.state in active]
    else:
        jobs = [_job(runs, options.job)]
    stopped = [
        job.id
        for job in jobs
        if runs.jobs.transition(
            job.id, JobState.STOPPED, among=active, detail="The server's operator stopped it."
        )
    ]
    if not options.all and not stopped:
        raise SpecificationError(
            f"{jobs[0].id} is {runs.jobs.state(jobs[0].id)}, so there is nothing to stop."
        )
    print(f"{len(stopped)} stopped.", *stopped, sep="\n")


def _train(runs: RunRepository, job: TrainingJob, options: argparse.Namespace) -> None:
    report = progress_bar(job.specification.steps)
    if _run_with_signals(runs, job, report, options.on) is not JobState.DONE:
        print(f"\nInterrupted. Continue: lnviz train resume {job.id}", file=sys.stderr)
        sys.exit(130)
    _print(runs, job, options.json)


def _run_worker(runs: RunRepository, options: argparse.Namespace) -> None:
    """Train a job as the worker process that a supervisor started for the job."""
    os.nice(WORKER_NICENESS)
    job = runs.jobs.find(options.job)
    if job is None or job.worker != options.worker:
        return  # the lease has expired meanwhile
    try:
        _run_with_signals(runs, job, lambda label, step: None)
    except SpecificationError as error:
        runs.jobs.release(job.id, job.worker, JobState.FAILED, str(error))


def _run_with_signals(
    runs: RunRepository, job: TrainingJob, report: ProgressCallback, on: str = LOCAL
) -> JobState:
    """Train a job until it ends or a signal arrives; save its state on a signal."""
    run = partial(run_job, device=device()) if on == LOCAL else _ray_runner()
    runs.jobs.set_environment(job.id, job.worker, current_environment(device()))
    stop_event = threading.Event()
    handlers = {
        number: signal.signal(number, lambda *_: stop_event.set())
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        chosen = resolve_experiment(runs.database, job.specification)
        return run(runs, job, chosen, report=report, stop_event=stop_event)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _ray_runner() -> Callable[..., JobState]:
    """Return the function that trains a job on a Ray cluster.

    Raises:
        SpecificationError: Ray is not installed.
    """
    try:
        from lnviz.training import ray_backend
    except ImportError as error:
        raise SpecificationError(
            'Ray is not installed. Install it: pip install "lnviz[ray]". Or train here, with '
            "--on here."
        ) from error
    return ray_backend.run_job_on_ray


def _list(runs: RunRepository, options: argparse.Namespace) -> None:
    jobs = runs.jobs.list_jobs()
    if not jobs:
        print("There are no jobs yet. Start one: lnviz train run digits", file=sys.stderr)
    for job in jobs:
        s = job.specification
        print(
            f"{job.id}  {job.created_at:%Y-%m-%d %H:%M}  {job.state:<8} {job.done:>6}/{job.steps} "
            f"{s.experiment}: {_settings(s)}{', '.join(s.norms)}; batches of "
            f"{', '.join(map(str, s.batch_sizes))}; {len(s.rates) * len(s.seeds)} runs each"
        )


def _settings(specification: TrainingSpec) -> str:
    """Return placement, depth and warm-up as the start of a line; empty if there are none."""
    experiment = EXPERIMENTS.get(specification.experiment)
    settings = describe_settings(experiment, specification) if experiment else ""
    return settings and f"{settings}; "


def _show(runs: RunRepository, options: argparse.Namespace) -> None:
    _print(runs, _job(runs, options.job), options.json)


def _print(runs: RunRepository, job: TrainingJob, as_json: bool) -> None:
    rows = run_results(runs.record(job))
    if as_json:
        print(json.dumps(rows))
        return
    s = job.specification
    print(f"{job.id}  {s.experiment}  {_settings(s)}{runs.jobs.state(job.id)}")
    print(f"{'norm':<8} {'batch':>6} {'rate':>8} {'seed':>5} {'loss':>9} {'test error':>11}")
    for row in rows:
        loss, error = (
            "diverged" if row[name] is None else f"{row[name]:.4f}"
            for name in ("loss", "test_error")
        )
        print(
            f"{row['norm']:<8} {row['batch_size']:>6} {row['rate']:>8g} {row['seed']:>5} "
            f"{loss:>9} {error:>11}"
        )


def _export(runs: RunRepository, options: argparse.Namespace) -> None:
    record = runs.record(_job(runs, options.job)).rounded(options.digits)
    content = encode(record, options.file.suffix)
    options.file.write_bytes(content)
    print(f"{len(content):,} bytes written to {options.file}.")


def _job(runs: RunRepository, name: str) -> TrainingJob:
    job = runs.jobs.find(name)
    if job is None:
        raise SpecificationError(
            f"No job, or more than one, has a name that begins with {name[:24]!r}. List all jobs: "
            "lnviz train list"
        )
    return job


if __name__ == "__main__":
    main()
