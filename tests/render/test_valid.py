"""Everything that is rendered is valid, for every Kubernetes, and admitted as restricted."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import replace

import gpuspec
from gpuspec.kinds import pod_paths
from gpuspec.spec.rules import claiming
from gpuspec.validation import supported_versions, validate

Renderings = Mapping[tuple[str, str], gpuspec.Rendering]


def on_version(rendering: gpuspec.Rendering, version: str) -> list[dict[str, Any]]:
    """The objects of a rendering on its profile of another Kubernetes; none where that cannot be or is refused."""
    profile = rendering.resolution.profile
    spec = replace(profile.model.spec, kubernetes=version)
    model = replace(profile.model, spec=spec)
    if any(claiming.versions(spec)):
        return []
    try:
        made = gpuspec.render(
            rendering.resolution.workload, gpuspec.Profile(model, profile.document)
        )
    except gpuspec.Refusal:
        return []
    return made.objects


def pods(rendering: gpuspec.Rendering) -> Iterator[dict[str, Any]]:
    for made in rendering.objects:
        for path in pod_paths(made):
            template: Any = made
            for step in path.spec[:-1]:
                template = template[step]
            yield template


@pytest.mark.parametrize("version", supported_versions())
def test_renders_are_valid(renderings: Renderings, version: str) -> None:
    rendered = 0
    for rendering in renderings.values():
        for made in on_version(rendering, version):
            assert validate(made, version) == ()
            rendered += 1
    assert rendered > 50


def test_renders_are_valid_to_another_judge(renderings: Renderings) -> None:
    """Each rendering by one version in turn: this judge reads its schemas anew each time."""
    judge = pytest.importorskip(
        "kubernetes_validate", reason="pip install kubernetes-validate, which holds the schemas"
    )
    versions = supported_versions()
    for number, rendering in enumerate(renderings.values()):
        version = versions[number % len(versions)]
        for made in on_version(rendering, version):
            group = made["apiVersion"].rpartition("/")[0]
            own = group.endswith(".k8s.io") and not group.startswith(("gateway.", "inference."))
            if "." in group and not own:
                continue  # of which it has no schemas
            judge.validate(made, version, strict=True)


def test_every_pod_is_admitted_as_restricted_or_says_why_not(
    renderings: Renderings, pod_security: ModuleType
) -> None:
    """Only the fabric of a profile takes anything, with its reasons on the pod."""
    restricted = waived = 0
    for case, rendering in renderings.items():
        for pod in pods(rendering):
            reasons = [
                key
                for key in pod["metadata"].get("annotations", {})
                if key.startswith("gpuspec.dev/waiver-")
            ]
            broken = pod_security.restricted(pod)
            assert bool(broken) is bool(reasons), (case, broken)
            restricted, waived = restricted + (not broken), waived + bool(broken)
    assert restricted > 10 * waived > 0


BREAKS: list[tuple[str, Any]] = [
    ("spec.hostNetwork", True),
    ("spec.hostPID", True),
    ("spec.hostIPC", True),
    ("spec.securityContext.runAsUser", 0),
    ("spec.securityContext.runAsNonRoot", False),
    ("spec.securityContext.runAsNonRoot", None),
    ("spec.securityContext.seccompProfile", None),
    ("spec.securityContext.seccompProfile", {"type": "Unconfined"}),
    ("spec.securityContext.appArmorProfile", {"type": "Unconfined"}),
    ("spec.securityContext.seLinuxOptions", {"type": "spc_t"}),
    ("spec.securityContext.seLinuxOptions", {"user": "root"}),
    ("spec.securityContext.sysctls", [{"name": "vm.overcommit_memory", "value": "1"}]),
    ("spec.volumes.0.hostPath", {"path": "/dev/shm"}),
    ("spec.volumes.0.nfs", {"server": "a", "path": "/"}),
    ("spec.containers.0.securityContext.runAsUser", 0),
    ("spec.containers.0.securityContext.runAsNonRoot", False),
    ("spec.containers.0.securityContext.privileged", True),
    ("spec.containers.0.securityContext.procMount", "Unmasked"),
    ("spec.containers.0.securityContext.allowPrivilegeEscalation", None),
    ("spec.containers.0.securityContext.allowPrivilegeEscalation", True),
    ("spec.containers.0.securityContext.capabilities", None),
    ("spec.containers.0.securityContext.capabilities.add", ["IPC_LOCK"]),
    ("spec.containers.0.ports.0.hostPort", 8000),
    ("spec.containers.0.readinessProbe.httpGet.host", "127.0.0.1"),
    ("spec.initContainers", [{"name": "init", "image": "x"}]),
    ("metadata.annotations", {"container.apparmor.security.beta.kubernetes.io/a": "unconfined"}),
]


@pytest.mark.parametrize(("path", "value"), BREAKS, ids=lambda value: str(value)[:60])
def test_the_check_sees_what_is_not_admitted(
    renderings: Renderings, pod_security: ModuleType, path: str, value: Any
) -> None:
    pod = copy.deepcopy(next(pods(renderings["chat", "bare-metal"])))
    *steps, last = path.split(".")
    place: Any = pod
    for step in steps:
        place = place[int(step)] if step.isdigit() else place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    assert pod_security.restricted(pod) != []
