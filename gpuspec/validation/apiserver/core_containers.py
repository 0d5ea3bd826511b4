"""Containers: variables, ports, probes, start and end.

Source: k8s.io/kubernetes, pkg/apis/core/validation/validation.go, `validateContainers` and
`validateInitContainers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import amount, inner, is_new, is_old, maps, refused, twice
from gpuspec.validation.violation import placed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

    _Key = tuple[str, str, int]

_GRACE = 30
_OF_SIDECARS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
_DIVISORS = frozenset(
    {"1", *["1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"]}
)


def container(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that ports have unique names, and that restart rules come with a policy."""
    if value.get("ports"):
        for violation in twice(maps(value, "ports"), "name"):
            yield placed(("ports",), violation)
    if value.get("restartPolicyRules") and value.get("restartPolicy") is None:
        message = "`restartPolicy` is missing, but `restartPolicyRules` needs it"
        yield refused(("restartPolicy",), message, lacking=True)


def field_of_pod(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a field reference is of API version v1."""
    if value.get("apiVersion") not in (None, "", "v1"):
        yield refused((), f"`apiVersion` is `v1`, not `{value['apiVersion']}`")


def divisor(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the divisor of a resource is one of the units."""
    unit = amount(value.get("divisor"))
    if not unit:
        return
    of_cpu = (value.get("resource") or "").endswith(".cpu")
    if str(unit) not in (("1m", "1") if of_cpu else _DIVISORS):
        divisors = "`1m` or `1`" if of_cpu else "`1`, or a divisor with a unit, such as `1Mi`"
        yield refused(("divisor",), f"expected {divisors}")


def names(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that all containers have unique names."""
    if not spec.get("initContainers"):
        return
    names_seen = {container.get("name") for _, container in maps(spec, "containers")}
    for index, init_container in maps(spec, "initContainers"):
        name = init_container.get("name")
        if name and name in names_seen:
            path = ("initContainers", index, "name")
            yield refused(path, f"another container has `name: {name}` too")
        names_seen.add(name)


def host_ports(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that host ports are unique, and equal the container's on the host network."""
    shared = spec.get("hostNetwork") is True
    yield from _taken_twice(
        (("containers", index), container) for index, container in maps(spec, "containers")
    )
    for index, init_container in maps(spec, "initContainers"):
        yield from _taken_twice([(("initContainers", index), init_container)])
    for index, container in maps(spec, "containers") if shared else ():
        for number, port in maps(container, "ports"):
            if port.get("hostPort") and port["hostPort"] != port.get("containerPort"):
                yield refused(
                    ("containers", index, "ports", number, "hostPort"),
                    "it must equal `containerPort` on the host network, and the two differ",
                    "omit `hostPort`, or `hostNetwork`",
                )


def _taken_twice(containers: Iterable[tuple[Path, Map]]) -> Iterator[SchemaViolation]:
    keys: set[_Key] = set()
    for path, container in containers:
        for number, port in maps(container, "ports"):
            if host_port := port.get("hostPort"):
                key = _key(port, host_port)
                if key in keys:
                    yield _taken((*path, "ports", number, "hostPort"), host_port)
                keys.add(key)


def ports_of_node(pod: Map, version: str) -> Iterator[SchemaViolation]:
    """Yield conflicts on the host network, where a container's port is the node's and can be used
    once.
    """
    spec = inner(pod, "spec")
    keys_seen: dict[_Key, bool] = {}
    for index, container in maps(spec, "containers") if spec.get("hostNetwork") is True else ():
        for number, port in maps(container, "ports"):
            taken = port.get("hostPort") or port.get("containerPort") or 0
            key, host_port = _key(port, taken), bool(port.get("hostPort"))
            if key in keys_seen and not (host_port and keys_seen[key]):
                yield _taken(("spec", "containers", index, "ports", number), taken)
            keys_seen.setdefault(key, host_port)


def _key(port: Map, number: int) -> _Key:
    """Return the identity of a host port."""
    return port.get("protocol") or "TCP", port.get("hostIP") or "", number


def _taken(path: Path, number: int) -> SchemaViolation:
    return refused(path, f"another entry has host port {number} too")


def starting_containers(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that an init container has no probes, unless it is a sidecar."""
    for index, init_container in maps(spec, "initContainers"):
        path = ("initContainers", index)
        if init_container.get("restartPolicy") == "Always":
            if init_container.get("restartPolicyRules") and is_old(version):
                yield refused((*path, "restartPolicyRules"), "a sidecar cannot have restart rules")
            continue
        for field in _OF_SIDECARS:
            if _is_there(init_container, field):
                yield refused(
                    (*path, field),
                    "an init container that ends cannot have probes or lifecycle hooks",
                    "to run it as a sidecar, set `restartPolicy: Always`",
                    lacking="restartPolicy" not in init_container,
                )
        for number, policy in maps(init_container, "resizePolicy") if is_new(version) else ():
            if policy.get("restartPolicy") == "RestartContainer":
                yield refused(
                    (*path, "resizePolicy", number, "restartPolicy"),
                    "an init container cannot be restarted by a rule",
                )


def _is_there(value: Map, field: str) -> bool:
    field_value = value.get(field)
    # A server drops the signal, and then a lifecycle that has nothing else.
    return field_value is not None and not (
        field == "lifecycle" and set(field_value) == {"stopSignal"}
    )


def resizing(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a container of a pod that never restarts is resized without a restart."""
    if spec.get("restartPolicy") != "Never":
        return
    for field in ("containers", "initContainers"):
        for index, container in maps(spec, field):
            for number, policy in maps(container, "resizePolicy"):
                if policy.get("restartPolicy") == "RestartContainer":
                    yield refused(
                        (field, index, "resizePolicy", number),
                        "with the pod's `restartPolicy: Never` it needs"
                        " `restartPolicy: NotRequired`",
                    )


def sleeping(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a container's sleep before its end is within the grace period."""
    for field in ("containers", "initContainers"):
        for index, container in maps(spec, field):
            for hook, handler in (container.get("lifecycle") or {}).items():
                if hook == "stopSignal" or not handler or handler.get("sleep") is None:
                    continue
                grace_period = spec.get("terminationGracePeriodSeconds")
                grace = _GRACE if grace_period is None else grace_period
                seconds = handler["sleep"].get("seconds") or 0
                if not 0 <= seconds <= grace and not (grace < 0 and seconds <= 1):
                    yield refused(
                        (field, index, "lifecycle", hook, "sleep"),
                        f"{seconds} seconds are more than the grace period of {grace}",
                        "raise `terminationGracePeriodSeconds`, or sleep for a shorter time",
                        lacking=grace_period is None,
                    )


def files_of_variables(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a file with variables is in an emptyDir of the pod."""
    for field in ("containers", "initContainers"):
        for index, container in maps(spec, field):
            for number, variable in maps(container, "env"):
                source = variable.get("valueFrom")
                if not source or not source.get("fileKeyRef"):
                    continue
                name = source["fileKeyRef"].get("volumeName")
                path = (field, index, "env", number, "valueFrom", "fileKeyRef", "volumeName")
                volumes = [
                    volume for _, volume in maps(spec, "volumes") if volume.get("name") == name
                ]
                if name and not volumes:
                    yield refused(path, f"the pod has no volume `{name}`", lacking=True)
                elif name and volumes[-1].get("emptyDir") is None and set(volumes[-1]) != {"name"}:
                    yield refused(path, f"volume `{name}` is not an `emptyDir`")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.Container": (container,),
    "core.v1.ObjectFieldSelector": (field_of_pod,),
    "core.v1.Pod": (ports_of_node,),
    "core.v1.PodSpec": (
        *(names, host_ports, starting_containers, resizing, sleeping, files_of_variables),
    ),
    "core.v1.ResourceFieldSelector": (divisor,),
}
