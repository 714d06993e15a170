"""Answers to HTTP requests: bytes, packed once and sent to those who lack them; and refusals."""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cached_property

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

NO_STORE = {"Cache-Control": "no-store"}
CHUNK_BYTES = 64 * 1024  # bytes that are unpacked at a time
MAX_ACCEPT_ENCODING = 256  # letters of what a client can unpack that are looked at


@dataclass(frozen=True)
class CompressedBody:
    """Content ready to be sent.

    Attributes:
        packed: The content, compressed with gzip.
    """

    gzipped: bytes

    @classmethod
    def compress(cls, content: bytes) -> CompressedBody:
        """Compress content, the same content always to the same bytes."""
        return cls(gzip.compress(content, 9, mtime=0))

    @property
    def content(self) -> bytes:
        """The content as it was; few clients ask for it, so it is not kept."""
        return gzip.decompress(self.gzipped)

    @property
    def size(self) -> int:
        """How many bytes the content has, which gzip writes last."""
        return int.from_bytes(self.gzipped[-4:], "little")

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the content a piece at a time: who reads slowly takes no more memory than that."""
        unpacking, rest = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16), self.gzipped
        while not unpacking.eof:
            yield unpacking.decompress(rest, CHUNK_BYTES)
            rest = unpacking.unconsumed_tail

    @cached_property
    def etag(self) -> str:
        """A name for this content, weak: packed or not it is the same."""
        return f'W/"{hashlib.sha256(self.gzipped).hexdigest()[:24]}"'


def conditional_response(
    request: Request, body: CompressedBody, media_type: str, cache_control: str
) -> Response:
    """Answer with the body, packed if the client takes that, or say its copy is still good."""
    headers = {"ETag": body.etag, "Cache-Control": cache_control, "Vary": "Accept-Encoding"}
    known = [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]
    if body.etag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    accepted = request.headers.get("accept-encoding", "")[:MAX_ACCEPT_ENCODING]
    packed = _accepts_gzip(accepted)
    if packed or "gzip" in accepted:
        # Streamlit's middleware packs what has no label wherever it reads "gzip", even refused.
        headers["Content-Encoding"] = "gzip" if packed else "identity"
    if packed:
        return Response(body.gzipped, media_type=media_type, headers=headers)
    headers["Content-Length"] = str(body.size)
    return StreamingResponse(body.chunks(), media_type=media_type, headers=headers)


def error_response(detail: str, status: int, retry_after: int = 0, **details: str) -> Response:
    """Return the answer to what is not done: a sentence, and what else there is to know.

    Args:
        detail: the sentence.
        status: the status of the answer.
        retry_after: the seconds after which to try again; 0 where that is no use.
        details: what else the answer holds.
    """
    # The rest of a body refused on its way is not read: the connection ends with the answer.
    headers = NO_STORE | ({"Connection": "close"} if status in (408, 413, 429, 503) else {})
    if retry_after:
        headers["Retry-After"] = str(retry_after)
    readable = detail.encode("utf-8", "replace").decode()  # JSON may bring halves of characters
    return JSONResponse({"detail": readable} | details, status, headers=headers)


def _accepts_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip (RFC 9110, section 12.5.3)."""
    allowed = {}
    for part in accepted.lower().split(","):
        coding, *parameters = (piece.strip() for piece in part.split(";"))
        allowed[coding] = not any(re.fullmatch(r"q=0(\.0*)?", given) for given in parameters)
    return allowed.get("gzip", allowed.get("*", False))
