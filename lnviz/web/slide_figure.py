"""Payloads of a slide's figure, in the state in which the slide shows it."""

from __future__ import annotations

from lnviz.explorable import ParameterError
from lnviz.lessons import FigureSpec
from lnviz.rooms.schema import FigureState
from lnviz.web.identity import Client
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_service import PayloadService
from lnviz.web.responses import CompressedBody


async def slide_figure(
    payloads: PayloadService, client: Client, lesson: str, figure: FigureSpec, pose: FigureState
) -> CompressedBody:
    """Return the payload of a slide's figure at the parameters of a state.

    If the figure no longer has these values, or a user's data that they name were deleted, the
    payload is the default one.

    Args:
        payloads: The payload service, which has the figure cached while the projector shows it.
        client: The presenter, on whose behalf the figure is computed if it is not cached.
        lesson: The lesson's slug.
        figure: The slide's figure.
        pose: The state; only the figure's parameters in it matter.

    Raises:
        Overloaded: The figure cannot be computed now.
    """
    names = {parameter.name for parameter in figure.parameters}
    try:
        values = figure.parse({name: text for name, text in pose.items() if name in names})
        return await payloads.get(PayloadRequest(lesson, figure, values), client)
    except ParameterError:
        return await payloads.get(PayloadRequest(lesson, figure, figure.parse({})), client)
