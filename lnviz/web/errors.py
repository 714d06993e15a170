"""Exception handlers of the web app: they turn exceptions of endpoints into HTTP responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from lnviz.data.uploads import UploadError
from lnviz.database.errors import StoreError
from lnviz.database.uploads import QuotaExceeded
from lnviz.errors import RequestError
from lnviz.explorable import ExpiredDataError, ParameterError
from lnviz.training.experiment import SpecificationError
from lnviz.training.job import JobAlreadyActive, JobQueueFull
from lnviz.web.fair_queue import QueueFull
from lnviz.web.responses import error_response
from lnviz.web.security_headers import server_error

ErrorRenderer = Callable[[Request, RequestError], Response]


def render_errors_with(request: Request, render: ErrorRenderer) -> None:
    """Render errors of this request with `render` instead of as JSON."""
    request.state.render_error = render


def json_error(_: Request, error: RequestError) -> Response:
    """Return an error as a JSON response."""
    return error_response(str(error), error.status, error.retry_after, **error.details)


def handle_error(request: Request, error: Exception) -> Response:
    """Return the HTTP response to a request whose endpoint raised an expected exception."""
    render: ErrorRenderer = getattr(request.state, "render_error", json_error)
    return render(request, _to_request_error(error))


def handle_disconnect(_request: Request, _error: Exception) -> Response:
    """Return status 499, for the log only, since the client has disconnected."""
    return Response(status_code=499)


def _to_request_error(error: Exception) -> RequestError:
    match error:
        case RequestError():
            return error
        case ParameterError():
            status = 410 if isinstance(error, ExpiredDataError) else 422
            return RequestError(str(error), status, nearest=error.nearest)
        case SpecificationError() | UploadError():
            return RequestError(str(error), 422)
        case QueueFull():
            return RequestError("The server is busy. Try again in 2 seconds.", 503, 2)
        case JobAlreadyActive():
            return RequestError(str(error), 409, id=error.job_id)
        case JobQueueFull():
            return RequestError(str(error), 503, 60)
        case QuotaExceeded():
            return RequestError(str(error), 503)
        case StoreError():
            return RequestError(str(error), 503, 3)
    raise error


EXCEPTION_HANDLERS: Mapping[type[Exception], Callable[..., object]] = {
    RequestError: handle_error,
    ParameterError: handle_error,
    SpecificationError: handle_error,
    UploadError: handle_error,
    QueueFull: handle_error,
    JobAlreadyActive: handle_error,
    JobQueueFull: handle_error,
    QuotaExceeded: handle_error,
    StoreError: handle_error,
    ClientDisconnect: handle_disconnect,
    Exception: server_error,
}
"""Argument `exception_handlers` of the Starlette app."""
