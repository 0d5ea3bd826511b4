"""What a NIMService has no field for, and how it says what it has one for."""

from collections.abc import Iterator

from gpuspec.plan.decision import Decision, PlanPart
from gpuspec.spec import InferenceSpec
from gpuspec.spec.exposing import Rollout

Untold = tuple[str, tuple[str, ...], str]
"""What is refused, where in the spec's own fields, and what to write instead."""
_OPERATOR = "the NIM Operator"
_INSTEAD = "delete it, or write target: deployment"
# By field of the spec: what the operator makes without it.
_WITHOUT = {
    "init_containers": ("initContainers", "has no resources and no security context for one"),
    "sidecars": ("sidecars", "has no resources and no security context for one"),
    "volumes": ("volumes", "mounts its own alone"),
    "caches": ("caches", "keeps downloads in `model.source.hub.cache` alone"),
    "adapters": ("adapters", "mounts its own volumes alone"),
    "env_from": ("envFrom", "passes single variables on"),
    "working_dir": ("workingDir", "says no working directory"),
    "service_account": ("serviceAccount", "makes one of the workload's name"),
    "capabilities": ("capabilities", "gives containers no security context"),
}


def untold(spec: InferenceSpec) -> Iterator[Untold]:
    """Yield what of a spec has no field in a NIMService."""
    for field, (written, why) in _WITHOUT.items():
        if getattr(spec, field) not in (None, (), {}):
            yield f"{_OPERATOR} {why}", (written,), _INSTEAD
    source = spec.model.source if spec.model else None
    if source is not None and source.hub is None:
        yield (
            f"{_OPERATOR} mounts a claim as NIM's cache, which weights that lie there are not",
            ("model", "source"),
            "write source: {hub: {cache: …}}, or target: deployment",
        )
    if spec.rollout != Rollout():
        yield f"{_OPERATOR} replaces a quarter of its pods at a time", ("rollout",), _INSTEAD
    availability = spec.availability
    if "hard" in (availability.zones, availability.nodes):
        yield f"{_OPERATOR} spreads its pods over nothing", ("availability",), _INSTEAD
    yield from _exposed(spec)
    if spec.user.fs_group not in (None, spec.user.gid):
        yield (
            f"{_OPERATOR} gives volumes to the pod's own group",
            ("user", "fsGroup"),
            "write the same as user.gid",
        )


def _exposed(spec: InferenceSpec) -> Iterator[Untold]:
    expose = spec.expose
    ports = {expose.port, expose.container_port} - {None}
    if len(ports) > 1:
        yield (
            f"{_OPERATOR} has one port for container and Service",
            ("expose",),
            f"write one number, such as port: {expose.container_port}",
        )
    for field, written in (("ports", "ports"), ("through", "through"), ("name", "name")):
        if getattr(expose, field):
            yield f"{_OPERATOR} makes the Service itself", ("expose", written), _INSTEAD


def parts(image: str) -> tuple[str, str]:
    """Return repository and tag, which the operator joins by a colon; of a digest what stands
    around its own."""
    repository, colon, tag = image.rpartition(":")
    return (repository, tag) if colon and "/" not in tag else (image, "latest")


def names(secrets: PlanPart) -> PlanPart:
    """Return Secrets by their names alone."""
    if not isinstance(secrets, Decision):
        return secrets
    return Decision([one["name"] for one in secrets.value], secrets.reason, secrets.origin)


def asking(probe: PlanPart, port: str) -> PlanPart:
    """Return a probe that asks the port by the name that it has there."""
    if not isinstance(probe, Decision):
        return probe
    value = {
        key: {**inner, "port": port}
        if isinstance(inner, dict) and inner.get("port") == "http"
        else inner
        for key, inner in probe.value.items()
    }
    return Decision(value, probe.reason, probe.origin)
