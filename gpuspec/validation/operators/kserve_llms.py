"""KServe's LLMInferenceServices, their scaling and their routes.

Source: github.com/kserve/kserve v0.20.0,
pkg/apis/serving/v1alpha2/llm_inference_service_validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests import dns_label, dns_subdomain
from gpuspec.numbers import read_whole
from gpuspec.validation.apiserver.reading import amount, inner, maps, named, number, refused
from gpuspec.validation.operators import urls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_SPEC, _PREFILL, _ROUTER = ("spec",), ("spec", "prefill"), ("spec", "router")
_DRA = "serving.kserve.io/exp-dra-"


def workloads(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that each workload has one form of parallelism. The definition checks scaling, except
    for both workloads together.
    """
    spec = inner(value, "spec")
    for path, workload in ((_SPEC, spec), (_PREFILL, spec.get("prefill"))):
        if workload is not None:
            yield from _divided(workload, path)
            yield from _tiers(inner(workload, "kvCacheOffloading"), (*path, "kvCacheOffloading"))
    by = [_actuator(spec), _actuator(inner(spec, "prefill"))]
    if None not in by and by[0] != by[1]:
        message = f"{by[0]} scales the decode part: both parts need the same scaler"
        yield refused((*_PREFILL, "scaling", "wva"), message)


def _actuator(workload: Map) -> str | None:
    wva = inner(workload, "scaling").get("wva")
    return None if wva is None else "HPA" if wva.get("hpa") is not None else "KEDA"


def _divided(workload: Map, path: Path) -> Iterator[SchemaViolation]:
    parallelism, where = workload.get("parallelism"), (*path, "parallelism")
    sizes = parallelism or {}
    data = any(number(sizes, field, 0) > 0 for field in ("data", "dataLocal"))
    pipeline = number(sizes, "pipeline", 0) > 0
    if workload.get("worker") is not None and not data and not pipeline:
        yield refused(
            (*path, "worker"), "workers need `parallelism` with `pipeline`, or with `data`"
        )
    if data and pipeline:
        yield refused(where, "`pipeline` excludes `data` and `dataLocal`")
    for first, second in (("data", "dataLocal"), ("dataLocal", "data")):
        if sizes.get(first) is not None and sizes.get(second) is None:
            yield refused((*where, second), f"it is missing, but `{first}` needs it")
    for field in ("pipeline", "data", "dataLocal"):
        if number(sizes, field, 1) < 1:
            yield refused((*where, field), f"expected at least 1, not {sizes[field]}")


def _tiers(cache: Map, path: Path) -> Iterator[SchemaViolation]:
    """Check the storage of the KV cache outside the GPU."""
    for index, tier in maps(cache, "secondary"):
        if not amount(cache.get("cpu")):
            yield refused((*path, "cpu"), "expected more than 0, which `secondary` needs")
        where, files = (*path, "secondary", index, "fileSystem"), tier.get("fileSystem")
        if files is None:
            yield refused(where, "it is missing")
            continue
        yield from _one_of(files, ("emptyDir", "pvc"), where)
        claim = files.get("pvc")
        if claim is not None and files.get("emptyDir") is None:
            yield from _one_of(claim, ("spec", "ref"), (*where, "pvc"))
            ref = claim.get("ref")
            if ref is not None and claim.get("spec") is None and not ref.get("name"):
                yield refused((*where, "pvc", "ref", "name"), "it is missing")


def _one_of(value: Map, fields: tuple[str, ...], path: Path) -> Iterator[SchemaViolation]:
    if sum(value.get(field) is not None for field in fields) != 1:
        yield refused(path, f"it needs one of {named(fields)}")


def routing(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that routes, and the gateways that they refer to, are either KServe's or the user's."""
    router = inner(value, *_ROUTER)
    route, path = inner(router, "route"), (*_ROUTER, "route")
    yield from _http(inner(route, "http"), router, (*path, "http"))
    yield from _traffic(route, router, path)
    scheduler, where = inner(router, "scheduler"), (*_ROUTER, "scheduler")
    if number(scheduler, "replicas", 1) < 1:
        yield refused((*where, "replicas"), f"expected at least 1, not {scheduler['replicas']}")
    config = scheduler.get("config")
    if config is not None:
        yield from _one_of(config, ("inline", "ref"), (*where, "config"))
        if config.get("inline") == {}:
            yield refused((*where, "config", "inline"), "it is empty")
        if config.get("ref") is not None and not config["ref"].get("name"):
            yield refused((*where, "config", "ref", "name"), "it is missing")


def _http(http: Map, router: Map, path: Path) -> Iterator[SchemaViolation]:
    gateway, refs, spec = router.get("gateway"), http.get("refs"), http.get("spec")
    if refs and spec is not None:
        yield refused(path, "`refs` and `spec` exclude each other")
    if refs and gateway is not None and not gateway.get("refs"):
        yield refused((*path, "refs"), "the user's own routes need `gateway.refs`, or no `gateway`")
    parents, gateways = inner(http, "spec").get("parentRefs"), inner(router, "gateway").get("refs")
    if parents and gateways and _named(parents) != _named(gateways):
        yield refused((*path, "spec"), "its `parentRefs` differ from `gateway.refs`: omit them")


def _named(refs: list[Map]) -> list[tuple[str, ...]]:
    return sorted(
        tuple(str(ref.get(field) or "") for field in ("namespace", "name", "sectionName"))
        for ref in refs
        if ref is not None
    )


def _traffic(route: Map, router: Map, path: Path) -> Iterator[SchemaViolation]:
    """Check that traffic is divided among the services of a group by weight."""
    present = [field for field in ("group", "weight") if route.get(field) is not None]
    if not present:
        return
    if router.get("ingress") is not None:
        yield refused((*path, "group"), "an Ingress cannot divide traffic")
    elif len(present) == 1:
        missing = "weight" if present == ["group"] else "group"
        yield refused((*path, missing), f"it is missing, but `{present[0]}` needs it")
    elif inner(route, "http").get("refs"):
        yield refused((*path, "group"), "KServe divides only the traffic of its own routes")


def models(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the model and each adapter have a location."""
    model, path = inner(value, "spec", "model"), ("spec", "model")
    yield from _located(model.get("uri"), (*path, "uri"))
    for index, adapter in maps(inner(model, "lora"), "adapters"):
        yield from _located(adapter.get("uri"), (*path, "lora", "adapters", index, "uri"))


def _located(uri: object, path: Path) -> Iterator[SchemaViolation]:
    if isinstance(uri, str):
        if problem := urls.problem(uri):
            yield refused(path, f"expected a URL: {problem}")
    elif uri is not None:
        yield refused(path, "expected a URL")


def adapters(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that adapters have unique names."""
    model, path = inner(value, "spec", "model"), ("spec", "model", "lora")
    lora = inner(model, "lora")
    for field in ("maxRank", "maxAdapters", "maxCpuAdapters"):
        if number(lora, field, 1) < 1:
            yield refused((*path, field), f"expected at least 1, not {lora[field]}")
    base = model.get("name")
    base = inner(value, "metadata").get("name") if base is None else base
    # The definition does not say what an adapter is.
    listed = lora.get("adapters") or []
    if not isinstance(listed, list) or not all(isinstance(item or {}, dict) for item in listed):
        yield refused((*path, "adapters"), "expected a list of maps")
        return
    names_seen: set[str] = set()
    for index, adapter in enumerate(adapter or {} for adapter in listed):
        name, where = adapter.get("name"), (*path, "adapters", index, "name")
        if not isinstance(name, str) or not name:
            yield refused(where, "expected a name")
        elif name in (".", ".."):
            yield refused(where, f"`{name}` is not a valid folder name")
        elif name in names_seen:
            yield refused(where, f"another adapter has the name `{name}` too")
        elif name == base:
            yield refused(where, f"the model has the name `{name}` too")
        else:
            names_seen.add(name)


def devices(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that annotations for device claims name a class."""
    annotations, path = inner(value, "metadata", "annotations"), ("metadata", "annotations")
    device_settings = {
        key.removeprefix(_DRA): str(text or "").strip()
        for key, text in annotations.items()
        if key.startswith(_DRA)
    }
    kind = device_settings.get("device-class")
    if kind is None and device_settings.keys() & {"device-count", "cel-selector", "container-name"}:
        yield refused(
            (*path, f"{_DRA}device-class"), "it is missing, but the other annotations need it"
        )
    for key, problem in (
        ("device-class", dns_subdomain(kind) if kind else "is empty"),
        ("container-name", dns_label(device_settings.get("container-name", "")) or None),
        ("cel-selector", None if device_settings.get("cel-selector") else "is empty"),
    ):
        if key in device_settings and problem:
            yield refused((*path, f"{_DRA}{key}"), f"it {problem}")
    count = device_settings.get("device-count")
    if count and (read_whole(count) or 0) < 1:
        yield refused(
            (*path, f"{_DRA}device-count"), f"expected a number of at least 1, not `{count}`"
        )


LLMS: tuple[Relation, ...] = (workloads, routing, models, adapters, devices)
