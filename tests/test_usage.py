"""Who makes room where something is full."""

from hypothesis import given
from hypothesis import strategies as st

from lnviz.usage import UsageByClient, eviction_order

Held = tuple[str, str, int]


def first(items: list[Held]) -> Held | None:
    return next(eviction_order(items, lambda item: item[:2], lambda item: item[2]), None)


def test_the_client_with_most_at_the_network_with_most_makes_room() -> None:
    class_mates = [("class", str(n), 1) for n in range(5)]
    assert first([*class_mates, *3 * [("home", "a", 1)]]) == ("class", "0", 1)
    assert first([*class_mates, *6 * [("home", "a", 1)]]) == ("home", "a", 1)
    assert first([*class_mates, ("class", "3", 1)]) == ("class", "3", 1)
    assert first([*class_mates, ("home", "a", 9)]) == ("home", "a", 9)
    assert first([]) is None


def test_of_equals_the_one_makes_room_that_is_listed_first() -> None:
    assert first([("here", "a", 1), ("here", "b", 1)]) == ("here", "a", 1)
    assert first([("there", "a", 1), ("here", "b", 1)]) == ("there", "a", 1)


HELD = st.lists(st.tuples(st.sampled_from("NM"), st.sampled_from("abc"), st.integers(1, 9)))


@given(HELD)
def test_each_evicted_item_is_of_whoever_holds_most_by_then(held: list[Held]) -> None:
    left = list(held)
    for item in eviction_order(held, lambda item: item[:2], lambda item: item[2]):
        networks, clients = {}, {}
        for network, client, size in left:
            networks[network] = networks.get(network, 0) + size
            clients[network, client] = clients.get((network, client), 0) + size
        assert networks[item[0]] == max(networks.values())
        assert clients[item[:2]] == max(c for key, c in clients.items() if key[0] == item[0])
        left.remove(item)
    assert left == []


def test_who_holds_nothing_any_more_is_forgotten() -> None:
    usage = UsageByClient()
    usage.add("here", "a", 2)
    usage.add("here", "a", -2)
    assert usage.heaviest() is None
