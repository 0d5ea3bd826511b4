"""Every field of the table that names another object, as an object that names one, and that one."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from gpuspec.kinds import kind_of, kinds
from gpuspec.kinds.model import Reference
from gpuspec.kinds.references import CONTAINER, LABELS, POD
from tests.lint.plain import an, text

NAME, SLIP = "training-settings", "training-setings"
CONTAINERS = {
    "containers": [{"name": "main", "image": "a:1"}],
    "initContainers": [{"name": "first", "image": "a:1"}],
    "ephemeralContainers": [{"name": "aside", "image": "a:1"}],
}
UNFIXED = {
    # What each of these may name is said by the object alone: one that can be.
    "parameters": ("kueue.x-k8s.io", "ProvisioningRequestConfig"),
    "roleRef": ("rbac.authorization.k8s.io", "Role"),
    "subjects.*": ("", "ServiceAccount"),
    "nodeClassRef": ("karpenter.k8s.aws", "EC2NodeClass"),
    "valuesFrom.*": ("", "ConfigMap"),
    "substituteFrom.*": ("", "ConfigMap"),
    "sourceRef": ("source.toolkit.fluxcd.io", "GitRepository"),
    **dict.fromkeys(("scaleTargetRef", "targetRef", "scalableRef"), ("apps", "Deployment")),
    "controllerRef": ("batch", "Job"),
    "describedObject": ("networking.k8s.io", "Ingress"),
    **dict.fromkeys(
        ("parametersRef", "extensionRef", "resource", "caCertificateRefs.*"), ("", "ConfigMap")
    ),
}


PARTS: dict[str, dict[str, Any]] = {
    "ConfigMap": {"data": {"a": "1"}},
    "Secret": {"data": {"a": "MQ=="}},
    "Service": {"spec": {"ports": [{"name": "a", "port": 80}]}},
    "Gateway": {"spec": {"listeners": [{"name": "a", "port": 80, "protocol": "HTTP"}]}},
}
# What pods lie in is let go of, so that only rules for the whole set know how it is called.
UNKNOWN = {
    ("batch", "Job"),
    ("ome.io", "InferenceService"),
    ("workloads.x-k8s.io", "RoleBasedGroup"),
}
PODDED = {("apps", "Deployment"), *UNKNOWN}
LISTS = {"admissionChecks", "clusters", "imagePullSecrets", "nodeGroups", "pullSecrets"}


class Case(NamedTuple):
    """A field that names an object."""

    group: str
    kind: str
    base: tuple[str, ...]
    row: Reference

    def __str__(self) -> str:
        return f"{self.kind}-{'.'.join(self.base)}-{self.row.holder}-{self.row.field}"

    @property
    def target(self) -> tuple[str, str]:
        """Group and kind of what is named."""
        ending = self.row.holder.removeprefix("spec.").removeprefix("template.spec.")
        fixed = self.row.group, self.row.kind
        found = next((what for end, what in UNFIXED.items() if ending.endswith(end)), fixed)
        assert self.row.kind or found != fixed, "what may it name?"
        return fixed if self.row.kind else found

    @property
    def path(self) -> tuple[str | int, ...]:
        """Where the name is written."""
        steps = [*self.base, *filter(None, self.row.holder.split(".")), self.row.field]
        steps += ["*"] if self.row.field in LISTS else []
        return tuple(0 if step == "*" else step for step in steps)

    def objects(self, name: str, key: str = "a") -> str:
        """An object that names another, and that one, as YAML."""
        return text(*self.values(name, key))

    def values(self, name: str, key: str = "a") -> tuple[dict[str, Any], dict[str, Any]]:
        """An object that names another, and that one."""
        value = an(_version(self.group), self.kind, "one")
        namespaced = (known := kind_of(self.group, self.kind)) is None or known.namespaced
        if namespaced:
            value["metadata"]["namespace"] = "ml"
        if self.kind == "Pod":
            value["spec"] = {field: [{**each[0]}] for field, each in CONTAINERS.items()}
        group, kind = self.target
        holder = _into(value, [*self.base, *filter(None, self.row.holder.split("."))])
        written = f"{self.row.scheme}{name}/weights" if self.row.scheme else name
        holder[self.row.field] = [name] if self.row.field in LISTS else written
        if self.row.kind_at:
            holder[self.row.kind_at] = kind
        if self.row.group_at:
            at_version = self.row.group_at == "apiVersion"
            holder[self.row.group_at] = _version(group) if at_version else group
        for pattern in self.row.keys[:1]:
            *outer, last = pattern.partition("=")[0].split(".")
            _into(holder, outer)[last] = key
        there = an(_version(group), kind, NAME)
        if (known := kind_of(group, kind)) is None or known.namespaced:
            there["metadata"]["namespace"] = "ml"
        there |= PARTS.get(kind, {})
        if self.target in PODDED:
            there["spec"] = {"template": {"spec": {"containers": CONTAINERS["containers"]}}}
        for each in (value, there):
            if each["kind"] == "ClusterQueue":
                each.setdefault("spec", {})["namespaceSelector"] = {}
        return value, there


def _into(value: Any, steps: list[str]) -> dict[str, Any]:
    """Go where steps lead, and make what is not there; of a list one item."""
    for here, below in zip(steps, [*steps, ""][1:], strict=True):
        made: Any = [{}] if below == "*" else {}
        if here == "*":
            value[0] = value[0] or made
            value = value[0]
        else:
            value = value.setdefault(here, made)
    found: dict[str, Any] = value
    return found


def _version(group: str) -> str:
    return f"{group}/v1" if group else "v1"


def _cases() -> Iterator[Case]:
    for one in kinds():
        for row in one.refers:
            yield Case(one.group, one.name, (), row)
    for row in POD:
        yield Case("", "Pod", ("spec",), row)
    for field in CONTAINERS:
        for row in CONTAINER:
            yield Case("", "Pod", ("spec", field, "*"), row)
    for row in LABELS:
        yield Case("", "Pod", ("metadata", "labels"), row)


CASES = list(_cases())
