"""Deployments, replica sets, stateful sets, daemon sets.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.numbers import read_signed
from gpuspec.validation.apiserver import core_volumes, relations_of, selectors
from gpuspec.validation.apiserver.controlled import POD, endless
from gpuspec.validation.apiserver.reading import inner, maps, refused, share
from gpuspec.validation.violation import placed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_ROLLBACK = "deprecated.deployment.rollback.to"
_PROGRESS = 600
"""The progress deadline of a Deployment by default, in seconds."""


def daemon_update(rolling: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that an update either removes pods first or adds them first."""
    unavailable, surge = share(rolling.get("maxUnavailable"), 1), share(rolling.get("maxSurge"), 0)
    if unavailable and surge:
        yield refused(
            ("maxSurge",),
            "it cannot be set with a `maxUnavailable` above 0",
            "write `maxUnavailable: 0`; the default is 1",
        )
    elif not unavailable and not surge:
        yield _stuck()


def deployment_update(rolling: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that an update can remove a pod, or add one."""
    if not share(rolling.get("maxUnavailable"), 1) and not share(rolling.get("maxSurge"), 1):
        yield _stuck()


def deployment(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a Deployment's deadline is longer than a pod needs to count as ready."""
    ready, progress = spec.get("minReadySeconds") or 0, spec.get("progressDeadlineSeconds")
    if (_PROGRESS if progress is None else progress) <= ready:
        more = f"more than `minReadySeconds`, which is {ready}"
        message = f"its default is {_PROGRESS}, and it must be {more}"
        yield refused(
            ("progressDeadlineSeconds",),
            message if progress is None else f"expected {more}, not {progress}",
        )


def rolled_back(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a revision is a number of at least 0."""
    found = inner(value, "metadata", "annotations").get(_ROLLBACK)
    if found and ((revision := read_signed(found)) is None or revision < 0):
        yield refused(("metadata", "annotations", _ROLLBACK), "expected the number of a revision")


def selected(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the selector matches the pods of the template, and not all pods."""
    if violation := selectors.empty(spec) or selectors.of_template(spec):
        yield violation


def mounted(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that pods mount only their own volumes and those of claim templates."""
    pod = inner(spec, *POD)
    names = []
    for number, claim_template in maps(spec, "volumeClaimTemplates"):
        names.append(inner(claim_template, "metadata").get("name"))
        if not names[-1]:
            path = ("volumeClaimTemplates", number, "metadata", "name")
            yield refused(path, "it is missing: the pods' volume has its name")
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
    volumes += [volume for _, volume in maps(pod, "volumes") if volume.get("name") not in names]
    for mount in core_volumes.mounts({**pod, "volumes": volumes}, version):
        yield placed(POD, mount)


def _stuck() -> SchemaViolation:
    return refused(
        ("maxUnavailable",), "it cannot be 0 if `maxSurge` is 0: no pod could be replaced"
    )


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "apps.v1.DaemonSetSpec": (selected, endless),
    "apps.v1.Deployment": (rolled_back,),
    "apps.v1.DeploymentSpec": (selected, endless, deployment),
    "apps.v1.ReplicaSetSpec": (selected, endless),
    "apps.v1.StatefulPod": tuple(
        relation
        for relation in relations_of("io.k8s.api.core.v1.PodSpec")
        if relation is not core_volumes.mounts
    ),
    "apps.v1.StatefulSetSpec": (selected, endless, mounted),
    "apps.v1.RollingUpdateDaemonSet": (daemon_update,),
    "apps.v1.RollingUpdateDeployment": (deployment_update,),
}
