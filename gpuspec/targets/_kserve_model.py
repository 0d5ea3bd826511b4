"""An InferenceService of a model and a runtime of the platform. Sources: how KServe 0.20 merges
both (`MergePodSpec`, `MergeRuntimeContainers`), and how it reads `storageUri`.

The fields of the pod are the predictor's, merged over the runtime's; those of the server's
container are the model's, whose arguments follow the runtime's own.
"""

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec.structs import replace

from gpuspec.manifests import Path
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_profile, from_spec
from gpuspec.plan.facets import ContainerPlan, NodeMap, PodPlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.spec import InferenceSpec, ModelRef
from gpuspec.spec.runtimes import ServingRuntime

ADDED: Final = "added"
"""Merged over the runtime's fields."""
OF_RUNTIME: Final = "the runtime's"
CONTAINER = {
    **dict.fromkeys(ContainerPlan.__struct_fields__, ADDED),
    "name": OF_RUNTIME,
    "command": OF_RUNTIME,
    "restart_policy": OF_RUNTIME,
}
"""Fields of the server's container that a model merges over those of its runtime."""
_SECOND = ("vLLM", "triton")
"""Formats whose servers speak version 2 of the protocol, in KServe's view."""
_FOLDER = "models"
"""The folder of an image that KServe mounts."""


class ModelPlan(msgspec.Struct, frozen=True):
    """The model of a predictor."""

    format: NodeMap
    runtime: PlanPart
    uri: PlanPart
    protocol: PlanPart
    container: ContainerPlan


def model(resolution: Resolution, starter: ServingRuntime, pod: PodPlan) -> ModelPlan:
    """Return the model that a runtime serves, with the workload's fields of its container."""
    path: Path = ("spec", "runtimes", "serving", resolution.runtime.name)
    main = pod.containers[0]
    runtime_fields = {field: None for field, how in CONTAINER.items() if how == OF_RUNTIME}
    why = f"a format of {starter.kind} {starter.name}"
    return ModelPlan(
        format={"name": from_profile((*path, "modelFormat"), starter.model_format, why)},
        runtime=from_profile((*path, "name"), starter.name, "the platform's runtime starts it"),
        uri=_uri(resolution),
        protocol=derived("kserve", "v2", "KServe's own value for servers of this format")
        if starter.model_format in _SECOND
        else None,
        container=replace(main, **runtime_fields),
    )


def beside(pod: PodPlan) -> PodPlan:
    """Return the pod without the server, whose container is the model's."""
    return replace(pod, containers=pod.containers[1:])


def _uri(resolution: Resolution) -> Decision:
    """Return where KServe finds the weights."""
    assert resolution.model is not None
    path, ref = resolution.model
    source = ref.source
    inside = f"/{source.path}" if source.path else ""
    if source.pvc:
        why = "KServe mounts this folder read-only"
        return from_spec((*path, "source", "pvc"), f"pvc://{source.pvc}{inside}", why)
    if source.image:
        why = "KServe mounts the folder `models` of the image"
        return from_spec((*path, "source", "image"), f"oci+native://{source.image}", why)
    revision = f":{ref.revision}" if ref.revision else ""
    why = "KServe downloads it before the server starts"
    return from_spec((*path, "id"), f"hf://{ref.id}{revision}", why)


def refused(resolution: Resolution, starter: ServingRuntime) -> list[RefusalReason]:
    """Return refusals for settings of the server that the runtime decides, and for models that
    KServe does not find."""
    spec = resolution.spec
    assert isinstance(spec, InferenceSpec)
    violations = list(_started(spec, starter))
    if resolution.model is None:
        text = f"runtime {starter.name} serves a model, but the spec has none"
        violations.append((("spec",), text, "write `model`, or target: deployment"))
    else:
        violations += _model(*resolution.model)
    return [
        RefusalReason(text, resolution.workload.place(path), hint)
        for path, text, hint in violations
    ]


_Said = tuple[Path, str, str]


def _started(spec: InferenceSpec, starter: ServingRuntime) -> Iterator[_Said]:
    fault = f"runtime {starter.name} of the profile starts the server"
    if spec.command:
        hint = (
            "delete `command`: the runtime's arguments come first, then `args`; or write "
            "target: deployment"
        )
        yield ("spec", "command"), fault, hint
    port = spec.expose.container_port
    if port not in (None, starter.port):
        text = f"{fault}, which listens on {starter.port}"
        yield ("spec", "expose", "containerPort"), text, "delete it"
    if spec.expose.ports:
        text = f"{fault}, and opens only port {starter.port}"
        yield ("spec", "expose", "ports"), text, "delete `ports`, or write target: deployment"


def _model(path: Path, ref: ModelRef) -> Iterator[_Said]:
    source, at = ref.source, (*path, "source")
    if source.host_path:
        text = "KServe loads models from claims, images and hubs, not from folders of nodes"
        yield (*at, "hostPath"), text, "use `pvc`, `image` or `hub`, or write target: deployment"
    if source.mount:
        text = "KServe mounts the model where the runtime looks for it"
        yield (*at, "mount"), text, "delete `mount`"
    if source.image and source.path != _FOLDER:
        text = f"KServe loads a model in an image from the folder `{_FOLDER}` only"
        yield (*at, "path"), text, f"write `path: {_FOLDER}`, or target: deployment"
    hub = source.hub
    if hub is not None and hub.cache:
        text = "KServe downloads the model again for each pod, and cannot use `cache`"
        yield (
            (*at, "hub", "cache"),
            text,
            "delete `cache`, or put the model into a PersistentVolumeClaim: `pvc`",
        )
    if hub is not None and hub.token_secret:
        text = "KServe downloads the model with the Secrets of the pod's ServiceAccount"
        hint = "list the Secret in the ServiceAccount of `serviceAccount`, and delete it here"
        yield (*at, "hub", "tokenSecret"), text, hint


def notes(resolution: Resolution, starter: ServingRuntime) -> list[Note]:
    """Return notes on who starts the server, and what initializes the pods."""
    path: Path = ("spec", "runtimes", "serving", resolution.runtime.name)
    note_list = [
        Note(
            f"{starter.kind} {starter.name} starts the server with its own command, which "
            f"decides the served name of the model and the port: {starter.port} is assumed",
            Origin("profile", path),
            loud=True,
        )
    ]
    if resolution.model is not None and resolution.model[1].source.hub is not None:
        text = "KServe's storage initializer runs first in each pod, with its own image and limits"
        note_list.append(Note(text, Origin("spec", (*resolution.model[0], "source"))))
    return note_list
