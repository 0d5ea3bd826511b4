"""Violations of the level `baseline`.

Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/ and the checks of
k8s.io/pod-security-admission, as of 1.37.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kubernetes import BASELINE_CAPABILITIES
from gpuspec.lint.analysis.pod_security.model import (
    USER_NAMESPACES,
    Level,
    LevelViolation,
    added,
)
from gpuspec.lint.analysis.serving.probes import KINDS
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

# Since minor version 1.N of the policy.
_HOST_OF_PROBES = 34
_SYSCTLS = {
    "kernel.shm_rmid_forced": 0,
    "net.ipv4.ip_local_port_range": 0,
    "net.ipv4.ip_unprivileged_port_start": 0,
    "net.ipv4.tcp_syncookies": 0,
    "net.ipv4.ping_group_range": 0,
    "net.ipv4.ip_local_reserved_ports": 27,
    "net.ipv4.tcp_keepalive_time": 29,
    "net.ipv4.tcp_fin_timeout": 29,
    "net.ipv4.tcp_keepalive_intvl": 29,
    "net.ipv4.tcp_keepalive_probes": 29,
    "net.ipv4.tcp_rmem": 32,
    "net.ipv4.tcp_wmem": 32,
    "net.ipv4.tcp_slow_start_after_idle": 37,
    "net.ipv4.tcp_notsent_lowat": 37,
}
_SELINUX = ("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t")
_CONFINED = ("RuntimeDefault", "Localhost")
_OF_BOTH = {"seLinuxOptions", "seccompProfile", "appArmorProfile", "windowsOptions"}
"""Fields in the security contexts of both pods and containers."""
_PROBES = tuple(f"{kind}Probe" for kind in KINDS)
_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"


def baseline(pod: Pod, minor: int) -> Iterator[LevelViolation]:
    """Yield the violations of `baseline`, policy version 1.`minor`, in a pod."""
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.spec.get(field) is True:
            yield LevelViolation("baseline", pod.path(field), f"`{field}` is true")
    for name, (index, volume) in pod.volumes.items():
        if isinstance(volume.get("hostPath"), dict):
            path = pod.path("volumes", index, "hostPath")
            yield LevelViolation("baseline", path, f"volume `{name}` is a `hostPath`")
    for name, value in pod.annotations.items():
        loose = value not in ("", "runtime/default") and not str(value).startswith("localhost/")
        if isinstance(name, str) and name.startswith(_APPARMOR) and loose and pod.metadata_path:
            path = (*pod.metadata_path, "annotations", name)
            yield LevelViolation("baseline", path, f"the AppArmor profile is `{value}`")
    for name, path in unsafe_sysctls(pod, minor):
        yield LevelViolation("baseline", path, f"sysctl `{name}` is not a safe one")
    if not _OF_BOTH.isdisjoint(pod.security):
        yield from _context(pod.security, pod.path("securityContext"), None)
    for container in pod.every:
        if not _OF_BOTH.isdisjoint(container.security):
            yield from _context(
                container.security, container.path("securityContext"), container.name
            )
        yield from _container(pod, container, minor)


def unsafe_sysctls(pod: Pod, minor: int) -> Iterator[tuple[str, Path]]:
    """Yield the sysctls of a pod that a version of Kubernetes does not list as safe, with their
    paths."""
    for index, sysctl in enumerate(items(pod.security.get("sysctls"))):
        name = text(mapping(sysctl).get("name"))
        # The kubelet reads slashes as it does dots.
        if name and minor < _SYSCTLS.get(name.replace("/", "."), 10**6):
            yield name, pod.path("securityContext", "sysctls", index, "name")


def _context(security: dict[str, Any], path: Path, name: str | None) -> Iterator[LevelViolation]:
    """Yield violations in the security contexts of pods and containers."""
    options = mapping(security.get("seLinuxOptions"))
    strange = text(options.get("type")) not in _SELINUX
    if strange or text(options.get("user")) or text(options.get("role")):
        where = (*path, "seLinuxOptions")
        yield LevelViolation(
            "baseline", where, "`seLinuxOptions` are not the containers' own", name
        )
    for field in ("seccompProfile", "appArmorProfile"):
        kind = text(mapping(security.get(field)).get("type"))
        if kind and kind not in _CONFINED:
            yield LevelViolation("baseline", (*path, field, "type"), f"`{field}` is `{kind}`", name)
    if mapping(security.get("windowsOptions")).get("hostProcess") is True:
        where = (*path, "windowsOptions", "hostProcess")
        yield LevelViolation("baseline", where, "`hostProcess` is true", name)


def _container(pod: Pod, container: PodContainer, minor: int) -> Iterator[LevelViolation]:
    if container.security.get("privileged") is True:
        path = container.path("securityContext", "privileged")
        yield LevelViolation("baseline", path, "`privileged` is true", container.name)
    mount = text(container.security.get("procMount"))
    if mount not in ("", "Default"):
        private = pod.spec.get("hostUsers") is False and minor >= USER_NAMESPACES
        level: Level = "restricted" if private else "baseline"
        path = container.path("securityContext", "procMount")
        yield LevelViolation(level, path, f"`procMount` is `{mount}`", container.name)
    for name, where in added(container):
        if name not in BASELINE_CAPABILITIES:
            yield LevelViolation("baseline", where, f"capability `{name}` is added", container.name)
    for index, port in enumerate(container.ports):
        number = port.get("hostPort")
        if isinstance(number, int) and number:
            where = container.path("ports", index, "hostPort")
            yield LevelViolation("baseline", where, f"`hostPort` {number} is used", container.name)
    if minor < _HOST_OF_PROBES:
        return
    for steps, handler in _handlers(container):
        for action in ("httpGet", "tcpSocket"):
            if action in handler and text(mapping(handler[action]).get("host")):
                where = container.path(*steps, action, "host")
                yield LevelViolation(
                    "baseline", where, f"`{steps[-1]}` names a `host`", container.name
                )


def _handlers(container: PodContainer) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """Return the probes and hooks of a container, with their paths in it."""
    handlers: list[tuple[tuple[str, ...], Any]] = [
        ((field,), container.value[field]) for field in _PROBES if field in container.value
    ]
    if lifecycle := mapping(container.value.get("lifecycle")):
        handlers += [
            (("lifecycle", kind), lifecycle.get(kind)) for kind in ("postStart", "preStop")
        ]
    return [(steps, handler) for steps, handler in handlers if isinstance(handler, dict)]
