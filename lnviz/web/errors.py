"""What goes wrong while something is answered, as answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from lnviz.data.uploads import UploadError
from lnviz.database.errors import StoreError
from lnviz.database.uploads import QuotaExceeded
from lnviz.errors import RequestError
from lnviz.training.experiment import SpecificationError
from lnviz.training.job import JobQueueFull
from lnviz.web.responses import error_response

Handler = Callable[[Request], Awaitable[Response]]


def answering(handler: Handler) -> Handler:
    """Return a handler that answers whatever goes wrong with what visitors bring or ask for."""

    @wraps(handler)
    async def answering(request: Request) -> Response:
        try:
            return await handler(request)
        except ClientDisconnect:
            return Response(status_code=499)  # to nobody
        except RequestError as error:
            return as_json(request, error)
        except (SpecificationError, UploadError) as error:
            return error_response(str(error), 422)
        except JobQueueFull as error:
            return error_response(str(error), 503, 60)
        except (QuotaExceeded, StoreError) as error:
            return error_response(str(error), 503)

    return answering


def as_json(_: Request, error: RequestError) -> Response:
    """Return what was refused as a document."""
    return error_response(str(error), error.status, error.retry_after, **error.details)
