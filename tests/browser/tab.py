"""A browser tab with a figure in it, and what a reader does there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import APIResponse, ConsoleMessage, Error, Locator, Page, WebSocket, expect

from lnviz.book import find_page
from lnviz.explorable import Slider
from lnviz.lessons import Lesson
from tests.browser import reading

# A chart that has come into view is Plotly's to draw first.
PLOTTED = """
() => [...document.querySelectorAll(".ln .chart:not([hidden]) .plot")]
  .every((plot) => plot._fullLayout?._size)
"""
# Every figure that is shown has its payload, and Plotly has drawn every chart.
READY = f"""
() => {{
  const figures = [...document.querySelectorAll(".ln")];
  const folds = document.querySelectorAll(".ln-deeper");
  const places = [...document.querySelectorAll(".ln-place")];
  if (places.some((place) => place.checkVisibility() && !place.querySelector(".ln"))) return false;
  const tables = [...document.querySelectorAll(".ln-table")];
  if (!tables.every((table) => table.querySelector("[aria-sort]"))) return false;
  return figures.length + tables.length + folds.length > 0 && ({PLOTTED})() &&
    figures.every((figure) => !figure.hasAttribute("aria-busy") && figure.querySelector(".row"));
}}
"""
# A module runs once for each address it has.
REOPEN = """
async (query) => {
  const { src } = document.querySelector("script[type=module]");
  const { unmount } = await import(new URL("../engine/mount.js", src));
  unmount(document.getElementById("explorable"));
  history.replaceState(null, "", location.pathname + (query && `?${query}`));
  await import(`${src}?${performance.now()}`);
}
"""
# Playwright's own `wait_for_function` makes a function of a text, which the app's pages forbid.
UNTIL = """
async (given) => {{
  const holds = {};
  const late = performance.now() + {};
  while (!holds(given)) {{
    if (performance.now() > late) throw new Error("It never held: " + holds);
    await new Promise((done) => setTimeout(done, 16));
  }}
}}
"""
PATIENCE = 60_000  # milliseconds, on a machine with much else to do
# A change is drawn in the next frame; after two it has been.
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Tab:
    """One page, with everything it complained about and everybody it talked to.

    `number` says which of the page's figures the reader is busy with.
    """

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.number = 0
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.frames: list[str | bytes] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", self._listen)

    def _hear(self, message: ConsoleMessage) -> None:
        # Nothing is being computed any more: the answer was faster than the question.
        over = ".progress" in message.location.get("url", "") and "404" in message.text
        # Plotly warns with a trace.
        if message.type in ("error", "trace") and not over:
            self.complaints.append(f"console: {message.text} ({message.location.get('url')})")

    def _listen(self, socket: WebSocket) -> None:
        self.requests.append(socket.url)
        # Playwright leaves a mark on what it is given, which a built-in method does not take.
        socket.on("framesent", lambda frame: self.frames.append(frame))
        socket.on("framereceived", lambda frame: self.frames.append(frame))

    def open(self, address: str, number: int = 0) -> "Tab":
        self.number = number
        self.page.goto(self.base + address)
        return self.ready()

    def turn_to(self, page: Lesson) -> "Tab":
        """Goes to a page of the book as the foot of the one before leads on, else by its address.

        A link loads nothing anew, which costs half of what an address costs.
        """
        onward = self.page.get_by_role("link", name=f"Next: {page.title}", exact=True)
        if onward.count():
            onward.click()
        else:
            self.page.goto(f"{self.base}/{page.url_path}")
        self.page.mouse.move(0, 0)  # from where a cell may stand now, which it would point at
        expect(self.page.get_by_role("heading", level=1)).to_have_text(page.title)
        return self.ready()

    def reopen(self, query: str) -> "Tab":
        """Opens a standalone figure again at a query, without loading its page again."""
        self.page.evaluate(REOPEN, query)
        return self.ready()

    def ready(self) -> "Tab":
        """Waits until what is drawn is there and, on a page, the server's script has ended."""
        path = urlsplit(self.page.url).path.removeprefix(urlsplit(self.base).path)
        page = find_page(path.strip("/"))
        if page and not page.figures and not page.tables:
            expect(self.page.get_by_role("heading", level=1)).to_have_text(page.title)
        else:
            self.until(READY)
        app = self.page.get_by_test_id("stApp")
        if app.count():
            self.until("() => !document.documentElement.dataset.arriving")
            expect(app).to_have_attribute("data-test-script-state", "notRunning")
        return self

    def unfold(self) -> "Tab":
        """Opens whatever is deeper."""
        folds = self.page.locator(".ln-deeper")
        folds.evaluate_all("(folds) => folds.forEach((fold) => (fold.open = true))")
        return self.ready()

    def ask(self, path: str, method: str = "GET", **options: Any) -> APIResponse:
        """Asks the server with the page's cookies.

        Again, where it closes a connection, idle so far, in the same moment.
        """
        url = self.base + path
        return self.page.request.fetch(url, method=method, max_retries=2, **options)

    def asked(self) -> list[str]:
        """What was requested, without the icon: a new address makes Chromium look it up again.

        It finds it in its cache.
        """
        return [url for url in self.requests if "icon" not in urlsplit(url).path]

    def strangers(self) -> set[str]:
        """Hosts that were asked for something, without the server's own."""
        addresses = [urlsplit(url) for url in self.requests]
        hosts = {a.netloc for a in addresses if a.scheme not in ("data", "blob")}
        return hosts - {urlsplit(self.base).netloc}

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.page.url).query, keep_blank_values=True))

    @property
    def figure(self) -> Locator:
        return self.page.locator(".ln").nth(self.number)

    def until(self, condition: str, given: Any = None) -> None:
        """Waits until a function of JavaScript holds, of what it is given."""
        try:
            self.page.evaluate(UNTIL.format(condition, PATIENCE), given)
        except Error as error:
            raise AssertionError(f"{error.message}\n{self.page.url}: {self.complaints}") from None

    def painted(self) -> None:
        """Waits until the browser has drawn the changes made so far."""
        self.page.evaluate(DRAWN)

    def drawn(self) -> list[dict[str, Any] | None]:
        """The views as they stand after the changes made so far."""
        self.painted()
        self.until(PLOTTED)
        return self.figure.evaluate(reading.READ)

    def address_says(self, **query: str) -> None:
        """Waits until the address names exactly these; underscores stand for hyphens."""
        wanted = {name.replace("_", "-"): value for name, value in query.items()}
        self.until(
            "wanted => {"
            "  const named = [...new URLSearchParams(location.search)];"
            "  return named.length === Object.keys(wanted).length &&"
            "    named.every(([name, value]) => wanted[name] === value);"
            "}",
            wanted,
        )

    def back_to_start(self) -> None:
        """Leaves the figure as if it had just been opened."""
        self.page.mouse.up()
        self.button("Reset").click()
        self.page.mouse.move(0, 0)
        self.page.evaluate("() => document.activeElement.blur()")
        self.address_says()
        self.ready()

    def forgive(self, *fragments: str) -> None:
        """Takes back the complaints that a test has provoked."""
        self.complaints = [c for c in self.complaints if not any(f in c for f in fragments)]

    def address_names(self, control: str) -> None:
        """Waits until the address has a value for a control."""
        self.until(
            "name => new URLSearchParams(location.search).has(name)", control.replace(" ", "-")
        )

    # What there is in a figure

    def slider(self, name: str) -> Locator:
        return self.figure.get_by_role("slider", name=name, exact=True)

    def exact(self, name: str) -> Locator:
        return self.figure.get_by_role("textbox", name=f"{name}, exact value", exact=True)

    def button(self, name: str) -> Locator:
        return self.figure.get_by_role("button", name=name, exact=True)

    def entry(self, name: str) -> Locator:
        """An entry of the figure's menu, which is opened for it."""
        menu = self.figure.locator(".menu")
        if menu.get_attribute("open") is None:
            menu.locator("summary").click()
        return menu.locator(".entries").get_by_text(name, exact=True)

    def option(self, name: str) -> Locator:
        return self.figure.get_by_role("radio", name=name, exact=True)

    def cell(self, index: int, grid: int = 0) -> Locator:
        """A cell of a grid by its position in the data, whatever the layout."""
        return self.figure.locator(".grid:visible").nth(grid).locator(f'[data-index="{index}"]')

    # What a reader does

    def choose(self, name: str) -> None:
        """Clicks the label: it lies over the radio button."""
        text = self.page.get_by_text(name, exact=True)
        self.figure.locator(".options label").filter(has=text).click()
        # What scrolls under a resting mouse counts as pointed at.
        self.page.mouse.move(0, 0)
        # What the next frame hides must not be what is clicked next.
        self.page.evaluate(DRAWN)

    def position(self, slider: Slider) -> int:
        return self.positions([slider])[slider.name]

    def positions(self, sliders: list[Slider]) -> dict[str, int]:
        """Where the handles are."""
        return {s.name: int(self.slider(s.name).input_value()) for s in sliders}

    def handle(self, slider: Slider) -> tuple[float, float]:
        """The middle of a slider's handle on the screen."""
        return self.place(slider, self.position(slider) / (slider.size - 1))

    def place(self, slider: Slider, share: float) -> tuple[float, float]:
        """Where the handle's middle is at a share of the range. The handle is 24 pixels wide."""
        self.slider(slider.name).scroll_into_view_if_needed()
        box = self.slider(slider.name).bounding_box()
        assert box is not None
        return box["x"] + 12 + share * (box["width"] - 24), box["y"] + box["height"] / 2

    @contextmanager
    def grip(self, slider: Slider) -> Iterator[None]:
        """The mouse button is down on the handle inside, and up after."""
        self.page.mouse.move(*self.handle(slider))
        self.page.mouse.down()
        yield
        self.page.mouse.up()

    def drag(self, slider: Slider, share: float) -> None:
        """Takes the handle to a share of the range."""
        with self.grip(slider):
            self.page.mouse.move(*self.place(slider, share), steps=4)
