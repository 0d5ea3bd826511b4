"""Bundles and requests of certificates are read as a server reads PEM and DER, however they are made."""

import base64

import pytest

from gpuspec.manifests import parse_path
from tests.refusals.conftest import Judge
from tests.refusals.contest.trees import at, put
from tests.refusals.judge import Object
from tests.refusals.test_stories import BASES, REFUSES, errors

BUNDLE = "ClusterTrustBundle/example.com:signer:one"
ONE = BASES[BUNDLE]["spec"]["trustBundle"]
FIRST, *REST = ONE.splitlines()
DEEP = 3000


def deep() -> bytes:
    """A sequence in a sequence, and so on."""
    found = b""
    for _ in range(DEEP):
        size = len(found)
        length = bytes([size]) if size < 0x80 else b"\x82" + size.to_bytes(2, "big")
        found = b"\x30" + length + found
    return found


def as_pem(content: bytes, kind: str = "CERTIFICATE") -> str:
    return f"-----BEGIN {kind}-----\n{base64.b64encode(content).decode()}\n-----END {kind}-----\n"


TAKEN = {
    "text around": f"# the root\n{ONE}\nthat was it\n",
    "lines as Windows ends them": ONE.replace("\n", "\r\n"),
    "what is no base64": f"{ONE}-----BEGIN A-----\n!\n-----END A-----\n",
}
REFUSED = {
    "nothing": "none",
    "no end": "\n".join([FIRST, *REST[:-1]]),
    "another type": as_pem(b"\x30\x00", "KEY"),
    "headers": "\n".join([FIRST, "a: b", "", *REST]),
    "no sequence": as_pem(b"\x02\x01\x00"),
    "shorter than it says": as_pem(b"\x30\x03\x02\x01"),
    "without a length": as_pem(b"\x30\x80\x00\x00"),
    "more than it says": as_pem(b"\x30\x00\x00"),
    "many beginnings": f"{FIRST}\n" * 30_000,
}


def bundle(text: str) -> Object:
    made: Object = put(BASES[BUNDLE], ("spec", "trustBundle"), text)
    return made


@pytest.mark.parametrize("case", TAKEN)
def test_a_bundle_is_taken(case: str) -> None:
    assert not [one for one in errors(bundle(TAKEN[case])) if REFUSES in one[1]]


@pytest.mark.parametrize("case", REFUSED)
def test_a_bundle_is_refused(case: str) -> None:
    found = errors(bundle(REFUSED[case]))
    assert [path for path, said in found if REFUSES in said] == ["spec.trustBundle"], found


def test_what_is_too_deep_is_not_looked_into() -> None:
    assert not [one for one in errors(bundle(as_pem(deep()))) if REFUSES in one[1]]


def test_a_request_may_stand_on_several_lines() -> None:
    path = parse_path("spec.request")
    value = BASES["CertificateSigningRequest/csr"]
    text = at(value, path)
    found = errors(put(value, path, f"{text[:64]}\n{text[64:]}\n"))
    assert not [one for one in found if REFUSES in one[1]]


@pytest.mark.binaries
def test_a_server_says_so_too(judge: Judge) -> None:
    assert all(one.accepted for one in judge(map(bundle, TAKEN.values())))
    assert not any(one.accepted for one in judge(map(bundle, REFUSED.values())))
