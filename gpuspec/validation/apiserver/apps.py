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
"""Seconds that a Deployment may take where it does not say."""


def daemon_update(rolling: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that an update takes pods away first or adds them first, not both and not neither."""
    unavailable, surge = share(rolling.get("maxUnavailable"), 1), share(rolling.get("maxSurge"), 0)
    if unavailable and surge:
        yield refused(
            ("maxSurge",),
            "it cannot be there with a `maxUnavailable` above 0",
            "write `maxUnavailable: 0`, which is 1 if it is left out",
        )
    elif not unavailable and not surge:
        yield _stuck()


def deployment_update(rolling: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that an update can take away a pod, or add one."""
    if not share(rolling.get("maxUnavailable"), 1) and not share(rolling.get("maxSurge"), 1):
        yield _stuck()


def deployment(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a Deployment has longer than a pod needs to count as ready."""
    ready, progress = spec.get("minReadySeconds") or 0, spec.get("progressDeadlineSeconds")
    if (_PROGRESS if progress is None else progress) <= ready:
        more = f"more than the {ready} of `minReadySeconds`"
        message = f"it is {_PROGRESS} where it is not there, and must be {more}"
        yield refused(
            ("progressDeadlineSeconds",),
            message if progress is None else f"expected {more}, not {progress}",
        )


def rolled_back(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a revision is a number that is not negative."""
    found = inner(value, "metadata", "annotations").get(_ROLLBACK)
    if found and ((revision := read_signed(found)) is None or revision < 0):
        yield refused(("metadata", "annotations", _ROLLBACK), "expected the number of a revision")


def selected(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that pods are what the selector takes, and nobody selects all."""
    if violation := selectors.empty(spec) or selectors.of_template(spec):
        yield violation


def mounted(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that pods have the volumes of their claims beside their own."""
    pod = inner(spec, *POD)
    names = []
    for number, one in maps(spec, "volumeClaimTemplates"):
        names.append(inner(one, "metadata").get("name"))
        if not names[-1]:
            path = ("volumeClaimTemplates", number, "metadata", "name")
            yield refused(path, "it is missing: the pods' volume is called so")
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
    volumes += [volume for _, volume in maps(pod, "volumes") if volume.get("name") not in names]
    for mount in core_volumes.mounts({**pod, "volumes": volumes}, version):
        yield placed(POD, mount)


def _stuck() -> SchemaViolation:
    return refused(("maxUnavailable",), "it cannot be 0 where `maxSurge` is 0: nothing could move")


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
