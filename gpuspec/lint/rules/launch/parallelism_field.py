"""Parallelism in an operator's object over another number of GPUs than its pods have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import mapping, whole
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU747",
    "parallelism-field",
    "error",
    "An LLMInferenceService's parallelism does not match its pods' GPUs",
)
_ACROSS = ("pipeline", "data")
"""Degrees over several pods. KServe tells the engine of them only where there is `worker`."""
_MORE = "VLLM_ADDITIONAL_ARGS"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield `parallelism` against the GPUs of the one pod that there is without `worker`."""
    for base in (("spec",), ("spec", "prefill")):
        part = mapping(obj.spec.get("prefill")) if base[-1] == "prefill" else obj.spec
        degrees = mapping(part.get("parallelism"))
        tensor = whole(degrees.get("tensor"), 1)
        if tensor is None or "worker" in part:
            continue
        path = obj.path(*base, "template")
        pods = [pod for pod in obj.pods if pod.base == path]
        gpus = sum(pod.gpus for pod in pods)
        at = obj.path(*base, "parallelism")
        if gpus and tensor > gpus:
            yield _too_many(at, tensor, gpus)
        elif not obj.spec.get("baseRefs") and all(map(_is_told_by_kserve, pods)):
            yield from _unused(at, degrees, tensor, gpus)


def _too_many(at: Path, tensor: int, gpus: int) -> RawFinding:
    return RawFinding(
        (*at, "tensor"),
        f"`tensor: {tensor}` needs {tensor} GPUs, but a pod has {gpus}: without `worker` there "
        "is only one pod, and the engine waits endlessly for others",
        note="use `pipeline` and a `worker` template to divide a model among the pods of a replica",
    )


def _unused(at: Path, degrees: dict[str, Any], tensor: int, gpus: int) -> Iterator[RawFinding]:
    """Yield degrees of which the engine does not hear, and GPUs that it does not use."""
    passed_over = next((name for name in _ACROSS if (whole(degrees.get(name), 1) or 1) > 1), None)
    idle_gpus = gpus - tensor
    if passed_over is None and idle_gpus <= 0:
        return
    message = f"the engine runs with `tensor: {tensor}`"
    if idle_gpus > 0:
        message += f", and {idle_gpus} of the pod's {gpus} GPUs {'stay' if idle_gpus > 1 else 'stays'} idle"
    if passed_over is not None:
        ignored_field = f"`{passed_over}: {degrees[passed_over]}`"
        message = f"without `worker` KServe ignores {ignored_field}: {message}"
    yield RawFinding(
        at if passed_over is None else (*at, passed_over),
        message,
        note=f"write `tensor: {gpus}` to use all GPUs, or request fewer"
        if idle_gpus > 0
        else "add `worker`, the template of the replica's other pods",
        severity="warning",
        confidence="likely",
    )


def _is_told_by_kserve(pod: Pod) -> bool:
    """Return whether nothing but `parallelism` tells the engine how to divide its model."""
    return not any(
        container.value.get("command") or container.value.get("args") or _MORE in container.env
        for container in pod.containers
    )
