"""Objects that a profile names, and that others create."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec import hardware
from gpuspec.drift.model import Difference, DriftRemark
from gpuspec.drift.objects import ExpectedObject, ask
from gpuspec.manifests.values import at, mapping, text
from gpuspec.spec.extends import PresetPlace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gpuspec.drift.dump import Dump, Kind
    from gpuspec.manifests import Path
    from gpuspec.spec import Pool, Profile

_KUEUE, _TRAINER, _KSERVE = "kueue.x-k8s.io", "trainer.kubeflow.org", "serving.kserve.io"
_FEATURES = ("", "ConfigMap")
_SERVICE: Kind = ("apiregistration.k8s.io", "APIService")
_APIS = {
    "custom-metrics": "custom.metrics.k8s.io",
    "external-metrics": "external.metrics.k8s.io",
    "keda": "external.metrics.k8s.io",
}
"""The API that autoscalers read, by source of metrics."""


def named(profile: Profile, rendered: Collection[tuple[Kind, str]]) -> Iterator[ExpectedObject]:
    """Yield each object that must exist, once.

    `rendered` has kinds and names of the objects of `cluster render`.
    """
    yielded: set[tuple[Kind, str, str]] = set()
    for kind, space, name, path in _named(profile):
        place = profile.place(path)
        is_known = (kind, space, name) in yielded or (kind, name) in rendered
        # What a preset knows of its provider need not be in every cluster of it.
        if is_known or isinstance(place, PresetPlace):
            continue
        yielded.add((kind, space, name))
        metadata = {"name": name, "namespace": space} if space else {"name": name}
        version = f"{kind[0]}/" if kind[0] else ""
        value = {"apiVersion": version, "kind": kind[1], "metadata": metadata}
        yield ExpectedObject(value, "named", str(place or ""))


def _named(profile: Profile) -> Iterator[tuple[Kind, str, str, Path]]:
    spec = profile.spec
    for index, pool in enumerate(spec.pools):
        if pool.runtime_class is not None:
            path: Path = ("spec", "pools", index, "runtimeClass")
            yield ("node.k8s.io", "RuntimeClass"), "", pool.runtime_class, path
        for name in _device_classes(pool):
            path = ("spec", "pools", index, "gpu", "dra")
            yield ("resource.k8s.io", "DeviceClass"), "", name, path
    roles = ("training", "batch_inference", "inference", "placeholder")
    classes = (*(getattr(spec.priorities, role) for role in roles), *spec.priorities.names.values())
    for name in classes:
        if name is not None:
            yield ("scheduling.k8s.io", "PriorityClass"), "", name, ("spec", "priorities")
    for name in spec.storage.classes:
        path = ("spec", "storage", "classes", name, "accessModes")
        yield ("storage.k8s.io", "StorageClass"), "", name, path
    for index, queue in enumerate(spec.queues):
        path = ("spec", "queues", index)
        for check in queue.admission_checks:
            yield (_KUEUE, "AdmissionCheck"), "", check.name, (*path, "admissionChecks")
        if queue.existing:
            yield (_KUEUE, "ClusterQueue"), "", queue.cluster, path
            for space in queue.namespaces:
                yield (_KUEUE, "LocalQueue"), space, queue.name, path
    if spec.gateway is not None and spec.gateway.name and spec.gateway.namespace:
        kind = ("gateway.networking.k8s.io", "Gateway")
        yield kind, spec.gateway.namespace, spec.gateway.name, ("spec", "gateway")
    training = spec.runtimes.training
    if training is not None and training.kind == "ClusterTrainingRuntime":
        path = ("spec", "runtimes", "training")
        yield (_TRAINER, training.kind), "", training.name, path
    for key, runtime in spec.runtimes.serving.items():
        if runtime.kind == "ClusterServingRuntime":
            path = ("spec", "runtimes", "serving", key)
            yield (_KSERVE, runtime.kind), "", runtime.name, path
    prometheus = None if spec.metrics is None else spec.metrics.prometheus
    if prometheus is not None and prometheus.authentication is not None:
        kind = ("keda.sh", "ClusterTriggerAuthentication")
        yield kind, "", prometheus.authentication.name, ("spec", "metrics")


def _device_classes(pool: Pool) -> Iterator[str]:
    """Yield the DeviceClasses for a pool's claims: its own, or else those of the vendor's driver."""
    driver = hardware.claim_driver(hardware.model(pool.gpu.model).vendor)
    if not pool.claimed or pool.gpu.dra is None or pool.gpu.memory is not None or driver is None:
        return
    if pool.gpu.dra.device_class is not None:
        yield pool.gpu.dra.device_class
        return
    if pool.whole_gpus:
        yield driver.whole
    if pool.shared_gpus:
        yield driver.partition or driver.whole


def present(expected_object: ExpectedObject, dump: Dump) -> Difference | None:
    """Return a difference if the named object does not exist; its contents do not count."""
    if dump.find(expected_object.kind, expected_object.namespace, expected_object.name) is not None:
        return None
    remark = DriftRemark("object", "the profile names it, but it must be created elsewhere")
    return Difference(
        "missing", "named", expected_object.title, (remark,), where=expected_object.where
    )


def settings(profile: Profile, dump: Dump) -> Iterator[Difference]:
    """Yield differences in settings of services: the source of metrics, and the pod fields that
    Knative accepts."""
    yield from _metrics(profile, dump)
    yield from _knative(profile, dump)


def _metrics(profile: Profile, dump: Dump) -> Iterator[Difference]:
    source = None if profile.spec.metrics is None else profile.spec.metrics.source
    if source is None or not dump.has(_SERVICE):
        return
    api = _APIS[source]
    if not any(at(api_service, ("spec", "group")) == api for api_service in dump.of(_SERVICE)):
        message = f"no adapter serves {api}, but the profile has metrics from `{source}`"
        where = str(profile.place(("spec", "metrics")) or "")
        yield Difference(
            "missing", "named", f"API {api}", (DriftRemark("object", message),), where=where
        )


def _knative(profile: Profile, dump: Dump) -> Iterator[Difference]:
    features = profile.spec.knative.features
    config_map: dict[str, Any] | None = dump.find(_FEATURES, "knative-serving", "config-features")
    if not features or config_map is None:
        return
    data = mapping(config_map.get("data"))
    off = [name for name in features if text(data.get(name)).lower() != "enabled"]
    if off:
        remark = DriftRemark("object", f"not enabled, and the profile has it: {', '.join(off)}")
        where = str(profile.place(("spec", "knative")) or "")
        name = "ConfigMap knative-serving/config-features"
        yield Difference("different", "named", name, (remark,), where=where)


def unasked(profile: Profile, dump: Dump) -> str | None:
    """Return the argument for `kubectl get` to learn the source of metrics; None if it is known or
    not needed."""
    if profile.spec.metrics is None or dump.has(_SERVICE):
        return None
    return ask(_SERVICE)
