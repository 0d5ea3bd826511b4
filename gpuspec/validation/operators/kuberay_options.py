"""The Redis and the tokens of a Ray cluster.

Source: github.com/ray-project/kuberay v1.6.2, ray-operator/controllers/ray/utils/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.numbers import read_version
from gpuspec.validation.apiserver.reading import inner, maps, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map
    from gpuspec.validation.violation import SchemaViolation

_HEAD = ("headGroupSpec", "template", "spec")
_PARAMS = ("headGroupSpec", "rayStartParams")
_ENABLED = "ray.io/ft-enabled"
_STORAGE = "ray.io/external-storage-namespace"
_TOKENS, _KUBERNETES = (2, 52), (2, 55)
"""The first versions of Ray with tokens, and with Kubernetes' tokens."""


def options(spec: Map, notes: Map) -> Iterator[SchemaViolation]:
    """Check that fault tolerance is set in one place, and that Ray is new enough for tokens."""
    has_options = spec.get("gcsFaultToleranceOptions") is not None
    if notes.get(_ENABLED) and has_options:
        yield refused(("gcsFaultToleranceOptions",), f"the annotation `{_ENABLED}` sets it too")
    address, _ = variable(spec, "RAY_REDIS_ADDRESS")
    if address and (has_options or str(notes.get(_ENABLED)).lower() != "true"):
        yield refused(address, "set the address in `gcsFaultToleranceOptions.redisAddress`")
    params, (password, _) = inner(spec, *_PARAMS), variable(spec, "REDIS_PASSWORD")
    if has_options and params.get("redis-password"):
        yield refused(
            (*_PARAMS, "redis-password"),
            "set the password in `gcsFaultToleranceOptions.redisPassword`",
        )
    if has_options and password:
        yield refused(password, "set the password in `gcsFaultToleranceOptions.redisPassword`")
    if has_options and notes.get(_STORAGE):
        yield refused(
            ("gcsFaultToleranceOptions", "externalStorageNamespace"),
            f"the annotation `{_STORAGE}` sets it too: keep this field",
        )
    user, _ = variable(spec, "REDIS_USERNAME")
    if params.get("redis-username") or user:
        yield refused(
            user or (*_PARAMS, "redis-username"),
            "set the user in `gcsFaultToleranceOptions.redisUsername`",
        )
    yield from _tokens(spec)


def variable(spec: Map, name: str) -> tuple[Path, str]:
    """Return the path of a variable of the head's first container, or an empty path, and its value."""
    for _, container in [*maps(inner(spec, *_HEAD), "containers")][:1]:
        for at, variable_row in maps(container, "env"):
            if variable_row.get("name") == name:
                return (*_HEAD, "containers", 0, "env", at), variable_row.get("value") or ""
    return (), ""


def _tokens(spec: Map) -> Iterator[SchemaViolation]:
    auth_options, path = inner(spec, "authOptions"), ("authOptions",)
    kubernetes = auth_options.get("enableK8sTokenAuth") is True
    if auth_options.get("mode") != "token":
        if kubernetes:
            yield refused((*path, "enableK8sTokenAuth"), "it needs `mode: token`")
        return
    version = spec.get("rayVersion") or ""
    least = _KUBERNETES if kubernetes else _TOKENS
    if read_version(version)[:2] < least:
        yield refused(
            ("rayVersion",),
            f"tokens need Ray {least[0]}.{least[1]} or newer, but this "
            + (f"is {version}" if version else "is missing"),
        )
    if kubernetes and auth_options.get("secretName"):
        yield refused((*path, "secretName"), "`enableK8sTokenAuth` needs no secret: omit it")
