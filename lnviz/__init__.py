"""Layer normalization and its relatives, computed so that every intermediate can be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lnviz.explorable import Explorable


def figure(lesson: str, name: str, **parameters: object) -> Explorable:
    """A figure of the book, which shows itself in a notebook.

    Args:
        lesson: The lesson's address.
        name: The figure's name, as in links to it.
        parameters: What it is computed from, each by its name in the figure's own address: `data`
            and `seed`, say. Controls, such as the norm, are moved by hand.

    Raises:
        ValueError: There is no such figure.
        ParameterError: A parameter is unknown or not allowed.

    >>> figure("axes", "grid", data="digits").title
    'Summed inputs, before and after normalization'
    """
    from lnviz import book  # all of it: who wants a part of the package shall not wait for that

    found = book.find_figure(lesson, name)
    if found is None:
        known = {page.slug: [each.name for each in page.figures] for page in book.PAGES}
        raise ValueError(
            f"there is no figure {name!r} on {lesson!r}; there are "
            f"{known.get(lesson) or [slug for slug, names in known.items() if names]}"
        )
    return found.build(**found.parse({key: str(value) for key, value in parameters.items()}))
