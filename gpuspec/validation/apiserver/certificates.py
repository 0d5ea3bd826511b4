"""Requests for certificates, and bundles of them.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/certificates/validation/validation.go, and
pkg/apis/core/validation/names.go for the names of bundles. Certificates and requests are checked
for complete encoding, not for their content.
"""

from __future__ import annotations

import binascii
from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING

from gpuspec.manifests import dns_subdomain
from gpuspec.validation.apiserver.reading import inner, refused, size, to_signer, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_BEGIN, _LAST = b"-----BEGIN ", b"-----"
_DEEPEST = 50
"""Nested values of DER that are checked; a certificate has about ten."""
_LEGACY = "kubernetes.io/legacy-unknown"
_LARGEST_BUNDLE = 1024 * 1024
_LARGEST_STUB = 10 * 1024
_LONGEST_DOMAIN = 253


def request(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a request is PKCS #10 in PEM, and that its signer still signs."""
    signer = spec.get("signerName") or ""
    if signer == _LEGACY:
        yield refused(("signerName",), "only older versions of the API have this signer")
    elif len(signer.partition("/")[0]) > _LONGEST_DOMAIN:
        yield refused(("signerName",), f"its domain has more than {_LONGEST_DOMAIN} characters")
    decoded = _decoded(spec.get("request"))
    if not decoded:
        return
    kind, _, content = next(_blocks(decoded), ("", False, b""))
    if kind != "CERTIFICATE REQUEST" or not _is_whole(content):
        yield refused(("request",), "expected a CERTIFICATE REQUEST as PEM, in base64")


def pod_request(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a pod's request is PKCS #10."""
    stub = _decoded(spec.get("stubPKCS10Request"))
    if stub and len(stub) > _LARGEST_STUB:
        yield from too_large(("stubPKCS10Request",), len(stub), _LARGEST_STUB)
    elif stub and not _is_whole(stub):
        yield refused(("stubPKCS10Request",), "expected a request of PKCS #10 as DER, in base64")
    yield from to_signer(spec, "unverifiedUserAnnotations")


def bundle(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a bundle is named after its signer."""
    signer = inner(value, "spec").get("signerName") or ""
    start = signer.replace("/", ":") + ":" if signer else ""
    for field in ("name", "generateName"):
        name = inner(value, "metadata").get(field)
        if not name:
            continue
        rest = name.removeprefix(start)
        if field == "generateName" and len(rest) > 1 and rest.endswith("-"):
            rest = f"{rest[:-2]}a"
        if not name.startswith(start):
            yield refused(("metadata", field), f"expected a name that begins with `{start}`")
        elif not signer and ":" in name:
            yield refused(
                ("metadata", field), "without `spec.signerName` the name cannot have a `:`"
            )
        elif problem := dns_subdomain(rest):
            message = f"the part after `{start}` {problem}" if start else f"it {problem}"
            yield refused(("metadata", field), message)


def certificates(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a bundle has at least one certificate, and nothing else."""
    text = spec.get("trustBundle")
    if not text:
        return
    if size([text]) > _LARGEST_BUNDLE:
        yield from too_large(("trustBundle",), size([text]), _LARGEST_BUNDLE)
        return
    blocks = list(_blocks(text.encode(errors="surrogatepass")))
    if not blocks:
        yield refused(("trustBundle",), "expected at least one CERTIFICATE as PEM")
    before: list[bytes] = []
    for number, (kind, headed, content) in enumerate(blocks):
        if kind != "CERTIFICATE" or not _is_whole(content):
            yield refused(("trustBundle",), f"block {number} is not a CERTIFICATE")
        elif headed:
            yield refused(("trustBundle",), f"block {number} has headers")
        elif content in before:
            message = f"block {number} repeats the certificate of block {before.index(content)}"
            yield refused(("trustBundle",), message)
        before.append(content)


def _decoded(text: str | None) -> bytes | None:
    """Return the decoded bytes; None if the text is no base64, which is another fault."""
    try:
        return _of_base64((text or "").encode())
    except ValueError:
        return None


def _of_base64(text: bytes) -> bytes:
    return binascii.a2b_base64(b"".join(text.split()), strict_mode=True)


def _blocks(text: bytes) -> Iterator[tuple[str, bool, bytes]]:
    """Yield the PEM blocks of a text: type, whether there are headers, content. A server skips
    blocks that are not base64.
    """
    kind: bytes | None = None
    inside: list[bytes] = []
    for line in map(bytes.rstrip, text.split(b"\n")):
        if line.startswith(_BEGIN) and line.endswith(_LAST):
            kind, inside = line[len(_BEGIN) : -len(_LAST)], []
        elif kind is not None and line == b"-----END " + kind + _LAST:
            headers = list(takewhile(lambda block: b":" in block, inside))
            with suppress(ValueError):
                content = _of_base64(b"".join(inside[len(headers) :]))
                yield kind.decode(errors="replace"), bool(headers), content
            kind = None
        else:
            inside.append(line)


def _is_whole(content: bytes) -> bool:
    """Return whether bytes are one sequence of DER, and its contents have the stated lengths."""
    return content[:1] == b"\x30" and _end(content, 0, len(content), 0) == len(content)


def _end(content: bytes, start: int, most: int, depth: int) -> int | None:
    """Return where a value of DER ends, by its start; None for invalid DER."""
    if start + 2 > most:
        return None
    tag, length, begin = content[start], content[start + 1], start + 2
    if length == 0x80:
        return None
    if length > 0x80:
        begin += length - 0x80
        length = int.from_bytes(content[start + 2 : begin], "big")
    end = begin + length
    if end > most:
        return None
    if tag & 0x20 and depth < _DEEPEST:
        while begin < end:
            if (inside := _end(content, begin, end, depth + 1)) is None:
                return None
            begin = inside
    return end


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "certificates.v1.CertificateSigningRequestSpec": (request,),
    "certificates.v1.ClusterTrustBundle": (bundle,),
    "certificates.v1.ClusterTrustBundleSpec": (certificates,),
    "certificates.v1.PodCertificateRequestSpec": (pod_request,),
}
