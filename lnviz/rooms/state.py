"""A room as it stands, and what its teacher's commands make of it: values, and no clock of its own.

A question goes from `asking` over `closed` and `talking` to `asking` once more, and is `shown` at
the end. Each command gives another room, whose revision is higher by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from lnviz.errors import RequestError
from lnviz.rooms.schema import (
    FigureState,
    PollQuestion,
    is_token,
    parse_figure_state,
    parse_int,
    parse_task,
)

Mode = Literal["led", "free", "paused", "ended"]
Phase = Literal["asking", "closed", "talking", "shown"]

GRACE_S = 2.0
"""Seconds after the end of a round in which answers are accepted that were on their way."""

MAX_ROUNDS = 2
MAX_SCREENS = 1000


@dataclass(frozen=True)
class Poll:
    """A question that has been asked.

    Attributes:
        asking: what is asked.
        round: 1, or 2 once it has been talked over.
        phase: how far it is.
        closed: when its present round was closed, in seconds since 1970; None while it is open.
        id: its number, once it is kept.
    """

    question: PollQuestion
    round: int = 1
    phase: Phase = "asking"
    closed: float | None = None
    id: int | None = None

    def accepts(self, round: int, now: float) -> bool:
        """Say whether an answer to a round is taken now."""
        late = self.phase != "shown" and self.closed is not None and now - self.closed <= GRACE_S
        return round == self.round and (self.phase == "asking" or late)


@dataclass(frozen=True)
class Room:
    """A room as its teacher has set it.

    Attributes:
        lesson: the address of the lesson that is taught.
        screen: the number or the name of the screen.
        rev: the revision: how many commands there have been.
        mode: whether phones follow the teacher, look around, or stand still.
        pose: the positions of the figure's controls.
        task: what the teacher has the class do, with the screen's figure if it has one; "" for
            nothing.
        counted: which of how many screens the wall shows, as it counts them; empty where nobody has
            said so.
        locked: whether nobody new may come in.
        poll: what is asked; None where nothing is.
    """

    lesson: str
    screen: int | str
    rev: int = 0
    mode: Mode = "led"
    figure_state: FigureState = field(default_factory=dict)
    task: str = ""
    screen_index: tuple[int, ...] = ()
    locked: bool = False
    poll: Poll | None = None


def apply(room: Room, verb: str, args: Mapping[str, Any], now: float) -> Room:
    """Return what a command makes of a room.

    Args:
        room: the room before.
        verb: one of `COMMANDS`.
        args: what the command says besides; `asking` is a `PollQuestion`, or None where the screen
            asks nothing.
        now: seconds since 1970.

    Raises:
        RequestError: it cannot be done as the room stands, or says nothing that can be done.

    >>> room = Room("axes", 4)
    >>> room = apply(room, "ask", {"asking": PollQuestion("choice", ("A", "B"), right=1)}, now=0.0)
    >>> room = apply(room, "close", {}, now=60.0)
    >>> room.rev, room.poll.phase, room.poll.accepts(1, 61.0), room.poll.accepts(1, 63.0)
    (2, 'closed', True, False)
    """
    if room.mode == "ended":
        raise RequestError("This room has ended. Open another one.", 410)
    if verb not in COMMANDS:
        raise RequestError(f"A command is one of {', '.join(COMMANDS)}; got {verb[:24]!r}.", 422)
    return replace(COMMANDS[verb](room, args, now), rev=room.rev + 1)


def parse_screen(raw: object) -> int | str:
    """Return what names a screen.

    Raises:
        RequestError: it is neither a number nor a name.
    """
    if isinstance(raw, str) and is_token(raw):
        return raw
    return parse_int(raw, MAX_SCREENS, "A screen")


def parse_screen_task(args: Mapping[str, Any]) -> str:
    """Return the task that goes with a screen; "" where none does.

    Raises:
        RequestError: it is no sentence, or the screen has a question.
    """
    text, asking = parse_task(args.get("task", "")), args.get("asking")
    if text and isinstance(asking, PollQuestion) and asking.kind != "setting":
        raise RequestError("This screen asks a question. Set a task on a screen without one.", 422)
    return text


def parse_screen_index(args: Mapping[str, Any]) -> tuple[int, ...]:
    """Return which of how many screens one is at; nothing where that is not said.

    Raises:
        RequestError: these are no such numbers.
    """
    said = args.get("counted", [])
    if said == []:
        return ()
    if not isinstance(said, list) or len(said) != 2:
        raise RequestError("A screen is counted by two numbers: which, and of how many.", 422)
    of = parse_int(said[1], MAX_SCREENS, "How many screens there are")
    return parse_int(said[0], of, "A screen"), of


def _goto(room: Room, given: Mapping[str, Any], now: float) -> Room:
    lesson = given.get("lesson", room.lesson)
    if not (isinstance(lesson, str) and is_token(lesson)):
        raise RequestError("A lesson is named by its address.", 422)
    return replace(
        room,
        lesson=lesson,
        screen=parse_screen(given.get("screen")),
        figure_state=parse_figure_state(given.get("pose", {})),
        task=parse_screen_task(given),
        screen_index=parse_screen_index(given),
        poll=None,
    )


def _set_figure_state(room: Room, given: Mapping[str, Any], now: float) -> Room:
    return replace(room, figure_state=parse_figure_state(given.get("pose")))


def _set_mode(room: Room, given: Mapping[str, Any], now: float) -> Room:
    modes = [mode for mode in get_args(Mode) if mode != "ended"]
    if given.get("mode") not in modes:
        raise RequestError(f"A mode is one of {', '.join(modes)}.", 422)
    return replace(room, mode=given["mode"])


def _ask(room: Room, given: Mapping[str, Any], now: float) -> Room:
    asking = given.get("asking")
    if not isinstance(asking, PollQuestion):
        raise RequestError("This screen asks nothing. Go to one with a question or a figure.")
    return replace(room, poll=Poll(asking))


def _close(room: Room, given: Mapping[str, Any], now: float) -> Room:
    poll = _require_phase(room, "asking", "There is no open question to close.")
    return replace(room, poll=replace(poll, phase="closed", closed=now))


def _start_discussion(room: Room, given: Mapping[str, Any], now: float) -> Room:
    poll = _require_phase(
        room, "closed", "A question is talked over when its first round is closed."
    )
    if poll.round > 1:
        raise RequestError("It has been talked over. Show the answer.")
    return replace(room, poll=replace(poll, phase="talking"))


def _reopen(room: Room, given: Mapping[str, Any], now: float) -> Room:
    poll = _require_phase(
        room, "closed talking shown", "Close the question before it is asked again."
    )
    round = parse_int(given.get("round"), MAX_ROUNDS, "A round")
    if round not in (poll.round, poll.round + 1):
        raise RequestError(f"This is round {poll.round}: open it again, or go on.")
    return replace(room, poll=replace(poll, round=round, phase="asking", closed=None))


def _show_answer(room: Room, given: Mapping[str, Any], now: float) -> Room:
    poll = _require_phase(room, "closed talking", "Close the question before its answer is shown.")
    return replace(room, poll=replace(poll, phase="shown"))


def _lock(room: Room, given: Mapping[str, Any], now: float) -> Room:
    return replace(room, locked=bool(given.get("locked", True)))


def _end(room: Room, given: Mapping[str, Any], now: float) -> Room:
    return replace(room, mode="ended", poll=None)


def _require_phase(room: Room, phases: str, why: str) -> Poll:
    if room.poll is None or room.poll.phase not in phases.split():
        raise RequestError(why)
    return room.poll


COMMANDS: dict[str, Callable[[Room, Mapping[str, Any], float], Room]] = {
    "go": _goto,
    "pose": _set_figure_state,
    "mode": _set_mode,
    "ask": _ask,
    "close": _close,
    "talk": _start_discussion,
    "again": _reopen,
    "show": _show_answer,
    "lock": _lock,
    "end": _end,
}
