"""A claim whose requests have the shape of another version of the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import Change, Drop, Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import mapping
from gpuspec.numbers import read_version
from gpuspec.objects.claims import FLAT, requests_of
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU316",
    "claim-shape",
    "error",
    "A claim's request has the structure of another API version",
    fix="safe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield flat requests in v1 and v1beta2, and `exactly` in v1beta1."""
    for path, request in requests_of(obj):
        flat = [field for field in FLAT if field in request]
        if obj.version in ("v1", "v1beta2") and flat:
            # With several fields it is the request that is meant, not one of them.
            yield RawFinding(
                path if len(flat) > 1 else (*path, flat[0]),
                f"in `{obj.api_version}` a request's fields belong under `exactly`: the API "
                f"server drops `{flat[0]}`, and rejects the empty request",
                key=len(flat) == 1,
                fix=_wrap(path, request, flat),
            )
        elif obj.version == "v1beta1" and "exactly" in request:
            yield RawFinding(
                (*path, "exactly"),
                "`v1beta1` has no `exactly`, and a request's fields are directly in the "
                "request: the API server drops `exactly`, and rejects the claim without a "
                "`deviceClassName`",
                key=True,
                fix=_rise(obj, context) or _unwrap(path, mapping(request["exactly"])),
            )


def _wrap(path: Path, request: dict[str, Any], flat: list[str]) -> Fix | None:
    if "exactly" in request or "firstAvailable" in request:
        return None
    inner = {field: request[field] for field in flat}
    drops: tuple[Change, ...] = tuple(Drop((*path, field)) for field in flat)
    return Fix("move it under `exactly`", (*drops, Put((*path, "exactly"), inner)), safe=True)


def _unwrap(path: Path, inner: dict[str, Any]) -> Fix:
    puts: tuple[Change, ...] = tuple(Put((*path, key), value) for key, value in inner.items())
    return Fix("move it out of `exactly`", (Drop((*path, "exactly")), *puts), safe=True)


def _rise(obj: Object, context: Context) -> Fix | None:
    if context.cluster is None or _minor(context) < 34:
        return None
    version = "resource.k8s.io/v1"
    return Fix(f"write `{version}`", (Put(obj.path("apiVersion"), version),), safe=True)


def _minor(context: Context) -> int:
    return read_version(context.kubernetes)[1]
