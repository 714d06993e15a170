import pytest

from lnviz.frontend import static_files
from lnviz.web.assets import STREAMLIT_STATIC
from lnviz.web.responses import CHUNK_BYTES, CompressedBody
from tests.web.addresses import PAYLOAD
from tests.web.serving import Site


def test_gzip_that_is_refused_is_not_sent(site: Site) -> None:
    for refused in ("gzip;q=0", "br, gzip; q=0.000", "*;q=0", "gzip;q=0, *"):
        answer = site.get(PAYLOAD, Accept_Encoding=refused)
        assert answer.headers.get("content-encoding", "identity") == "identity"
        assert answer.json["title"]


def test_whoever_takes_anything_takes_gzip(site: Site) -> None:
    assert site.get(PAYLOAD, Accept_Encoding="*").headers["content-encoding"] == "gzip"


ADDRESSES = [
    PAYLOAD,
    "/explorables/axes/grid.html",
    "/axes",
    f"/assets/{static_files.content_hash()}/engine/figure.js",
    f"/assets/{static_files.content_hash()}/plotly.min.js",
    *(f"/static/js/{file.name}" for file in STREAMLIT_STATIC.glob("static/js/index.*.js")),
]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("accepted", ["gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8"])
def test_an_answer_is_compressed_where_the_client_takes_that(
    site: Site, address: str, accepted: str
) -> None:
    plain, packed = site.get(address), site.get(address, Accept_Encoding=accepted)
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.body == plain.body
    assert len(packed.raw) < len(plain.raw)
    assert {plain.headers["vary"], packed.headers["vary"]} == {"Accept-Encoding"}


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_the_client_has_is_not_sent_again(site: Site, address: str) -> None:
    first = site.get(address)
    for known in (first.headers["etag"], f'W/"other", {first.headers["etag"]}', "*"):
        second = site.get(address, If_None_Match=known)
        assert (second.status, second.raw) == (304, b"")
        for header in ("etag", "cache-control", "vary"):
            assert second.headers[header] == first.headers[header]


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_has_changed_is_sent(site: Site, address: str) -> None:
    assert site.get(address, If_None_Match='W/"other"').status == 200


@pytest.mark.anyio
async def test_what_is_unpacked_goes_out_in_pieces() -> None:
    content = bytes(10 * CHUNK_BYTES) + b"end"
    body = CompressedBody.compress(content)
    pieces = [piece async for piece in body.chunks()]
    assert max(map(len, pieces)) <= CHUNK_BYTES
    assert b"".join(pieces) == content
    assert body.size == len(content)


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_length_of_what_is_unpacked_is_said(site: Site, address: str) -> None:
    plain = site.get(address)
    assert int(plain.headers["content-length"]) == len(plain.raw)


def test_other_parameters_have_another_tag(site: Site) -> None:
    queries = ["", "?data=worked", "?data=digits", "?data=digits&seed=1"]
    tags = [site.get(PAYLOAD + query).headers["etag"] for query in queries]
    assert tags[0] == tags[1]
    assert len(set(tags)) == 3


def test_the_head_of_an_answer_can_be_asked_for(site: Site) -> None:
    head, whole = site.get(PAYLOAD, method="HEAD"), site.get(PAYLOAD)
    assert (head.status, head.raw) == (200, b"")
    for header in ("etag", "content-length", "content-type"):
        assert head.headers[header] == whole.headers[header]
