"""Ray clusters, jobs and services.

Source: github.com/ray-project/kuberay v1.6.2, ray-operator/controllers/ray/utils/validation.go,
which the controllers call before they create anything; they write its message into the status.
Rules of the linter check the bounds of replicas, that resources are set in one place, and that a
job has a cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import inner, maps, refused
from gpuspec.validation.operators import kuberay_jobs, kuberay_options
from gpuspec.validation.violation import placed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_POD = ("template", "spec")
_HEAD = ("headGroupSpec", *_POD)
_V2 = "RAY_enable_autoscaler_v2"


def cluster(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check a RayCluster."""
    yield from _cluster(value, ("spec",))


def job(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check a RayJob, and the cluster that it makes."""
    yield from kuberay_jobs.job(inner(value, "spec"))
    if inner(value, "spec").get("rayClusterSpec") is not None:
        yield from _cluster(value, ("spec", "rayClusterSpec"))


def service(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check a RayService, and the clusters that it makes."""
    yield from _cluster(value, ("spec", "rayClusterConfig"))
    options = inner(value, "spec", "rayClusterConfig", "authOptions")
    if options.get("enableK8sTokenAuth"):
        yield refused(
            ("spec", "rayClusterConfig", "authOptions", "enableK8sTokenAuth"),
            "a RayService cannot have it",
        )
    head = inner(value, "spec", "rayClusterConfig", "headGroupSpec", "headService", "metadata")
    if head.get("name"):
        yield refused(
            ("spec", "rayClusterConfig", "headGroupSpec", "headService", "metadata", "name"),
            "KubeRay sets the name of the head's Service itself",
            "remove the name",
        )


def _cluster(value: Map, inside: Path) -> Iterator[SchemaViolation]:
    spec, notes = inner(value, *map(str, inside)), inner(value, "metadata", "annotations")
    for group in (*_groups(spec), *_scaling(spec), *kuberay_options.options(spec, notes)):
        yield placed(inside, group)


def _groups(spec: Map) -> Iterator[SchemaViolation]:
    scales = spec.get("enableInTreeAutoscaling") is True
    groups: list[tuple[Path, Map]] = [(("headGroupSpec",), inner(spec, "headGroupSpec"))]
    groups += [
        (("workerGroupSpecs", at), worker_group_spec)
        for at, worker_group_spec in maps(spec, "workerGroupSpecs")
    ]
    for path, group in groups:
        if not inner(group, *_POD).get("containers"):
            yield refused((*path, *_POD, "containers"), "a group needs a container")
        if "labels" in inner(group, "rayStartParams"):
            yield refused(
                (*path, "rayStartParams", "labels"),
                "set labels in the group's own field `labels`",
            )
    for path, group in groups[1:]:
        if group.get("suspend") is True and scales:
            yield refused(
                (*path, "suspend"),
                "a group cannot be suspended while the autoscaler is on",
            )


def _scaling(spec: Map) -> Iterator[SchemaViolation]:
    """Check the version of the autoscaler, and the restart policies that version 2 needs."""
    options = inner(spec, "autoscalerOptions")
    second = options.get("version") == "v2"
    where, value = kuberay_options.variable(spec, _V2)
    is_requested = value in ("1", "true")
    if spec.get("enableInTreeAutoscaling") is True:
        if options.get("version") is not None and where:
            yield refused(where, f"`autoscalerOptions.version` sets it too: omit `{_V2}`")
        if second:
            yield from _restarting(spec)
    elif is_requested:
        yield refused(where, f"`{_V2}` needs `enableInTreeAutoscaling: true`")
    for at, group in maps(spec, "workerGroupSpecs"):
        if group.get("idleTimeoutSeconds") is not None and not second and not is_requested:
            yield refused(
                ("workerGroupSpecs", at, "idleTimeoutSeconds"),
                "a group's own timeout needs `autoscalerOptions.version: v2`",
            )


def _restarting(spec: Map) -> Iterator[SchemaViolation]:
    groups: list[tuple[Path, Map]] = [(_HEAD, inner(spec, *_HEAD))]
    groups += [
        (("workerGroupSpecs", at, *_POD), inner(worker_group_spec, *_POD))
        for at, worker_group_spec in maps(spec, "workerGroupSpecs")
    ]
    for path, pod in groups:
        if pod.get("restartPolicy") not in (None, "", "Never"):
            yield refused(
                (*path, "restartPolicy"),
                "expected `Never`, because the autoscaler v2 replaces pods itself",
            )


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "ray.v1.RayCluster": (cluster,),
    "ray.v1.RayJob": (job,),
    "ray.v1.RayService": (service,),
}
