"""Export of the book as static files, for any web host or for opening from a local disk."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lnviz.book import glossary, previews, search
from lnviz.book.export import page
from lnviz.book.export.inventory import ExportedPayload, FigureInventory, data_script
from lnviz.book.export.verify import MANIFEST, digest, problems
from lnviz.book.sitemap import sitemap
from lnviz.book.sources import THIRD_PARTY
from lnviz.cores import available_cores
from lnviz.explorable import ParameterError
from lnviz.frontend import bundle, static_files
from lnviz.lessons import LESSONS, Lesson

__all__ = ["ExportError", "ExportSummary", "export", "problems"]

SERIAL_LIMIT_S = 10.0  # CPU seconds of work below which starting processes does not pay


class ExportError(Exception):
    """The exported book cannot be written to the folder."""


@dataclass(frozen=True)
class ExportSummary:
    """Size of an export: the number of files and of figure payloads, and the total bytes.

    Args:
        files: Number of files.
        payloads: Number of files that are payloads of figures.
        bytes: Total size of all files.
    """

    files: int
    payloads: int
    bytes: int


def export(
    folder: Path,
    pages: Sequence[Lesson],
    *,
    font: bytes,
    site: str = "",
    report: Callable[[int, int], None] = lambda done, all: None,
) -> ExportSummary:
    """Write pages of the book as static files to a folder.

    Args:
        folder: The folder to write to, which is created if necessary.
        pages: The pages to write, in reading order.
        font: The content of the font file of Source Sans.
        site: The URL at which the files will be served, for a `sitemap.xml`; or "".
        report: Called with the number of computed payloads and the total, after each payload.

    Raises:
        ExportError: The folder is not empty, or cannot be written to.

    Example:
        export(Path("site"), PAGES, font=font, site="https://example.org/norms/")
    """
    site = f"{site.rstrip('/')}/" if site else ""
    _prepare(folder)
    written: dict[str, tuple[str, int]] = {}

    def write(name: str, content: bytes) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written[name] = digest(content), len(content)

    try:
        payloads = [
            payload
            for lesson in pages
            for figure in lesson.figures
            for payload in FigureInventory(lesson.slug, figure).payloads
        ]
        errors: dict[str, ParameterError] = {}
        for done, (payload, content) in enumerate(_compute(payloads), 1):
            if isinstance(content, ParameterError):
                errors[payload.path] = content
            else:
                write(payload.path, content.encode())
            report(done, len(payloads))
        for name, asset in _assets(font):
            write(f"assets/{name}", asset)
        sections = search.search_index(pages, page.exported_link)
        write("assets/search.js", data_script("assets/search.js", sections).encode())
        write("assets/glossary.js", data_script("assets/glossary.js", glossary.entries()).encode())
        write(THIRD_PARTY.name, THIRD_PARTY.read_bytes())
        for lesson in pages:
            for figure, file in previews.thumbnails(lesson).items():
                write(previews.thumbnail_url(lesson, figure), file.read_bytes())
            write(page.file_name(lesson), page.page_html(lesson, pages, errors, site).encode())
            for shown in lesson.figures:
                own = page.figure_file_name(lesson, shown)
                write(own, page.figure_html(lesson, shown, errors).encode())
            if lesson in LESSONS:
                write(f"present/{page.file_name(lesson)}", page.deck_html(lesson, errors).encode())
            if lesson.slug == "teach":
                for name, text in page.plan_files(errors, site):
                    write(name, text.encode())
        if site:
            for lesson in pages:
                write(f"previews/{lesson.slug}.png", previews.image_or_default(lesson).read_bytes())
            write("sitemap.xml", sitemap(site + page.file_name(each) for each in pages).encode())
        # Written last: an export without it is incomplete.
        digests = {name: name_of for name, (name_of, _) in sorted(written.items())}
        write(MANIFEST, (json.dumps({"files": digests}, indent=1) + "\n").encode())
    except OSError as error:
        raise ExportError(f"{folder} cannot be written to: {error.strerror}.") from error
    computed = len(payloads) - len(errors)
    return ExportSummary(len(written), computed, sum(size for _, size in written.values()))


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = next(folder.iterdir(), None) is None
    except (FileExistsError, NotADirectoryError):
        raise ExportError(f"{folder} is a file, not a folder. Name another.") from None
    except OSError as error:
        raise ExportError(f"{folder} cannot be written to: {error.strerror}.") from error
    if not is_empty:
        raise ExportError(f"{folder} is not empty. Name a new or an empty folder.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ExportError(f"{folder} is not writable. Name another, or change its permissions.")


def _compute(
    payloads: Sequence[ExportedPayload],
) -> Iterator[tuple[ExportedPayload, str | ParameterError]]:
    """Compute figure payloads in several processes, starting with the slowest to compute."""
    cost = sum(payload.cost for payload in payloads)
    if cost <= SERIAL_LIMIT_S:
        yield from ((payload, payload.content()) for payload in payloads)
        return
    ordered = sorted(payloads, key=lambda payload: -payload.cost)
    # Spawn, since a forked process would share the state of PyTorch's threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(available_cores(), context, _use_one_thread) as pool:
        yield from zip(ordered, pool.map(ExportedPayload.content, ordered), strict=True)


def _use_one_thread() -> None:
    """Limit PyTorch to one thread in a worker process, since other workers use the other cores."""
    import torch

    torch.set_num_threads(1)


def _assets(font: bytes) -> Iterator[tuple[str, bytes]]:
    yield "source-sans.woff2", font
    yield (
        "export/export.js",
        bundle.bundle_script(static_files.FOLDER / "export" / "export.js").encode(),
    )
    for name in sorted(static_files.file_names()):
        if not name.endswith(".js") or name == "plotly.min.js":
            yield name, static_files.read_file(name)
