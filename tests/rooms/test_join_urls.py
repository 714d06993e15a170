"""URLs by which phones reach a server, and QR codes."""

import pytest

from lnviz.rooms import join_urls
from lnviz.rooms.join_urls import VARIABLE, is_loopback, lan_urls, qr_svg, wifi_uri


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *(("localhost", True), ("lnviz.localhost", True), ("127.0.0.1", True), ("127.9.9.9", True)),
        *(("::1", True), ("0.0.0.0", True), ("::", True)),
        *(("192.168.1.20", False), ("2001:db8::1", False), ("notlocalhost", False), ("", False)),
    ],
)
def test_a_loopback_host_means_the_machine_that_uses_it(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    ("origin", "listens", "expected"),
    [
        ("https://lnviz.example.org", "127.0.0.1", ["https://lnviz.example.org"]),
        ("http://192.168.1.20:8501", "", ["http://192.168.1.20:8501"]),
        ("http://localhost:8501", "", ["http://10.0.0.7:8501", "http://192.168.1.20:8501"]),
        ("http://localhost", "", ["http://10.0.0.7", "http://192.168.1.20"]),
        ("http://127.0.0.1:80", "0.0.0.0", ["http://10.0.0.7:80", "http://192.168.1.20:80"]),
        ("http://[::1]:80", "::", ["http://10.0.0.7:80", "http://192.168.1.20:80"]),
        ("http://localhost:8501", "127.0.0.1", []),
        ("http://localhost:8501", "localhost", []),
    ],
)
def test_urls_are_those_that_phones_can_reach(
    origin: str, listens: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, listens)
    monkeypatch.setattr(join_urls, "_lan_addresses", lambda: ["10.0.0.7", "192.168.1.20"])
    assert lan_urls(origin) == expected


def test_a_machine_s_own_addresses_are_found_once_each_and_without_loopback() -> None:
    found = join_urls._lan_addresses()
    assert len(set(found)) == len(found)
    assert not any(map(is_loopback, found))


def test_a_qr_code_is_black_on_white_with_a_quiet_zone() -> None:
    svg = qr_svg("https://lnviz.example.org/482913")
    assert svg.startswith("<svg")
    assert "#000" in svg
    assert "#fff" in svg
    # Version 3 has 29 modules: that many letters at the error correction level M.
    assert f'viewBox="0 0 {29 + 2 * 4} {29 + 2 * 4}"' in svg


def test_a_wi_fi_is_open_without_a_password() -> None:
    assert wifi_uri("Hall", "") == "WIFI:T:nopass;S:Hall;;"
    assert wifi_uri('a,b"', "\\;:") == 'WIFI:T:WPA;S:a\\,b\\";P:\\\\\\;\\:;;'
