"""KServe's InferenceServices and ServingRuntimes.

Source: github.com/kserve/kserve v0.20.0,
pkg/apis/serving/v1beta1/{inference_service_validation,inference_service_defaults,
component,predictor,predictor_custom}.go,
pkg/webhook/admission/servingruntime/servingruntime_webhook.go. Without an annotation the cluster
chooses how pods are deployed. Then checks that depend on the choice are skipped.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from gpuspec.manifests.json_loading import parse_json
from gpuspec.validation.apiserver.reading import inner, maps, named, number, refused
from gpuspec.validation.operators.kserve_canaries import canaries
from gpuspec.validation.operators.kserve_llms import LLMS
from gpuspec.validation.operators.kserve_scaling import OWN, scaling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_PREDICTOR = ("spec", "predictor")
_PARTS = ("predictor", "transformer", "explainer")
_FORMATS = (
    "sklearn",
    "tensorflow",
    "xgboost",
    "pytorch",
    "triton",
    "onnx",
    "huggingface",
    "pmml",
    "lightgbm",
    "paddle",
)
"""Fields for a model's format, in the order in which the webhook converts the first into `model`.
"""
_MAIN, _COLLOCATED = "kserve-container", "transformer-container"
_MOUNTED = "/mnt/models"
_BASIC = ("cpu", "memory", "storage", "ephemeral-storage")
_GPUS = ("nvidia.com/gpu", "amd.com/gpu", "intel.com/gpu", "habana.ai/gaudi")
_SIZES = {
    "PIPELINE_PARALLEL_SIZE": "pipelineParallelSize",
    "TENSOR_PARALLEL_SIZE": "tensorParallelSize",
}
_BARRED = "PYTHONPATH"
_RESOURCE = re.compile(r"kbs:///[a-zA-Z0-9_.-]+/[a-zA-Z0-9_.-]+/[a-zA-Z0-9_.-]+")


def parts(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that each part has one model or container, valid replicas and a valid scaler."""
    spec = inner(value, "spec")
    for part in _PARTS:
        component, path = spec.get(part), ("spec", part)
        if component is None:
            if part == "predictor":
                yield refused(path if spec else ("spec",), "the predictor is missing")
            continue
        ways = _ways(component, part)
        if len(ways) != 1:
            ways_found = f"not {named(ways)}" if ways else "but none is set"
            yield refused(path, f"a predictor needs exactly one model, or containers, {ways_found}")
        yield from _replicas(component, path)
        yield from scaling(value, component, path)
        yield from _uris(component, part, path)


def _ways(component: Map, part: str) -> list[str]:
    """Return the fields that set a model or containers."""
    containers = [(container or {}).get("name") for container in component.get("containers") or ()]
    if part != "predictor":
        ways = ["art"] if part == "explainer" and component.get("art") is not None else []
        return [*ways, "containers"] if containers else ways
    formats = [model_format for model_format in _FORMATS if component.get(model_format) is not None]
    ways = formats or (["model"] if component.get("model") is not None else [])
    # One of several containers beside a model is a transformer, say.
    mains = ["containers" for name in containers if name == _MAIN]
    return [*ways, *(mains or ([] if ways else ["containers"][: len(containers)]))]


def _replicas(component: Map, path: Path) -> Iterator[SchemaViolation]:
    least, most = number(component, "minReplicas", 1), number(component, "maxReplicas", 0)
    if least < 0:
        yield refused((*path, "minReplicas"), f"expected at least 0, not {least}")
    if most < 0:
        yield refused((*path, "maxReplicas"), f"expected at least 0, not {most}")
    elif most and least > most:
        message = f"the minimum, {least}, is above the maximum, {most}"
        yield refused((*path, "minReplicas"), message)
    if number(component, "containerConcurrency", 0) < 0:
        yield refused((*path, "containerConcurrency"), "expected at least 0")
    logger = component.get("logger")
    if logger is not None:
        if not logger.get("mode"):
            yield refused((*path, "logger", "mode"), "expected `all`, `request` or `response`")
        storage = logger.get("storage")
        for field in ("path", "parameters", "key"):
            if storage is not None and storage.get(field) is None:
                yield refused((*path, "logger", "storage", field), "it is missing")


def _uris(component: Map, part: str, path: Path) -> Iterator[SchemaViolation]:
    """Check that model locations can all be mounted."""
    uris = list(maps(component, "storageUris"))
    if component.get("storageUris") is not None and _uri(component, part) is not None:
        yield refused((*path, "storageUris"), "`storageUri` sets it too: keep one of them")
        return
    paths: list[str] = []
    claims: list[str] = []
    for index, one in uris:
        uri, mount = one.get("uri") or "", one.get("mountPath") or _MOUNTED
        where = (*path, "storageUris", index)
        if not uri:
            yield refused((*where, "uri"), "it is empty")
        if mount == "/" or not mount.startswith("/") or ".." in mount:
            yield refused(
                (*where, "mountPath"), "expected an absolute path below `/`, without `..`"
            )
        else:
            (claims if uri.startswith("pvc://") else paths).append(mount)
    if len(paths) > 1 and len(claims) > len(set(claims)):
        yield refused((*path, "storageUris"), "two claims have the same mount path")
    elif len(paths) > 1 and _common(paths) == "/":
        yield refused((*path, "storageUris"), "their mount paths have only `/` in common")


def _common(paths: list[str]) -> str:
    """Return the common parent folder of some paths."""
    steps = zip(*(path.strip("/").split("/") for path in paths), strict=False)
    return "/" + "/".join(
        column[0] for column in takewhile(lambda column: len(set(column)) == 1, steps)
    )


def _uri(component: Map, part: str) -> Any:
    """Return the location of a part's model, if it is set as a single one."""
    for field in (*_FORMATS, "model", "art"):
        if component.get(field) is not None:
            return component[field].get("storageUri")
    containers = [container for _, container in maps(component, "containers")]
    if part == "predictor":
        containers = [container for container in containers if container.get("name") == _MAIN]
    for container in containers[:1]:
        for _, variable in maps(container, "env"):
            if variable.get("name") == "STORAGE_URI":
                return variable.get("value") or ""
    return None


def service(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that users do not set names and variables that KServe reserves."""
    predictor = inner(value, *_PREDICTOR)
    for field in (*_FORMATS, "model"):
        if inner(predictor, field).get("name"):
            yield refused((*_PREDICTOR, field, "name"), "KServe reserves this container name")
        yield from _confidential(inner(predictor, field), (*_PREDICTOR, field))
    for place, container in _containers(value):
        yield from _barred(container, place)
    for index, container in maps(predictor, "containers"):
        if container.get("name") == _COLLOCATED:
            for at, variable in maps(container, "env"):
                if variable.get("name") == "STORAGE_URI":
                    inside = (*_PREDICTOR, "containers", index, "env", at)
                    yield refused(inside, "the predictor has the model, not its transformer")
    if _ways(predictor, "predictor") == ["containers"]:
        first = next((container for _, container in maps(predictor, "containers")), {})
        for at, variable in maps(first, "env"):
            if variable.get("name") == "PROTOCOL" and variable.get("value") not in ("v1", "v2"):
                yield refused(
                    (*_PREDICTOR, "containers", 0, "env", at, "value"), "expected `v1` or `v2`"
                )


def confidential(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the location of the key for a model that is decrypted inside the pod."""
    yield from _key(inner(value, "spec", "model"), ("spec", "model"))


def _confidential(model: Map, path: Path) -> Iterator[SchemaViolation]:
    if inner(model, "confidential").get("enabled") is True and not model.get("storageUri"):
        yield refused((*path, "confidential"), "it needs a `storageUri`")
    else:
        yield from _key(model, path)


def _key(model: Map, path: Path) -> Iterator[SchemaViolation]:
    confidential = inner(model, "confidential")
    if confidential.get("enabled") is not True:
        return
    if confidential.get("resourceId") and not _RESOURCE.fullmatch(confidential["resourceId"]):
        message = "expected `kbs:///<repository>/<type>/<tag>`"
        yield refused((*path, "confidential", "resourceId"), message)


def _containers(value: Map) -> Iterator[tuple[Path, Map]]:
    spec = inner(value, "spec")
    for part in _PARTS:
        component = inner(spec, part)
        for field in ("containers", "initContainers"):
            for index, container in maps(component, field):
                yield ("spec", part, field, index), container
        for field in ("model", *_FORMATS, "art"):
            if component.get(field) is not None:
                yield ("spec", part, field), component[field]
        for field in ("containers", "initContainers"):
            for index, container in maps(inner(component, "workerSpec"), field):
                yield ("spec", part, "workerSpec", field, index), container


def _barred(container: Map, path: Path) -> Iterator[SchemaViolation]:
    for index, variable in maps(container, "env"):
        if variable.get("name") == _BARRED:
            yield refused((*path, "env", index), f"KServe does not allow `{_BARRED}`")


def nodes(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check a model over several nodes: its parallelism, and the GPUs that KServe counts."""
    predictor = inner(value, *_PREDICTOR)
    workers = predictor.get("workerSpec")
    if workers is None:
        return
    annotations = inner(value, "metadata", "annotations")
    yield from _workers(workers, (*_PREDICTOR, "workerSpec"), annotations)
    field = next(
        (
            model_format
            for model_format in (*_FORMATS, "model")
            if predictor.get(model_format) is not None
        ),
        None,
    )
    if field is None:
        return
    model, path = predictor[field], (*_PREDICTOR, field)
    yield from _sizes(model, path)
    yield from _unknown_gpus(model, path, annotations)
    uri = model.get("storageUri")
    if uri is None:
        yield refused((*path, "storageUri"), "it is missing, but several nodes need it")
    elif uri.partition("://")[0] not in ("pvc", "oci"):
        yield refused(
            (*path, "storageUri"),
            "with several nodes, the model must come from `pvc://` or `oci://`",
        )
    key = f"{OWN}autoscalerClass"
    if annotations.get(key) != "none":
        yield refused(("metadata", "annotations", key), "expected `none` with several nodes")


def runtime(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check a runtime's containers and its workers."""
    spec = inner(value, "spec")
    if spec.get("disabled") is True:
        return
    workers, annotations = spec.get("workerSpec"), inner(spec, "annotations")
    for index, container in maps(spec, "containers"):
        path = ("spec", "containers", index)
        yield from _barred(container, path)
        if workers is not None and container.get("name") == _MAIN:
            yield from _sizes(container, path)
            yield from _unknown_gpus(container, path, annotations)
    if workers is not None:
        if not workers.get("containers"):
            yield refused(("spec", "workerSpec", "containers"), "expected one container, not 0")
        for index, container in maps(workers, "containers"):
            yield from _barred(container, ("spec", "workerSpec", "containers", index))
        yield from _workers(workers, ("spec", "workerSpec"), annotations)


def _workers(workers: Map, path: Path, annotations: Map) -> Iterator[SchemaViolation]:
    containers = list(maps(workers, "containers"))
    if len(containers) > 1:
        yield refused((*path, "containers"), f"expected one container, not {len(containers)}")
    for field in _SIZES.values():
        if number(workers, field, 1) < 1:
            yield refused((*path, field), f"expected at least 1, not {workers[field]}")
    for index, container in containers:
        yield from _unknown_gpus(container, (*path, "containers", index), annotations)


def _sizes(container: Map, path: Path) -> Iterator[SchemaViolation]:
    for index, variable in maps(container, "env"):
        field = _SIZES.get(variable.get("name") or "")
        if field is not None:
            message = f"with `workerSpec`, set the size in `workerSpec`: `{field}`"
            yield refused((*path, "env", index), message)


def _unknown_gpus(container: Map, path: Path, annotations: Map) -> Iterator[SchemaViolation]:
    """Yield resources that KServe does not recognize as GPUs."""
    known_resources = (*_BASIC, *_GPUS, *_told_gpus(annotations))
    for field in ("limits", "requests"):
        for name in inner(container, "resources", field):
            if name not in known_resources:
                yield refused(
                    (*path, "resources", field, name),
                    f"KServe recognizes `{name}` as a GPU only if the annotation "
                    f"`{OWN}gpu-resource-types` names it",
                )


def _told_gpus(annotations: Map) -> list[str]:
    try:
        resource_types = parse_json(annotations.get(f"{OWN}gpu-resource-types") or "[]")
    except ValueError:
        return []
    return resource_types if isinstance(resource_types, list) else []


ZERO: dict[str, dict[Path, str]] = {"serving.v1beta1.InferenceService": {}}
RELATIONS: dict[str, tuple[Relation, ...]] = {
    "serving.v1alpha1.ClusterServingRuntime": (runtime,),
    "serving.v1alpha1.LLMInferenceService": (*LLMS, confidential),
    "serving.v1alpha1.ServingRuntime": (runtime,),
    "serving.v1alpha2.LLMInferenceService": (*LLMS, confidential),
    "serving.v1beta1.InferenceService": (service, parts, nodes, canaries),
}
