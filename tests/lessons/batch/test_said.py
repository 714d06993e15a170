"""What the lesson's text says besides its figures."""

from lnviz.batch.gaps import stored
from lnviz.batch.padding import text
from tests.lessons.claims import says


def test_the_networks_learned_as_many_digits_in_batches_as_small_and_as_large_as_is_said() -> None:
    found = stored().specification
    ends = f"with batches of {found.sizes[0]} to {found.sizes[-1]} cases."
    assert says("batch", f"Small networks learned {found.images} digits, {ends}")
    assert says("batch", f"it always takes batches of {found.sizes[-1]} and")


def test_an_epoch_leaves_over_what_is_said() -> None:
    found = stored().specification
    left = found.images % found.sizes[-1]
    assert says("batch", f"batches of {found.sizes[-1]} that is {left} of the {found.images}.")


def test_how_long_the_longest_sequence_is_changes_no_phrase() -> None:
    assert text(10).phrases == text(64).phrases


def test_after_40_batches_as_much_of_the_start_is_left_as_is_said() -> None:
    assert says("batch", f"after 40 batches {100 * 0.9**40:.1f} percent of that start are left")
