"""A version of the claims' API that is on its way out."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Change, Drop, Fix, Put, RawFinding, Rule
from gpuspec.numbers import read_version
from gpuspec.objects.claims import FLAT, GROUP, requests_of
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU317",
    "claim-version",
    "info",
    "A claim uses a deprecated API version",
    gives_way=("GPU316",),
    fix="both",
)

# By version: deprecated in, gone in, as 1.N. Source: kubernetes/api, resource/*/zz_generated.
# prerelease-lifecycle.go.
_LEAVES = {"v1beta1": (35, 38), "v1beta2": (36, 39)}
_V1_SINCE = 34


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield beta versions on a server with `v1`; another rule reports versions that are not served."""
    minor = read_version(context.kubernetes)[1]
    deprecated, gone = _LEAVES.get(obj.version, (0, 0))
    if not gone or minor < _V1_SINCE or minor >= gone:
        return
    if obj.version in obj.file.split("/"):
        # A folder of its own beside those of other versions.
        return
    requests = list(requests_of(obj))
    if obj.version == "v1beta1" and any("exactly" in request for _, request in requests):
        return
    was = "is" if minor >= deprecated else "will be"
    yield RawFinding(
        obj.path("apiVersion"),
        f"`{obj.api_version}` {was} deprecated since 1.{deprecated} and removed in 1.{gone}; "
        f"`v1` is served since 1.{_V1_SINCE}",
        fix=_fix(obj, safe=context.cluster is not None),
    )


def _fix(obj: Object, *, safe: bool) -> Fix:
    changes: list[Change] = [Put(obj.path("apiVersion"), f"{GROUP}/v1")]
    if obj.version == "v1beta1":
        for path, request in requests_of(obj):
            flat = {field: request[field] for field in FLAT if field in request}
            if flat:
                changes += [Drop((*path, field)) for field in flat]
                changes.append(Put((*path, "exactly"), flat))
    return Fix(f"write `{GROUP}/v1`", tuple(changes), safe=safe)
