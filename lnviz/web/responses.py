"""HTTP responses: compressed bodies with ETags for caching, and errors as JSON."""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

NO_STORE = {"Cache-Control": "no-store"}
CHUNK_BYTES = 64 * 1024  # of decompressed content at a time
MAX_ACCEPT_ENCODING = 256  # characters of the header that are parsed


@dataclass(frozen=True)
class CompressedBody:
    """The body of an HTTP response, compressed with gzip once for all clients.

    Attributes:
        gzipped: The content, compressed with gzip.
    """

    gzipped: bytes

    @classmethod
    def compress(cls, content: bytes) -> CompressedBody:
        """Compress content deterministically: the same content always gives the same bytes."""
        return cls(gzip.compress(content, 9, mtime=0))

    @property
    def content(self) -> bytes:
        """The decompressed content; not cached, since few clients need it."""
        return gzip.decompress(self.gzipped)

    @property
    def size(self) -> int:
        """Size of the uncompressed content in bytes, which gzip stores in its last four bytes."""
        return int.from_bytes(self.gzipped[-4:], "little")

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the decompressed content in chunks, so that only one is in memory at a time."""
        decompressor, rest = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16), self.gzipped
        while not decompressor.eof:
            yield decompressor.decompress(rest, CHUNK_BYTES)
            rest = decompressor.unconsumed_tail

    @cached_property
    def etag(self) -> str:
        """The weak entity tag for HTTP caching; it is the same for compressed and plain content."""
        return f'W/"{hashlib.sha256(self.gzipped).hexdigest()[:24]}"'


def conditional_response(
    request: Request, body: CompressedBody, media_type: str, cache_control: str
) -> Response:
    """Return 304 if the client's cached copy is current, otherwise the body (gzipped or not)."""
    headers = {"ETag": body.etag, "Cache-Control": cache_control, "Vary": "Accept-Encoding"}
    cached = [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]
    if body.etag in cached or "*" in cached:
        return Response(status_code=304, headers=headers)
    accepted = request.headers.get("accept-encoding", "")[:MAX_ACCEPT_ENCODING]
    is_gzipped = _accepts_gzip(accepted)
    if is_gzipped or "gzip" in accepted:
        # Streamlit's middleware compresses a response without this header for any client whose
        # Accept-Encoding contains "gzip", even with q=0.
        headers["Content-Encoding"] = "gzip" if is_gzipped else "identity"
    if is_gzipped:
        return Response(body.gzipped, media_type=media_type, headers=headers)
    headers["Content-Length"] = str(body.size)
    return StreamingResponse(body.chunks(), media_type=media_type, headers=headers)


def error_response(detail: str, status: int, retry_after: int = 0, **details: Any) -> Response:
    """Return an error message as a JSON response with an HTTP status.

    Args:
        detail: The message, the document's field `detail`.
        status: HTTP status code.
        retry_after: Seconds for the header Retry-After; 0 for none.
        details: Further fields of the document.
    """
    # The rest of a rejected body stays unread, so the connection cannot be reused.
    headers = NO_STORE | ({"Connection": "close"} if status in (408, 413, 429, 503) else {})
    if retry_after:
        headers["Retry-After"] = str(retry_after)
    # The message may quote a lone surrogate from a JSON request.
    encodable = detail.encode("utf-8", "replace").decode()
    return JSONResponse({"detail": encodable} | details, status, headers=headers)


def _accepts_gzip(accepted: str) -> bool:
    """Return whether an Accept-Encoding header allows gzip (RFC 9110, section 12.5.3)."""
    allowed = {}
    for part in accepted.lower().split(","):
        coding, *parameters = (piece.strip() for piece in part.split(";"))
        allowed[coding] = not any(
            re.fullmatch(r"q=0(\.0*)?", parameter) for parameter in parameters
        )
    return allowed.get("gzip", allowed.get("*", False))
