"""A class's room as its teacher's tools ask and command it, beside the pages in the browser."""

from typing import Any

from tests.browser.tab import Tab


def answer(tab: Tab, path: str, method: str = "GET", data: Any = None) -> Any:
    """What the server answers a request with the page's cookies; it must succeed."""
    response = tab.ask(path, method, data=data)
    assert response.ok, response.text()
    return response.json() if response.body() else None


def state_of(tab: Tab, room: str) -> Any:
    """What a projector is told of the room at this path."""
    return answer(tab, f"{room}/state?as=screen")["room"]


def command(tab: Tab, room: str, **words: Any) -> None:
    """Commands a room as a remote does: again where a projector's figure spoke in between."""
    sent, known = None, state_of(tab, room)["rev"]
    while sent != known:
        sent = known
        response = tab.ask(f"{room}/do", "POST", data=words | {"rev": sent})
        if response.status == 409:
            # The same revision where the command is refused for good.
            known = response.json().get("state", {"rev": sent})["rev"]
    assert response.ok, response.text()
