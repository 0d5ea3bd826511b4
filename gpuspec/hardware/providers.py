"""Kubernetes providers: labels and taints of GPU nodes, and changes to the pods there."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from gpuspec.hardware.constraints import Constraints, constraints
from gpuspec.hardware.resources import resource
from gpuspec.hardware.tables import table
from gpuspec.numbers import of_digits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NATIVE, _QUOTA = "kubernetes.io/", "requests."
"""The part and the prefix that names of extended resources cannot have."""

AccessMode = Literal["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]


_OPERATOR = "gpu-operator"


class LabellerLabels(msgspec.Struct, frozen=True):
    """The labeller that names GPU models.

    `always`: whether every GPU node that the provider creates has the label (on EKS, that Karpenter
    creates); otherwise it needs GPU Feature Discovery. `without`: label keys of nodes created
    otherwise, which do not have it. `assumes`: what sets it, if that is neither the provider nor
    certain. `also`: labellers that name other vendors' accelerators in the same way.
    """

    labeller: str
    always: bool
    assumes: str | None
    without: tuple[str, ...]
    source: str
    also: tuple[str, ...] = ()


class ProviderTaint(msgspec.Struct, frozen=True):
    """A taint of GPU nodes. `automatic`: whether the provider adds it by itself; otherwise users
    do."""

    key: str
    value: str
    effect: str
    automatic: bool
    spot_only: bool
    source: str
    weak: bool

    def is_of(self, vendor: str) -> bool:
        """Return whether nodes with a vendor's devices have it: not if its name is another
        vendor's."""
        device = resource(self.key)
        return device is None or device.vendor == vendor

    def __str__(self) -> str:
        equals = f"={self.value}" if self.value else ""
        return f"{self.key}{equals}:{self.effect}"


class Injection(msgspec.Struct, frozen=True):
    """A component that adds tolerations to pods with an extended resource."""

    by: str
    source: str
    weak: bool


class SpotNodes(msgspec.Struct, frozen=True):
    """The label of spot nodes as key and value, or None if they have none.

    `notice`: seconds from the announcement to the end.
    """

    label: tuple[str, str] | None
    notice: int
    source: str
    notice_source: str


class RdmaResource(msgspec.Struct, frozen=True):
    """An extended resource of a fabric; a name that ends in `*` stands for a prefix.

    `hugepages`: bytes that a pod on a whole node asks for, with devices of the maker `of`.
    `machines`: how many of the resource a machine has, by instance type; empty where nobody knows.
    """

    resource: str
    hugepages: int | None
    of: str
    machines: Mapping[str, int]
    source: str
    machines_source: str | None
    weak: bool


class StorageKind(msgspec.Struct, frozen=True):
    """A StorageClass that is there from the beginning, and how its volumes can be mounted."""

    name: str
    access_modes: tuple[AccessMode, ...]
    source: str
    weak: bool


class Dns(msgspec.Struct, frozen=True):
    """The pods that answer for the cluster's DNS: their namespace, and the port they listen on."""

    namespace: str
    port: int


class Provider(msgspec.Struct, frozen=True):
    """A provider's Kubernetes.

    `operator`: the namespace that the GPU Operator is installed in. `constraints`: those by which it
    assigns the user of pods, but in `exempt` namespaces; None where pods say whom they run as.
    `anywhere`: it runs on the machines of any cloud, and on one's own.
    """

    name: str
    title: str
    labels: LabellerLabels
    taints: tuple[ProviderTaint, ...]
    tolerations: Injection | None
    spot: SpotNodes | None
    rdma: tuple[RdmaResource, ...]
    storage: tuple[StorageKind, ...]
    dns: Dns
    operator: str
    constraints: Constraints | None
    exempt: tuple[str, ...]
    anywhere: bool

    def rdma_resource(self, name: str) -> RdmaResource | None:
        """Return the facts about one of its fabrics' resources."""
        return next((rdma for rdma in self.rdma if rdma.resource == name), None)


class Preset(msgspec.Struct, frozen=True):
    """A built-in profile: a provider and further components, with versions."""

    name: str
    provider: Provider
    installed: Mapping[str, str]
    source: str | None


_DNS = Dns("kube-system", 53)


@cache
def presets() -> Mapping[str, Preset]:
    """Return the built-in profiles by name."""
    whole = table("providers")
    return MappingProxyType(
        {
            name: Preset(
                name=name,
                provider=provider(row["provider"]),
                installed=MappingProxyType(row.get("installed", {})),
                source=whole["sources"][row["source"]] if "source" in row else None,
            )
            for name, row in whole["presets"].items()
        }
    )


@cache
def providers() -> Mapping[str, Provider]:
    """Return the providers by name; `none` is a self-managed cluster."""
    whole = table("providers")
    return MappingProxyType(
        {
            name: _provider(name, entry, whole["sources"])
            for name, entry in whole["providers"].items()
        }
    )


def provider(name: str) -> Provider:
    """Return the provider with a name (`gke`). Raises KeyError."""
    return providers()[name]


def injected(name: str, resources: Iterable[str]) -> list[dict[str, object]]:
    """Return the tolerations that a provider's admission adds to a pod with some resources.

    ExtendedResourceToleration adds one for the taint named like each extended resource. Source:
    Kubernetes 1.37, plugin/pkg/admission/extendedresourcetoleration.
    """
    if provider(name).tolerations is None:
        return []
    return [
        {"key": resource, "operator": "Exists", "effect": "NoSchedule"}
        for resource in resources
        if "/" in resource and _NATIVE not in resource and not resource.startswith(_QUOTA)
    ]


def _provider(name: str, entry: dict[str, Any], sources: Mapping[str, str]) -> Provider:
    adds, spot, dns = (entry.get(name) for name in ("tolerations", "spot", "dns"))
    return Provider(
        name=name,
        title=entry["title"],
        labels=LabellerLabels(
            labeller=entry["labels"]["by"],
            always=entry["labels"].get("always", False),
            assumes=entry["labels"].get("assumes"),
            without=tuple(entry["labels"].get("except", "").split()),
            source=sources[entry["labels"]["source"]],
            also=tuple(entry["labels"].get("also", "").split()),
        ),
        taints=tuple(
            _taint(words.split(), sources[source])
            for source, rows in entry.get("taints", {}).items()
            for words in rows
        ),
        tolerations=_injection(adds, sources) if adds else None,
        spot=_spot(spot, sources) if spot else None,
        rdma=tuple(_rdma(row, sources) for row in entry.get("rdma", ())),
        storage=tuple(
            _storage(words.split(), sources[source])
            for source, rows in entry.get("storage", {}).items()
            for words in rows
        ),
        dns=Dns(dns["namespace"], dns["port"]) if dns else _DNS,
        operator=entry["operator"]["namespace"] if "operator" in entry else _OPERATOR,
        constraints=constraints(entry, sources),
        exempt=tuple(entry["exempt"]["namespaces"].split()) if "exempt" in entry else (),
        anywhere=entry.get("anywhere", False),
    )


def _taint(words: list[str], source: str) -> ProviderTaint:
    """Return a taint from `<key>[=<value>]:<effect> provider|people [spot]`."""
    taint_text, by, *nodes = words
    label, _, effect = taint_text.removesuffix("?").rpartition(":")
    key, _, value = label.partition("=")
    return ProviderTaint(
        key=key,
        value=value,
        effect=effect,
        automatic=by == "provider",
        spot_only=nodes == ["spot"],
        source=source,
        weak=taint_text.endswith("?"),
    )


def _storage(words: list[str], source: str) -> StorageKind:
    """Return a storage class from `<name> <access modes …>`."""
    name, *modes = words
    return StorageKind(
        name=name.removesuffix("?"),
        access_modes=tuple(cast("list[AccessMode]", modes)),
        source=source,
        weak=name.endswith("?"),
    )


def _injection(row: dict[str, Any], sources: Mapping[str, str]) -> Injection:
    return Injection(row["by"], sources[row["source"]], row.get("weak", False))


def _spot(row: dict[str, Any], sources: Mapping[str, str]) -> SpotNodes:
    key, _, value = row.get("label", "").partition("=")
    source = sources[row["source"]]
    return SpotNodes(
        label=(key, value) if key else None,
        notice=row["notice"],
        source=source,
        notice_source=sources[row["notice-source"]] if "notice-source" in row else source,
    )


def _rdma(row: dict[str, Any], sources: Mapping[str, str]) -> RdmaResource:
    machines = table("providers")["machines"].get(row.get("machines"), {})
    words = machines.get("counts", "").split()
    return RdmaResource(
        resource=row["resource"],
        hugepages=row["hugepages"] << 20 if "hugepages" in row else None,
        of=row.get("of", ""),
        machines=MappingProxyType(dict(zip(words[::2], map(of_digits, words[1::2]), strict=True))),
        source=sources[row["source"]],
        machines_source=sources[machines["source"]] if machines else None,
        weak=row.get("weak", False),
    )
