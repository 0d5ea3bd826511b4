"""Settings without a field in NIMService, and the form of its existing fields."""

from collections.abc import Iterator

from gpuspec.plan.decision import Decision, PlanPart
from gpuspec.spec import InferenceSpec
from gpuspec.spec.exposing import Rollout

Untold = tuple[str, tuple[str, ...], str]
"""A refused setting: its path in the spec, and what to write instead."""
_OPERATOR = "the NIM Operator"
_INSTEAD = "delete it, or write target: deployment"
# By field of the spec: what the operator makes without it.
_WITHOUT = {
    "init_containers": ("initContainers", "has no resources and no security context for one"),
    "sidecars": ("sidecars", "has no resources and no security context for one"),
    "volumes": ("volumes", "mounts only its own"),
    "caches": ("caches", "keeps downloads only in `model.source.hub.cache`"),
    "adapters": ("adapters", "mounts only its own volumes"),
    "env_from": ("envFrom", "passes on single variables only"),
    "working_dir": ("workingDir", "sets no working directory"),
    "service_account": ("serviceAccount", "creates one with the workload's name"),
    "capabilities": ("capabilities", "gives containers no security context"),
}


def untold(spec: InferenceSpec) -> Iterator[Untold]:
    """Yield refusals for parts of a spec that have no field in a NIMService."""
    for field, (spec_field, why) in _WITHOUT.items():
        if getattr(spec, field) not in (None, (), {}):
            yield f"{_OPERATOR} {why}", (spec_field,), _INSTEAD
    source = spec.model.source if spec.model else None
    if source is not None and source.hub is None:
        yield (
            f"{_OPERATOR} mounts a claim as NIM's cache, and weights in the claim are not in "
            "the cache's form",
            ("model", "source"),
            "write source: {hub: {cache: …}}, or target: deployment",
        )
    if spec.rollout != Rollout():
        yield f"{_OPERATOR} always replaces a quarter of its pods at a time", ("rollout",), _INSTEAD
    availability = spec.availability
    if "hard" in (availability.zones, availability.nodes):
        yield f"{_OPERATOR} does not spread its pods", ("availability",), _INSTEAD
    yield from _exposed(spec)
    if spec.user.fs_group not in (None, spec.user.gid):
        yield (
            f"{_OPERATOR} sets the group of volumes to the pod's own group",
            ("user", "fsGroup"),
            "write the same as user.gid",
        )


def _exposed(spec: InferenceSpec) -> Iterator[Untold]:
    expose = spec.expose
    ports = {expose.port, expose.container_port} - {None}
    if len(ports) > 1:
        yield (
            f"{_OPERATOR} uses the same port for container and Service",
            ("expose",),
            f"write one number, such as port: {expose.container_port}",
        )
    for field, spec_field in (("ports", "ports"), ("through", "through"), ("name", "name")):
        if getattr(expose, field):
            yield f"{_OPERATOR} creates the Service itself", ("expose", spec_field), _INSTEAD


def parts(image: str) -> tuple[str, str]:
    """Return repository and tag, which the operator joins by a colon; a digest is split at its own
    colon."""
    repository, colon, tag = image.rpartition(":")
    return (repository, tag) if colon and "/" not in tag else (image, "latest")


def names(secrets: PlanPart) -> PlanPart:
    """Return Secrets by their names alone."""
    if not isinstance(secrets, Decision):
        return secrets
    return Decision([secret["name"] for secret in secrets.value], secrets.reason, secrets.origin)


def asking(probe: PlanPart, port: str) -> PlanPart:
    """Return a probe with the operator's name for the port."""
    if not isinstance(probe, Decision):
        return probe
    value = {
        key: {**inner, "port": port}
        if isinstance(inner, dict) and inner.get("port") == "http"
        else inner
        for key, inner in probe.value.items()
    }
    return Decision(value, probe.reason, probe.origin)
