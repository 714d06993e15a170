"""What the lesson's text says of the runs besides what they came to."""

from lnviz.lab.comparison import stored
from lnviz.lab.digits import PIXELS, UNITS
from lnviz.lessons.lab.runs import NORMS, SEEDS, SIZES
from lnviz.training import files, jobs, supervisor
from tests.lessons.claims import says


def test_the_runs_are_as_many_as_is_said() -> None:
    assert len(set(NORMS) - {"none", "dyt"}) == 5
    assert {"none", "dyt"} <= set(NORMS)
    assert (len(SIZES), SEEDS) == (4, 5)
    assert says("lab", "with one of five norms, with DyT in a norm's place, or with neither, in")
    assert says("lab", "in batches of four sizes and from five seeds")
    assert says("lab", "are one norm's five seeds")


def test_smaller_batches_take_as_many_steps_and_so_see_fewer_images() -> None:
    for run in (stored().find("layer", size) for size in SIZES):
        assert run is not None
        assert {len(errors) for errors in run.validation_error} == {len(stored().points)}


def test_the_network_is_as_large_as_is_said() -> None:
    assert says("lab", f"The network names digits from {PIXELS} pixels")
    assert says("lab", f"ours has {PIXELS} inputs, layers of {UNITS} units")


def test_runs_and_files_are_kept_for_as_long_as_is_said() -> None:
    assert says("lab", f"until {supervisor.KEPT.days} days after they have ended")
    assert says("lab", f"a file that you bring is kept for {files.KEPT.days} days")
    assert jobs.HELD.days == 1
    assert says("lab", "paused runs can be resumed for a day")
