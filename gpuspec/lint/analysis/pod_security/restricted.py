"""Violations of the level `restricted` that `baseline` allows.

Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/ and the checks of
k8s.io/pod-security-admission, as of 1.37.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kubernetes import BASELINE_CAPABILITIES, RESTRICTED_CAPABILITY
from gpuspec.lint.analysis.pod_security.model import (
    USER_NAMESPACES,
    LevelViolation,
    added,
)
from gpuspec.lint.model import Drop, Put
from gpuspec.manifests.values import items, mapping, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

# Volumes that `restricted` does not know; hostPath is refused by `baseline` already.
_OTHER_VOLUMES = {
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephfs",
    "cinder",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "gitRepo",
    "glusterfs",
    "iscsi",
    "nfs",
    "photonPersistentDisk",
    "portworxVolume",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
    "vsphereVolume",
}


def context_of(pod: Pod, container: PodContainer, field: str) -> Path:
    """Return the best path to add a field to a container's context: that of the pod, if the server
    accepts a pod's context."""
    kind, owner = pod.object.traits, pod.object
    fields = None if kind.withheld is None else kind.withheld(owner.value)
    if fields is None or "securityContext" not in fields.pod or pod.security:
        return pod.path("securityContext", field)
    return container.path("securityContext", field)


def restricted(pod: Pod, minor: int) -> Iterator[LevelViolation]:
    """Yield the violations of `restricted`, policy version 1.`minor`, that `baseline` allows in a
    pod."""
    for name, (index, volume) in pod.volumes.items():
        if _OTHER_VOLUMES.isdisjoint(volume):
            continue
        for kind in sorted(_OTHER_VOLUMES & volume.keys()):
            if isinstance(volume[kind], dict):
                path = pod.path("volumes", index, kind)
                yield LevelViolation("restricted", path, f"volume `{name}` is of type `{kind}`")
    if pod.spec.get("hostUsers") is not False or minor < USER_NAMESPACES:
        yield from _root(pod)
    # What follows is of Linux; pods for Windows are let off since 1.25.
    if mapping(pod.spec.get("os")).get("name") == "windows":
        return
    seccomp = text(mapping(pod.security.get("seccompProfile")).get("type"))
    for container in pod.every:
        if container.security.get("allowPrivilegeEscalation") is not False:
            where = container.path("securityContext", "allowPrivilegeEscalation")
            yield LevelViolation(
                "restricted",
                where,
                "`allowPrivilegeEscalation` is not `false`",
                container.name,
                container.security.get("allowPrivilegeEscalation") is True,
                (Put(where, False),),
                safe=True,
            )
        capabilities = mapping(container.security.get("capabilities"))
        if "ALL" not in items(capabilities.get("drop")):
            where = container.path("securityContext", "capabilities", "drop")
            fault_text = "`capabilities.drop` has no `ALL`"
            change = Put(where, ["ALL"])
            yield LevelViolation(
                "restricted", where, fault_text, container.name, False, (change,), safe=True
            )
        for name, where in added(container):
            if name in BASELINE_CAPABILITIES and name != RESTRICTED_CAPABILITY:
                fault_text = f"capability `{name}` is added"
                yield LevelViolation(
                    "restricted",
                    where,
                    fault_text,
                    container.name,
                    changes=(Drop(where, emptied=True),),
                )
        if not seccomp and not text(mapping(container.security.get("seccompProfile")).get("type")):
            where = context_of(pod, container, "seccompProfile")
            change = Put(where, {"type": "RuntimeDefault"})
            fault_text = "`seccompProfile` is not set"
            yield LevelViolation(
                "restricted", where, fault_text, container.name, False, (change,), safe=True
            )


def _root(pod: Pod) -> Iterator[LevelViolation]:
    """Yield fields that let a container run as root."""
    inherited = pod.security.get("runAsNonRoot") is True
    if pod.security.get("runAsNonRoot") is False:
        where = pod.path("securityContext", "runAsNonRoot")
        yield LevelViolation(
            "restricted", where, "`runAsNonRoot` is `false`", changes=(Put(where, True),)
        )
    if _is_root(pod.security):
        where = pod.path("securityContext", "runAsUser")
        yield LevelViolation("restricted", where, "`runAsUser` is 0")
    for container in pod.every:
        non_root = container.security.get("runAsNonRoot")
        if non_root is False:
            where = container.path("securityContext", "runAsNonRoot")
            fault_text = "`runAsNonRoot` is `false`"
            yield LevelViolation(
                "restricted", where, fault_text, container.name, changes=(Put(where, True),)
            )
        elif non_root is not True and not inherited:
            where = context_of(pod, container, "runAsNonRoot")
            fault_text = "`runAsNonRoot` is not `true`"
            yield LevelViolation(
                "restricted", where, fault_text, container.name, False, (Put(where, True),)
            )
        if _is_root(container.security):
            where = container.path("securityContext", "runAsUser")
            yield LevelViolation("restricted", where, "`runAsUser` is 0", container.name)


def _is_root(security: dict[str, Any]) -> bool:
    return whole(security.get("runAsUser")) == 0
