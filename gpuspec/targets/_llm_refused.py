"""What an LLMInferenceService (KServe 0.20) does not support, and what to write instead."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from gpuspec.manifests import Path
from gpuspec.plan import constraints, exposed
from gpuspec.plan.distribution import most_replicas
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.spec import InferenceSpec
from gpuspec.spec.layout import LONGEST

PORT = 8000
"""Where KServe's Service and its pools look for the server: no field changes it."""
DEPLOYMENT, GROUPS = "-kserve", "-kserve-mn"
"""The suffixes of its Deployment's and its LeaderWorkerSet's name."""
LWS = "lws"
_HASH = 10
_TEMPLATE = "{{"


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return all reasons at once."""
    spec = resolution.spec
    assert isinstance(spec, InferenceSpec)
    return [
        *_name(resolution, spec),
        *_model(resolution, spec),
        *_server(resolution, spec),
        *_probes(resolution, spec),
        *_rollout(resolution, spec),
        *_groups(resolution, spec),
        *_constraint(resolution),
        *_templates(resolution),
    ]


def _name(resolution: Resolution, spec: InferenceSpec) -> Iterator[RefusalReason]:
    """Yield a name that makes other names too long."""
    place = resolution.workload.place(("metadata", "name"))
    longest, shape, noun = (
        len(resolution.name + DEPLOYMENT),
        f"<name>{DEPLOYMENT}",
        "its Deployment",
    )
    if spec.nodes > 1:
        longest = len(f"{resolution.name}{GROUPS}-{most_replicas(spec) - 1}-") + _HASH
        shape, noun = f"<name>{GROUPS}-<group>-<hash>", "a label of its pods"
    if (over := longest - LONGEST) > 0:
        text = f"{noun} would have {longest} characters, {over} too many"
        yield RefusalReason(text, place, f"it is {shape}, {LONGEST} characters at most")


def _model(resolution: Resolution, spec: InferenceSpec) -> Iterator[RefusalReason]:
    if spec.model is None:
        text = "an LLMInferenceService must name its model, but the spec has no `model`"
        yield RefusalReason(text, hint="write `model`, or choose another target")


def _server(resolution: Resolution, spec: InferenceSpec) -> Iterator[RefusalReason]:
    """Yield a server that KServe would start with another command, or look for at another port."""
    launch = resolution.runtime.launch
    if not spec.command and not (launch and launch.command):
        text = (
            f"the spec has no `command` for {resolution.runtime.title}: KServe's preset would "
            "start vLLM in the image"
        )
        yield RefusalReason(text, resolution.workload.place(("spec", "runtime")), "write `command`")
    front = exposed.front(spec)
    port = front or spec.expose.container_port or _own_port(resolution, spec)
    if port != PORT:
        who, hint = (
            ("the server", f"write expose.containerPort: {PORT}")
            if front is None
            else (
                "the sidecar before it",
                f"let the sidecar listen on {PORT}, and the server on another port",
            )
        )
        text = f"KServe sends requests to port {PORT} of its pods, but {who} listens on {port}"
        yield RefusalReason(text, resolution.workload.place(("spec", "expose")), hint)


def _own_port(resolution: Resolution, spec: InferenceSpec) -> int | None:
    return resolution.runtime.ports[0].number if resolution.runtime.ports else spec.expose.port


def _probes(resolution: Resolution, spec: InferenceSpec) -> Iterator[RefusalReason]:
    """Yield probes of another kind than a preset has: one with both is refused by the API
    server."""
    for field in ("startup", "readiness", "liveness"):
        probe = getattr(spec.probes, field)
        if probe is not None and not probe.path:
            text = (
                f"KServe's preset has a {field} probe by HTTP, and the API server refuses a "
                "probe of two types"
            )
            place = resolution.workload.place(("spec", "probes", field))
            yield RefusalReason(text, place, "write `path`, or choose another target")
    if resolution.runtime.probes is None and spec.probes.liveness is None:
        text = "KServe's preset adds a liveness probe of /health, unless the spec has one"
        yield RefusalReason(
            text, resolution.workload.place(("spec", "probes")), "write probes.liveness"
        )


def _rollout(resolution: Resolution, spec: InferenceSpec) -> Iterator[RefusalReason]:
    """Yield bounds of a rollout that KServe does not pass on, unless they are the defaults."""
    rollout = spec.rollout
    bounds: Mapping[str, int | None] = {"surge": rollout.surge, "unavailable": rollout.unavailable}
    usual = {"surge": 0, "unavailable": 1} if spec.nodes > 1 else {}
    of = "LeaderWorkerSet" if spec.nodes > 1 else "Deployment"
    for field, value in bounds.items():
        if value is not None and value != usual.get(field):
            text = f"KServe does not pass `rollout.{field}` on to its {of}"
            place = resolution.workload.place(("spec", "rollout", field))
            yield RefusalReason(text, place, f"delete `rollout.{field}`, or choose another target")
    if rollout.deadline is not None:
        text = f"KServe does not pass `rollout.deadline` on to its {of}"
        place = resolution.workload.place(("spec", "rollout", "deadline"))
        yield RefusalReason(text, place, "delete `rollout.deadline`")


def _groups(resolution: Resolution, spec: InferenceSpec) -> Iterator[RefusalReason]:
    """Yield refusals for replicas on several nodes if nothing creates their pods."""
    if spec.nodes == 1:
        return
    if LWS not in resolution.profile.spec.installed:
        text = (
            "KServe needs LeaderWorkerSet for a model on several nodes, but the profile does "
            "not list it"
        )
        hint = f'install it and write in the profile, installed: {{{LWS}: "0.9"}}'
        yield RefusalReason(text, resolution.workload.place(("spec", "nodes")), hint)


def _constraint(resolution: Resolution) -> Iterator[RefusalReason]:
    """Yield a constraint of OpenShift that forbids a field of a preset."""
    constraint = constraints.held(resolution)
    if constraint is not None and not constraint.seccomp:
        yield RefusalReason(
            f"KServe's preset sets a seccomp profile, which {constraint.constraint} forbids"
        )


def _templates(resolution: Resolution) -> Iterator[RefusalReason]:
    """Yield text that KServe would read as a Go template; it renders the whole object as one."""
    model = resolution.workload.model
    content = {"metadata": {"annotations": model.metadata.annotations}, "spec": model.spec}
    for path in _opening(msgspec.to_builtins(content, enc_hook=str), ()):
        text = f"KServe reads `{_TEMPLATE}` as the start of a Go template, anywhere in the object"
        yield RefusalReason(
            text, resolution.workload.place(path), "put the text into a file of a ConfigMap"
        )


def _opening(value: Any, path: Path) -> Iterator[Path]:
    """Yield the paths of texts that open a template."""
    if isinstance(value, str):
        if _TEMPLATE in value:
            yield path
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _opening(inner, (*path, key))
    elif isinstance(value, Sequence):
        for index, inner in enumerate(value):
            yield from _opening(inner, (*path, index))
