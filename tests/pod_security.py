"""The Pod Security Standards' `restricted` level, checked of a pod template.

Written from the standards, apart from the code that renders: of checks that differ between
versions of Kubernetes, the strictest is held.

Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/ and the checks of
k8s.io/pod-security-admission.
"""

from collections.abc import Iterator
from typing import Any

Pod = dict[str, Any]

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
VOLUMES = {
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
}
SYSCTLS = {
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_notsent_lowat",
}
SELINUX = {None, "", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"}
PROFILES = ("RuntimeDefault", "Localhost")


def restricted(pod: Pod) -> list[str]:
    """What a pod template (`metadata` and `spec`) breaks; nothing if `restricted` admits it."""
    spec = pod["spec"]
    return [*_pod(pod, spec), *_volumes(spec), *_contexts(spec), *_containers(spec)]


def _pod(pod: Pod, spec: Pod) -> Iterator[str]:
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(field):
            yield f"{field} is true"
    for name, value in (pod.get("metadata") or {}).get("annotations", {}).items():
        kind, _, container = name.partition("/")
        legacy = kind == "container.apparmor.security.beta.kubernetes.io"
        if legacy and value not in ("", "runtime/default") and not value.startswith("localhost/"):
            yield f"{container}: AppArmor profile {value}"
    for sysctl in (spec.get("securityContext") or {}).get("sysctls", []):
        if sysctl["name"] not in SYSCTLS:
            yield f"sysctl {sysctl['name']}"


def _volumes(spec: Pod) -> Iterator[str]:
    for volume in spec.get("volumes", []):
        strange = volume.keys() - {"name"} - VOLUMES
        if strange:
            yield f"volume {volume['name']} is of type {', '.join(sorted(strange))}"


def _contexts(spec: Pod) -> Iterator[str]:
    """What holds of the security contexts of the pod and of every container alike."""
    contexts = [("pod", spec.get("securityContext") or {})]
    contexts += [(c["name"], c.get("securityContext") or {}) for c in _all(spec)]
    for name, context in contexts:
        if context.get("runAsUser") == 0:
            yield f"{name}: runAsUser is 0"
        if context.get("runAsNonRoot") is False:
            yield f"{name}: runAsNonRoot is false"
        options = context.get("seLinuxOptions") or {}
        if options.get("type") not in SELINUX or options.get("user") or options.get("role"):
            yield f"{name}: seLinuxOptions {options}"
        for field, known in (("seccompProfile", PROFILES), ("appArmorProfile", PROFILES)):
            profile = context.get(field)
            if profile is not None and profile.get("type") not in known:
                yield f"{name}: {field} {profile}"
        if (context.get("windowsOptions") or {}).get("hostProcess"):
            yield f"{name}: hostProcess is true"


def _containers(spec: Pod) -> Iterator[str]:
    pod = spec.get("securityContext") or {}
    for container in _all(spec):
        name, context = container["name"], container.get("securityContext") or {}
        if not {**pod, **context}.get("runAsNonRoot"):
            yield f"{name}: runAsNonRoot is not true"
        if "seccompProfile" not in {**pod, **context}:
            yield f"{name}: no seccompProfile"
        if context.get("allowPrivilegeEscalation") is not False:
            yield f"{name}: allowPrivilegeEscalation is not false"
        if context.get("privileged"):
            yield f"{name}: privileged is true"
        if context.get("procMount") not in (None, "Default"):
            yield f"{name}: procMount is {context['procMount']}"
        capabilities = context.get("capabilities") or {}
        if "ALL" not in capabilities.get("drop", []):
            yield f"{name}: capabilities do not drop ALL"
        for added in set(capabilities.get("add", [])) - {"NET_BIND_SERVICE"}:
            yield f"{name}: capability {added} is added"
        for port in container.get("ports", []):
            if port.get("hostPort"):
                yield f"{name}: hostPort {port['hostPort']}"
        yield from _hosts(name, container)


def _hosts(name: str, container: Pod) -> Iterator[str]:
    """Probes and handlers may not name a host, which would be asked from the node."""
    lifecycle = container.get("lifecycle") or {}
    handlers = {
        field: container.get(field) for field in ("startupProbe", "readinessProbe", "livenessProbe")
    } | {field: lifecycle.get(field) for field in ("postStart", "preStop")}
    for field, handler in handlers.items():
        for action in ("httpGet", "tcpSocket"):
            if ((handler or {}).get(action) or {}).get("host"):
                yield f"{name}: {field} names a host"


def _all(spec: Pod) -> Iterator[Pod]:
    for field in CONTAINERS:
        yield from spec.get(field, [])
