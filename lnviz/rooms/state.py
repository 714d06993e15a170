"""State machine of a room: presenter commands map a `Room` to a new one, without side effects.

A poll goes from `asking` over `closed` and `talking` to `asking` in round 2, and ends as `shown`.
After a result was shown, its answers do not change: the question is asked in a new round, or again.
Only a turn, or the join card in front of it, hides a poll while it is open, and only `over`
replaces it. A shown result can be put away: then the slide is as before its question, or has the
result of its own question again.
Each command raises the room's revision by one.
"""

from __future__ import annotations

import re
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
    parse_own_question,
    parse_task,
)

Mode = Literal["led", "free", "paused", "ended"]
"""Mode of the phones: they follow the presenter, browse freely or pause; or the room has ended."""

Phase = Literal["asking", "closed", "talking", "shown"]

GRACE_S = 2.0
"""Seconds after the end of a round in which answers are still accepted, as they may be late."""

MAX_ROUNDS = 2
MAX_SCREENS = 1000
TIME_LIMITS_S = (5, 3600)
"""Shortest and longest time limit of a round."""

_PLAN = re.compile(r"[a-z0-9-]{0,80}")

Args = Mapping[str, Any]
"""Arguments of a command: fields of the request's JSON document."""


@dataclass(frozen=True)
class Poll:
    """A question that the presenter has asked the class, and the phase of the poll.

    Attributes:
        question: The question.
        round: 1, or 2 after the discussion.
        phase: Phase of the poll.
        closed: Time at which the current round was closed, in seconds since 1970; None while it is
            open.
        deadline: Time at which the current round closes by itself; None without a time limit.
        task: The presenter's task on the screen where the question was asked; "" for none.
        figure_state: Values of the figure's controls when the question was asked.
        id: Id in the database; None until the poll is stored.
    """

    question: PollQuestion
    round: int = 1
    phase: Phase = "asking"
    closed: float | None = None
    deadline: float | None = None
    task: str = ""
    figure_state: FigureState = field(default_factory=dict)
    id: int | None = None

    def accepts(self, round: int, now: float) -> bool:
        """Return whether the poll accepts an answer to a round now."""
        poll = self.at(now)
        is_late = poll.closed is not None and now - poll.closed <= GRACE_S
        is_open = poll.phase == "asking" or (is_late and poll.phase != "shown")
        return round == poll.round and is_open

    def at(self, now: float) -> Poll:
        """Return the poll as it is now: closed if its time limit has passed."""
        if self.phase != "asking" or self.deadline is None or now < self.deadline:
            return self
        return replace(self, phase="closed", closed=self.deadline)


@dataclass(frozen=True)
class Remote:
    """Another browser that presents in a room, or has asked to.

    Attributes:
        number: Two digits, which the browser shows, so that the right one is let in.
        key: Hash of the browser's presenter key.
        admitted: Whether a presenter has let it in.
    """

    number: int
    key: str
    admitted: bool = False


@dataclass(frozen=True)
class Room:
    """The state of a classroom room, without its participants and answers.

    Attributes:
        lesson: Slug of the lesson.
        screen: Number or name of the screen.
        plan: Name of the plan that the projector shows; "" without a plan.
        slide: Name of the slide in the plan, which may show a screen on several slides; "" without
            a plan.
        slides: Names of the slides that the projector goes through; empty if unknown.
        rev: Revision: the number of commands so far.
        mode: Mode of the phones.
        figure_state: Values of the figure's controls.
        task: The presenter's task for the class, which may use the screen's figure; "" for none.
        screen_index: Index of the screen and number of screens, as counted by the projector, and
            where its figure has steps, the index of the step and their number; empty if unknown.
        locked: Whether new participants are refused.
        poll: Current poll, if any.
        remotes: Other browsers that present, or have asked to.
        questions_open: Whether participants may ask questions.
        featured_id: Id of the participant's question that the projector shows, if any.
        card: Whether the projector shows how to join, in place of the screen.
    """

    lesson: str
    screen: int | str
    rev: int = 0
    mode: Mode = "led"
    figure_state: FigureState = field(default_factory=dict)
    task: str = ""
    screen_index: tuple[int, ...] = ()
    plan: str = ""
    slide: str = ""
    slides: tuple[str, ...] = ()
    locked: bool = False
    poll: Poll | None = None
    remotes: tuple[Remote, ...] = ()
    questions_open: bool = False
    featured_id: int | None = None
    card: bool = False


def apply(room: Room, verb: str, args: Args, now: float) -> Room:
    """Apply a presenter's command to a room's state; return the new state.

    Args:
        room: Room before the command.
        verb: Name of the command, one of `COMMANDS`.
        args: Arguments of the command; `asking` is the screen's `PollQuestion`, or None if the
            screen has none, and `recalled` the poll to show again, or None if there is none.
        now: Seconds since 1970.

    Raises:
        RequestError: The command is unknown, its arguments are invalid, or the room's state does
            not allow it.

    >>> room = Room("axes", 4)
    >>> question = PollQuestion("choice", ("A", "B"), right=1)
    >>> room = apply(room, "ask", {"asking": question}, now=0.0)
    >>> room = apply(room, "close", {}, now=60.0)
    >>> room.rev, room.poll.phase, room.poll.accepts(1, 61.0), room.poll.accepts(1, 63.0)
    (2, 'closed', True, False)
    """
    if room.mode == "ended":
        raise RequestError("This room has ended. Open a new one.", 410)
    if verb not in COMMANDS:
        raise RequestError(
            f"A command must be one of {', '.join(COMMANDS)}, but got {verb[:24]!r}.", 422
        )
    room = replace(room, poll=room.poll and room.poll.at(now))
    after = COMMANDS[verb](room, args, now)
    if verb in PROJECTED_COMMANDS:
        after = replace(after, featured_id=None, card=False)
    return replace(after, rev=room.rev + 1)


def parse_screen(raw: object) -> int | str:
    """Validate a screen's number or name, and return it.

    Raises:
        RequestError: It is neither a number nor a name.
    """
    if isinstance(raw, str) and is_token(raw):
        return raw
    return parse_int(raw, MAX_SCREENS, "A screen")


def parse_screen_task(args: Args) -> str:
    """Validate the presenter's `task` for a screen, and return it; "" if there is none.

    Raises:
        RequestError: It is invalid, or the screen (`asking`) has a question of its own.
    """
    task, question = parse_task(args.get("task", "")), args.get("asking")
    if task and isinstance(question, PollQuestion) and question.kind != "setting":
        raise RequestError(
            "This screen asks a question. Set the task on a screen without a question.", 422
        )
    return task


def parse_screen_index(args: Args) -> tuple[int, ...]:
    """Validate `counted`: position and total of screens, and optionally of steps, as in `Room`.

    Raises:
        RequestError: It is no valid pair of numbers, or two such pairs.
    """
    raw = args.get("counted", [])
    if raw == []:
        return ()
    if not isinstance(raw, list) or len(raw) not in (2, 4):
        error = "A screen or step must be given as two numbers: its position and the total."
        raise RequestError(error, 422)
    count = parse_int(raw[1], MAX_SCREENS, "The number of screens")
    screen = (parse_int(raw[0], count, "A screen"), count)
    if len(raw) == 2:
        return screen
    steps = parse_int(raw[3], MAX_SCREENS, "The number of steps")
    return (*screen, parse_int(raw[2], steps, "A step"), steps)


def parse_plan(args: Args) -> str:
    """Validate the name of a `plan`, and return it; "" if there is none."""
    raw = args.get("plan", "")
    if not (isinstance(raw, str) and _PLAN.fullmatch(raw)):
        raise RequestError("Name a plan by its address.", 422)
    return raw


def parse_slide(args: Args) -> str:
    """Validate the name of a `slide` in a plan, and return it; "" if there is none."""
    raw = args.get("slide", "")
    if raw != "" and not (isinstance(raw, str) and is_token(raw)):
        raise RequestError("Name a slide by its address.", 422)
    return str(raw)


def parse_slides(args: Args) -> tuple[str, ...]:
    """Validate `slides`, the names of the slides that the projector goes through."""
    raw = args.get("slides", [])
    if (
        not isinstance(raw, list)
        or len(raw) > MAX_SCREENS
        or not all(isinstance(name, str) and is_token(name) for name in raw)
    ):
        raise RequestError(f"Slides are a list of at most {MAX_SCREENS} names.", 422)
    return tuple(raw)


def _goto(room: Room, args: Args, now: float) -> Room:
    lesson = args.get("lesson", room.lesson)
    if not (isinstance(lesson, str) and is_token(lesson)):
        raise RequestError("Name a lesson by its address.", 422)
    return replace(
        room,
        lesson=lesson,
        screen=parse_screen(args.get("screen")),
        figure_state=parse_figure_state(args.get("pose", {})),
        task=parse_screen_task(args),
        screen_index=parse_screen_index(args),
        plan=parse_plan(args) if "plan" in args or not parse_slide(args) else room.plan,
        slide=parse_slide(args),
        slides=_slides_after(room, args, lesson),
        poll=None,
    )


def _slides_after(room: Room, args: Args, lesson: str) -> tuple[str, ...]:
    """Return the projector's slides after a turn: another lesson, outside of a plan, has others."""
    if "slides" in args:
        return parse_slides(args)
    in_lesson = not room.slide and lesson == room.lesson
    return room.slides if parse_slide(args) or in_lesson else ()


def _set_figure_state(room: Room, args: Args, now: float) -> Room:
    return replace(
        _set_position(room, args, now), figure_state=parse_figure_state(args.get("pose"))
    )


def _set_position(room: Room, args: Args, now: float) -> Room:
    """Set where the projector is among its slides, as far as the arguments say it."""
    return replace(
        room,
        screen_index=parse_screen_index(args) or room.screen_index,
        plan=parse_plan(args) if "plan" in args else room.plan,
        slide=parse_slide(args) if "slide" in args else room.slide,
        slides=parse_slides(args) or room.slides,
    )


def _take_step(room: Room, args: Args, now: float) -> Room:
    if len(room.screen_index) < 4:
        raise RequestError("The figure on this screen has no steps.")
    if room.poll is not None:
        raise RequestError("A question hides the steps of this figure. Put it away first.")
    screen, screens, _, steps = room.screen_index
    step = parse_int(args.get("step"), steps, "A step")
    return replace(room, screen_index=(screen, screens, step, steps))


def _set_mode(room: Room, args: Args, now: float) -> Room:
    modes = [mode for mode in get_args(Mode) if mode != "ended"]
    if args.get("mode") not in modes:
        raise RequestError(f"A mode must be one of {', '.join(modes)}.", 422)
    return replace(room, mode=args["mode"])


def _ask(room: Room, args: Args, now: float) -> Room:
    _require_no_open_poll(room)
    question = parse_own_question(args["own"]) if "own" in args else args.get("asking")
    if not isinstance(question, PollQuestion):
        raise RequestError("This screen has no question. Go to a screen with one.")
    return _resume(room, _new_poll(room, question, args, now))


def _start_over(room: Room, args: Args, now: float) -> Room:
    if room.poll is None:
        raise RequestError("There is no question to start over.")
    poll = _new_poll(room, room.poll.question, args, now)
    return _resume(room, replace(poll, task=room.poll.task))


def _resume(room: Room, poll: Poll) -> Room:
    """Return the room with a poll in which the class has something to do, which ends a pause."""
    return replace(room, poll=poll, mode="led" if room.mode == "paused" else room.mode)


def _new_poll(room: Room, question: PollQuestion, args: Args, now: float) -> Poll:
    deadline = _deadline(args, now)
    return Poll(question, deadline=deadline, task=room.task, figure_state=room.figure_state)


def _deadline(args: Args, now: float) -> float | None:
    """Return when a round ends that has a limit of `seconds`; None without a limit."""
    if args.get("seconds") is None:
        return None
    shortest, longest = TIME_LIMITS_S
    return now + parse_int(args["seconds"], longest, "A time limit in seconds", minimum=shortest)


def _close(room: Room, args: Args, now: float) -> Room:
    poll = _require_phase(room, "asking", "There is no open question to close.")
    return replace(room, poll=replace(poll, phase="closed", closed=now))


def _start_discussion(room: Room, args: Args, now: float) -> Room:
    error = "Close the first round before the discussion."
    poll = _require_phase(room, "closed", error)
    if poll.round > 1:
        raise RequestError("The discussion is over. Show the answer.")
    return _resume(room, replace(poll, phase="talking"))


def _reopen(room: Room, args: Args, now: float) -> Room:
    error = "Close the question before asking again."
    poll = _require_phase(room, "closed talking shown", error)
    round = parse_int(args.get("round"), MAX_ROUNDS, "A round")
    if poll.phase == "shown" and round == poll.round:
        raise RequestError("The result of this round is shown. Start the question over.")
    if round not in (poll.round, poll.round + 1):
        raise RequestError(f"This is round {poll.round}: reopen it, or continue.")
    deadline = _deadline(args, now)
    poll = replace(poll, round=round, phase="asking", closed=None, deadline=deadline)
    return _resume(room, poll)


def _show_answer(room: Room, args: Args, now: float) -> Room:
    error = "Close the question before showing its answer."
    poll = _require_phase(room, "closed talking", error)
    return replace(room, poll=replace(poll, phase="shown"))


def _put_away(room: Room, args: Args, now: float) -> Room:
    poll = _require_phase(room, "shown", "There is no result to put away.")
    if not poll.question.text and poll.question.kind != "setting":
        raise RequestError("This result belongs to the screen. Go to another screen.")
    return replace(room, poll=None)


def _recall(room: Room, args: Args, now: float) -> Room:
    _require_no_open_poll(room)
    poll = args.get("recalled")
    if not isinstance(poll, Poll):
        raise RequestError("This question was not asked on this screen.", 404)
    return replace(room, poll=poll, task=room.task if poll.question.text else poll.task)


def _lock(room: Room, args: Args, now: float) -> Room:
    return replace(room, locked=bool(args.get("locked", True)))


def _admit(room: Room, args: Args, now: float) -> Room:
    chosen = _find_remote(room, args)
    remotes = tuple(replace(r, admitted=r.admitted or r == chosen) for r in room.remotes)
    return replace(room, remotes=remotes)


def _revoke(room: Room, args: Args, now: float) -> Room:
    chosen = _find_remote(room, args)
    return replace(room, remotes=tuple(remote for remote in room.remotes if remote != chosen))


def _find_remote(room: Room, args: Args) -> Remote:
    for remote in room.remotes:
        if remote.number == args.get("number"):
            return remote
    raise RequestError("This remote is no longer there. The list has changed.")


def _open_questions(room: Room, args: Args, now: float) -> Room:
    is_open = bool(args.get("open", True))
    return replace(room, questions_open=is_open, featured_id=room.featured_id if is_open else None)


def _feature(room: Room, args: Args, now: float) -> Room:
    chosen = args.get("question")
    if chosen is not None:
        _require_no_open_poll(room)
        chosen = parse_int(chosen, 2**31 - 1, "A question’s id")
    return replace(room, featured_id=chosen, card=room.card and chosen is None)


def _show_card(room: Room, args: Args, now: float) -> Room:
    return replace(room, card=bool(args.get("open", True)))


def _require_no_open_poll(room: Room) -> None:
    if room.poll is not None and room.poll.phase == "asking":
        raise RequestError("Close the question first.")


def _require_phase(room: Room, phases: str, error: str) -> Poll:
    if room.poll is None or room.poll.phase not in phases.split():
        raise RequestError(error)
    return room.poll


COMMANDS: dict[str, Callable[[Room, Args, float], Room]] = {
    "go": _goto,
    "pose": _set_figure_state,
    "count": _set_position,
    "step": _take_step,
    "mode": _set_mode,
    "ask": _ask,
    "close": _close,
    "talk": _start_discussion,
    "again": _reopen,
    "over": _start_over,
    "show": _show_answer,
    "away": _put_away,
    "recall": _recall,
    "lock": _lock,
    "admit": _admit,
    "revoke": _revoke,
    "questions": _open_questions,
    "feature": _feature,
    "card": _show_card,
}
"""Presenter commands by their names in the HTTP API."""

PROJECTED_COMMANDS = frozenset(
    ("go", "step", "ask", "close", "talk", "again", "over", "show", "away", "recall")
)
"""Commands that the class sees on the projector, where they replace a participant's question and
the join card."""
