"""Drag every slider in a real Chromium and count what is drawn.

The pointer is pressed on a slider and moved 60 times a second for 2 s, from end to end and back, so
that every move is a new position. Moves go straight into the browser, without waiting for the page.
The same pointer drags two things in turn: a slider over a bare `<canvas>`, as a baseline of what
this browser can draw at all, and the app's figure.

- A change counts as drawn when a frame, after its layout and paint, shows another picture than the
  one before, and exactly the picture that belongs to the slider's position. A picture is what
  the cells and traces contain; the slider is no part of it. Which one belongs to which position is
  recorded beforehand, one position at a time.
- The share is of the moves that change the picture, or of the changes that the canvas drew,
  whichever is less.
- The delay is from a move's entry into the browser to the end of the frame that draws it.

    python -m benchmarks.drag
    python -m benchmarks.drag --only gain --only "batch size" --rounds 1
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from urllib.parse import quote, urlencode

from playwright.async_api import Browser, async_playwright

from benchmarks.harness import CHROMIUM, quantile, table
from benchmarks.slider_drag import MOVES_A_SECOND, Change, Drag, subject
from tests.service.server import Server, serve

AIM = 0.95
"""The share of what was due, or of what the canvas drew, that a figure draws."""
THUMB = 24  # width of the native sliders' thumbs, in CSS pixels

CANVAS = f"""<!doctype html>
<style>
  input {{ width: 24rem; appearance: none }}
  ::-webkit-slider-thumb {{ appearance: none; width: {THUMB}px; height: 24px; background: teal }}
</style>
<input type="range" min="0" max="LAST" step="1" value="0"><br>
<canvas width="800" height="300"></canvas>
<script>
  const [input, canvas] = [document.querySelector("input"), document.querySelector("canvas")];
  const pen = canvas.getContext("2d");
  let [drawn, frame] = ["", 0];
  input.addEventListener("input", () => {{
    frame ||= requestAnimationFrame(() => {{
      frame = 0;
      pen.clearRect(0, 0, 800, 300);
      pen.fillRect(0, 0, (800 * input.value) / input.max, 300);
      drawn = input.value;
    }});
  }});
</script>
"""

APP_PICTURE = """(slider) => {
  const marks = ".grid tbody, .cube svg, .scatterlayer, .barlayer";
  const drawn = [...slider.closest(".ln").querySelectorAll(marks)];
  const shown = drawn.filter((element) => !element.closest("[hidden]"));
  return () => shown.map((element) => element.innerHTML).join("");
}"""
CANVAS_PICTURE = """(slider) => {
  const drawn = [...slider.closest(".ln").querySelectorAll("canvas")];
  const shown = drawn.filter((element) => element.checkVisibility());
  const pens = shown.map((canvas) => canvas.getContext("2d"));
  const row = ({ canvas: { width, height } }) => [0, height >> 1, width, 1];
  return () => pens.map((pen) => pen.getImageData(...row(pen)).data.join()).join("");
}"""
"""The middle row of pixels of each."""


@dataclass(frozen=True)
class Case:
    """A slider of a figure.

    Args:
        kind: grid, chart, or pixels (drawn in a canvas).
        figure: `<lesson>/<name>`.
        slider: its name.
        query: parameters of the address.
    """

    kind: str
    figure: str
    slider: str
    query: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Its page, below the server's address."""
        lesson, _, name = self.figure.partition("/")
        query = f"?{urlencode(self.query)}" if self.query else ""
        return f"{lesson}{query}#figure-{name}"

    @property
    def place(self) -> str:
        """Selects the figure on its page, where what holds it is opened by the address."""
        return f"#figure-{self.figure.partition('/')[2]}"


CASES = (
    Case("grid", "axes/grid", "batch size", {"data": "digits"}),
    Case("grid", "axes/grid", "batch size"),
    Case("chart", "why/depth", "weight scale"),
    Case("chart", "batch/noise", "batch size"),
    Case("chart", "batch/running", "momentum"),
    Case("chart", "batch/workers", "workers"),
    Case("grid", "images/cube", "turn"),
    Case("pixels", "images/pictures", "contrast"),
    Case("chart", "gain-bias/line", "gain"),
    Case("chart", "gain-bias/line", "bias"),
    Case("grid", "invariance/case-scale", "example scale"),
    Case("grid", "invariance/case-scale", "epsilon"),
    Case("chart", "invariance/logits", "logit scale"),
    Case("chart", "recurrence/factor", "per-step factor"),
    Case("grid", "invariance/table", "strength"),
    Case("grid", "batch/padding", "longest sequence"),
    Case("chart", "rmsnorm/means", "batches"),
    Case("chart", "inside/stream", "layer"),
    Case("chart", "lab/yours", "step"),
    Case("chart", "lab/inside", "step"),
    Case("pixels", "playground/networks", "step"),
)


def path(last: int, seconds: float) -> list[int]:
    """Positions, one a move: from end to end and back, each way in half the time or faster.

    With few positions the hand goes to and fro as often as it takes to make every move a new one.
    """
    moves = round(seconds * MOVES_A_SECOND)
    step = max(1, last // (moves // 2))
    turn = last // step
    return [step * (turn - abs(turn - move % (2 * turn))) for move in range(moves + 1)]


@dataclass(frozen=True)
class Round:
    """One drag of the canvas and one of the app."""

    canvas: Drag
    app: Drag


@dataclass(frozen=True)
class Result:
    """A case: what the path should draw, and what was drawn.

    Args:
        case: The slider.
        path: Positions of the hand.
        pictures: The number of the picture at each of its positions.
        payload: Bytes of the compressed payload.
        rounds: The drags.
    """

    case: Case
    path: list[int]
    pictures: dict[int, int]
    payload: int
    rounds: tuple[Round, ...]

    @property
    def due(self) -> int:
        """Moves that change the picture."""
        shown = [self.pictures[position] for position in self.path]
        return sum(one != other for one, other in pairwise(shown))

    def drawn(self, drag: Drag) -> list[Change]:
        """Changes that show the picture of the slider's position."""
        return [c for c in drag.changes if c.picture == self.pictures[c.position]]

    def share(self, one: Round) -> float:
        """Of what was due, or of what the canvas drew if that is less: the part drawn."""
        return len(self.drawn(one.app)) / min(self.due, len(one.canvas.changes))


async def measure(browser: Browser, app: Server, case: Case, rounds: int, seconds: float) -> Result:
    """Drag one slider, in rounds."""
    ready = {"grid": ".grid tbody, .cube svg", "chart": ".main-svg", "pixels": "canvas"}[case.kind]
    ours = await subject(
        browser,
        f"{app.url}/{case.address}",
        f'{case.place} >> role=slider[name="{case.slider}"]',
        f"{case.place} :is({ready})",
        CANVAS_PICTURE if case.kind == "pixels" else APP_PICTURE,
        THUMB / 2,
    )
    last = await ours.last()
    way = path(last, seconds)
    pictures = await ours.pictures(sorted(set(way)))
    payload: int = await ours.page.evaluate(
        "(name) => performance.getEntriesByType('resource')"
        ".find((entry) => entry.name.includes(name)).encodedBodySize",
        f"/explorables/{case.figure}.json",
    )
    document = "data:text/html," + quote(CANVAS.replace("LAST", str(last)))
    canvas = await subject(
        browser, document, "input", "canvas", "(slider) => () => drawn", THUMB / 2
    )
    results = [
        Round(
            await canvas.drag(way, last),
            await ours.drag(way, last),
        )
        for _ in range(rounds)
    ]
    for opened in (ours, canvas):
        await opened.page.close()
    result = Result(case, way, pictures, payload, tuple(results))
    print(*_drawn_row(result), flush=True)
    return result


async def run(cases: Sequence[Case], rounds: int, seconds: float) -> list[Result]:
    """Start the servers and the browser, and measure."""
    with serve() as app:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(**CHROMIUM)
            print(f"Chromium {browser.version}, {rounds} round(s) of {seconds:g} s.\n")
            return [await measure(browser, app, case, rounds, seconds) for case in cases]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--only", action="append", metavar="SLIDER", help="may be repeated")
    options = parser.parse_args()
    cases = [case for case in CASES if not options.only or case.slider in options.only]
    results = asyncio.run(run(cases, options.rounds, options.seconds))
    print(table(DRAWN_HEAD, [_drawn_row(result) for result in results]), end="\n\n")
    print(table(WIRE_HEAD, [_wire_row(result) for result in results]))


DRAWN_HEAD = (
    "slider",
    "moves",
    "due",
    "canvas drew",
    "figure drew",
    "share",
    "aim",
    "delay ms: median, p95",
    "canvas: median, p95",
)
WIRE_HEAD = ("slider", "WebSocket frames sent, received in the drag", "bytes after", "payload KB")


def _name(case: Case) -> str:
    return f"{case.slider} (/{case.address})"


def _delays(changes: Sequence[Change]) -> str:
    delays = [change.delay for change in changes]
    return f"{median(delays):.0f}, {quantile(delays, 0.95):.0f}" if delays else "none drawn"


def _drawn_row(result: Result) -> tuple[object, ...]:
    shares = sorted(result.share(one) for one in result.rounds)
    return (
        _name(result.case),
        len(result.path) - 1,
        result.due,
        median(len(one.canvas.changes) for one in result.rounds),
        median(len(result.drawn(one.app)) for one in result.rounds),
        f"{median(shares):.2f} ({shares[0]:.2f}-{shares[-1]:.2f})",
        AIM,
        _delays([change for one in result.rounds for change in result.drawn(one.app)]),
        _delays([change for one in result.rounds for change in one.canvas.changes]),
    )


def _wire_row(result: Result) -> tuple[object, ...]:
    drags = [one.app for one in result.rounds]
    return (
        _name(result.case),
        f"{max(drag.sent for drag in drags)}, {max(drag.received for drag in drags)}",
        max(drag.bytes_after for drag in drags),
        f"{result.payload / 1000:.1f}",
    )


if __name__ == "__main__":
    main()
