"""The responses to errors that endpoints raise."""

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from lnviz.data.uploads import UploadError
from lnviz.database.errors import StoreError
from lnviz.database.uploads import QuotaExceeded
from lnviz.errors import RequestError
from lnviz.explorable import ExpiredDataError, ParameterError
from lnviz.training.experiment import SpecificationError
from lnviz.training.job import JobQueueFull
from lnviz.web.errors import EXCEPTION_HANDLERS, render_errors_with
from lnviz.web.fair_queue import QueueFull
from lnviz.web.payload_scheduler import Overloaded


def get(endpoint: Any) -> Any:
    app = Starlette(routes=[Route("/", endpoint)], exception_handlers=EXCEPTION_HANDLERS)
    return TestClient(app, raise_server_exceptions=False).get("/")


@pytest.mark.parametrize(
    ("error", "status", "retry_after"),
    [
        (RequestError("No.", 423), 423, None),
        (RequestError("No.", 429, 7), 429, "7"),
        (Overloaded("No.", 9), 503, "9"),
        (ParameterError("No.", {}), 422, None),
        (ExpiredDataError("No.", {}), 410, None),
        (SpecificationError("No."), 422, None),
        (UploadError("No."), 422, None),
        (QueueFull(), 503, "2"),
        (JobQueueFull("No."), 503, "60"),
        (QuotaExceeded("No."), 503, None),
        (StoreError("No."), 503, "3"),
        (RuntimeError("a secret"), 500, None),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_each_error_has_its_status_a_sentence_and_a_time_to_retry(
    error: Exception, status: int, retry_after: str | None
) -> None:
    def endpoint(_: Request) -> Response:
        raise error

    response = get(endpoint)
    assert (response.status_code, response.headers.get("retry-after")) == (status, retry_after)
    assert response.json()["detail"].endswith((".", "Ask again in 9 seconds."))
    assert "secret" not in response.text


def test_an_error_brings_its_further_fields() -> None:
    def endpoint(_: Request) -> Response:
        raise ParameterError("No such seed.", {"seed": "99"})

    assert get(endpoint).json() == {"detail": "No such seed.", "nearest": {"seed": "99"}}


def test_an_endpoint_may_render_errors_as_its_own_page() -> None:
    def endpoint(request: Request) -> Response:
        render_errors_with(request, lambda _, error: PlainTextResponse(f"Page: {error}", 418))
        raise StoreError("The database is away.")

    response = get(endpoint)
    assert (response.status_code, response.text) == (418, "Page: The database is away.")


def test_a_client_that_disconnects_is_no_error_of_the_server() -> None:
    def endpoint(_: Request) -> Response:
        raise ClientDisconnect

    assert get(endpoint).status_code == 499
