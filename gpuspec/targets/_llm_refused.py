"""What an LLMInferenceService (KServe 0.20) cannot carry, and what to write instead."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from gpuspec.manifests import Path
from gpuspec.plan import constraints, exposed
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.distribution import most_replicas
from gpuspec.spec import InferenceSpec
from gpuspec.spec.layout import LONGEST

PORT = 8000
"""Where KServe's Service and its pools look for the server: no field changes it."""
DEPLOYMENT, GROUPS = "-kserve", "-kserve-mn"
"""What it puts behind the name for its Deployment, and for its LeaderWorkerSet."""
LWS = "lws"
_HASH = 10
_TEMPLATE = "{{"


def refused(case: Case) -> list[Refused]:
    """All reasons at once."""
    spec = case.spec
    assert isinstance(spec, InferenceSpec)
    return [
        *_name(case, spec),
        *_model(case, spec),
        *_server(case, spec),
        *_probes(case, spec),
        *_rollout(case, spec),
        *_groups(case, spec),
        *_constraint(case),
        *_templates(case),
    ]


def _name(case: Case, spec: InferenceSpec) -> Iterator[Refused]:
    """A name from which no others can be made as they are."""
    place = case.workload.place(("metadata", "name"))
    longest, shape, what = len(case.name + DEPLOYMENT), f"<name>{DEPLOYMENT}", "its Deployment"
    if spec.nodes > 1:
        longest = len(f"{case.name}{GROUPS}-{most_replicas(spec) - 1}-") + _HASH
        shape, what = f"<name>{GROUPS}-<group>-<hash>", "a label of its pods"
    if (over := longest - LONGEST) > 0:
        text = f"{what} would have {longest} characters, {over} too many"
        yield Refused(text, place, f"it is {shape}, {LONGEST} characters at most")


def _model(case: Case, spec: InferenceSpec) -> Iterator[Refused]:
    if spec.model is None:
        text = "an LLMInferenceService says which model it serves, and the spec names none"
        yield Refused(text, hint="write `model`, or choose another target")


def _server(case: Case, spec: InferenceSpec) -> Iterator[Refused]:
    """A server that KServe would start otherwise, or look for elsewhere."""
    launch = case.runtime.launch
    if not spec.command and not (launch and launch.command):
        text = (
            f"nothing says the command of {case.runtime.title}, and without one KServe's preset starts "
            "vLLM in the image"
        )
        yield Refused(text, case.workload.place(("spec", "runtime")), "write `command`")
    front = exposed.front(spec)
    port = front or spec.expose.container_port or _own_port(case, spec)
    if port != PORT:
        who, hint = (
            ("the server", f"write expose.containerPort: {PORT}")
            if front is None
            else (
                "what stands before it",
                f"let the sidecar listen on {PORT}, and the server elsewhere",
            )
        )
        text = f"KServe sends requests to port {PORT} of its pods, and {who} listens on {port}"
        yield Refused(text, case.workload.place(("spec", "expose")), hint)


def _own_port(case: Case, spec: InferenceSpec) -> int | None:
    return case.runtime.ports[0].number if case.runtime.ports else spec.expose.port


def _probes(case: Case, spec: InferenceSpec) -> Iterator[Refused]:
    """Probes of another kind than a preset has: one with both is refused by the API server."""
    for field in ("startup", "readiness", "liveness"):
        asked = getattr(spec.probes, field)
        if asked is not None and not asked.path:
            text = (
                f"KServe's preset has a {field} probe by HTTP, and the API server takes no probe that "
                "asks in two ways"
            )
            place = case.workload.place(("spec", "probes", field))
            yield Refused(text, place, "write `path`, or choose another target")
    if case.runtime.probes is None and spec.probes.liveness is None:
        text = (
            "KServe's preset adds a liveness probe that asks for /health, unless the spec has one"
        )
        yield Refused(text, case.workload.place(("spec", "probes")), "write probes.liveness")


def _rollout(case: Case, spec: InferenceSpec) -> Iterator[Refused]:
    """Bounds that KServe does not pass on; those that its groups have anyway are fine."""
    asked = spec.rollout
    bounds: Mapping[str, int | None] = {"surge": asked.surge, "unavailable": asked.unavailable}
    usual = {"surge": 0, "unavailable": 1} if spec.nodes > 1 else {}
    of = "LeaderWorkerSet" if spec.nodes > 1 else "Deployment"
    for field, value in bounds.items():
        if value is not None and value != usual.get(field):
            text = f"KServe gives its {of} no bounds of a rollout"
            place = case.workload.place(("spec", "rollout", field))
            yield Refused(text, place, f"delete `rollout.{field}`, or choose another target")
    if asked.deadline is not None:
        text = f"KServe gives its {of} no deadline for a rollout"
        place = case.workload.place(("spec", "rollout", "deadline"))
        yield Refused(text, place, "delete `rollout.deadline`")


def _groups(case: Case, spec: InferenceSpec) -> Iterator[Refused]:
    """Of replicas on several nodes: who makes their pods."""
    if spec.nodes == 1:
        return
    if LWS not in case.profile.spec.installed:
        text = (
            "of a model on several nodes KServe makes a LeaderWorkerSet, and the profile lists none"
        )
        hint = f'say so in the profile, installed: {{{LWS}: "0.9"}}'
        yield Refused(text, case.workload.place(("spec", "nodes")), hint)


def _constraint(case: Case) -> Iterator[Refused]:
    """A constraint of OpenShift under which no pod may say what a preset says."""
    held = constraints.held(case)
    if held is not None and not held.seccomp:
        yield Refused(f"KServe's preset names a seccomp profile, which {held.constraint} forbids")


def _templates(case: Case) -> Iterator[Refused]:
    """Text in which KServe would look for templates of Go; all of the object is one to it."""
    model = case.workload.model
    said = {"metadata": {"annotations": model.metadata.annotations}, "spec": model.spec}
    for path in _opening(msgspec.to_builtins(said, enc_hook=str), ()):
        text = f"KServe takes `{_TEMPLATE}` for a template of its own, here and wherever it stands"
        yield Refused(text, case.workload.place(path), "put the text into a file of a ConfigMap")


def _opening(value: Any, path: Path) -> Iterator[Path]:
    """Where a text opens one."""
    if isinstance(value, str):
        if _TEMPLATE in value:
            yield path
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _opening(inner, (*path, key))
    elif isinstance(value, Sequence):
        for index, inner in enumerate(value):
            yield from _opening(inner, (*path, index))
