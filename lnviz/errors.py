"""The exception for a client's request that the server cannot fulfill."""

from __future__ import annotations

from typing import Any


class RequestError(Exception):
    """Error: a request cannot be fulfilled; the message says why, and what the client can do.

    Attributes:
        status: HTTP status code of the response.
        retry_after: Seconds after which a retry may succeed; 0 if retries are useless.
        details: Further fields of the response's JSON document.
    """

    def __init__(
        self, message: str, status: int = 409, retry_after: int = 0, **details: Any
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        self.details = details
