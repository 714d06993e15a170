import time

import pytest
import torch

from lnviz.progress import Cancelled, Progress, track
from lnviz.topics.cost.clock import quartiles, time_interleaved


def test_a_contestant_that_does_twice_as_much_takes_longer() -> None:
    x = torch.randn(400, 400)
    found = time_interleaved([lambda: x @ x, lambda: x @ x @ x @ x @ x], rounds=5, block=0.002)
    short, long = found.quartiles[:, 1].tolist()
    assert 2 * short < long
    assert 0 < found.own <= 1


def test_times_have_a_row_for_each_round_and_quartiles_in_order() -> None:
    found = time_interleaved([list, dict, tuple], rounds=4, block=1e-5)
    assert found.seconds.shape == (4, 3)
    assert (found.seconds > 0).all()
    low, middle, high = found.quartiles.unbind(-1)
    assert ((low <= middle) & (middle <= high)).all()


def test_contestants_take_turns() -> None:
    called: list[str] = []
    time_interleaved([lambda: called.append("a"), lambda: called.append("b")], rounds=3, block=1e-9)
    order = [name for at, name in enumerate(called) if at == 0 or called[at - 1] != name]
    assert order == ["a", "b"] * 4  # one turn to see how long each takes, then three


def test_a_sleeping_contestant_has_no_core() -> None:
    assert time_interleaved([lambda: time.sleep(0.01)], rounds=2, block=0.01).own < 0.5


def test_a_measurement_that_nobody_waits_for_ends() -> None:
    watch = Progress()
    watch.cancel()
    with track(watch), pytest.raises(Cancelled):
        time_interleaved([list], rounds=10**9, block=1.0)
    assert time_interleaved([list], rounds=1, block=1e-6).seconds.shape == (
        1,
        1,
    )  # the next one may begin


def test_pytorchs_number_of_threads_is_left_as_it_was() -> None:
    before = torch.get_num_threads()
    time_interleaved([list], rounds=1, block=1e-6, threads=before + 1)
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("rounds", [0, -1])
def test_no_round_is_refused(rounds: int) -> None:
    with pytest.raises(ValueError, match=f"got {rounds} rounds of 1 contestants. Ask for 1"):
        time_interleaved([list], rounds=rounds, block=1e-3)


def test_quartiles_are_those_of_each_column() -> None:
    values = torch.tensor([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0], [5.0, 50.0]])
    assert quartiles(values).tolist() == [[2.0, 3.0, 4.0], [20.0, 30.0, 40.0]]
