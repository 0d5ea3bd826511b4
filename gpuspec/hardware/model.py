"""The types of the tables' entries. All are immutable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.hardware.mig_profile import MigProfile

Architecture = Literal["amd64", "arm64"]
ResourceKind = Literal["device", "shared", "slice", "core"]


class NvLink(msgspec.Struct, frozen=True):
    """The links between GPUs of one board.

    `bandwidth`: GB/s per GPU, both directions together. `domain`: the number of linked GPUs in a
    usual node or rack. `bridge`: whether the links need a separate bridge, so that a card may have
    none.
    """

    bandwidth: float
    domain: int
    bridge: bool = False


class BoardForm(msgspec.Struct, frozen=True):
    """One board with which a model is sold.

    `products` are the values of the vendor's own product label (GPU Feature Discovery, AMD's node
    labeller) that name this board.
    """

    name: str
    products: tuple[str, ...]
    nvlink: NvLink | None


class GpuModel(msgspec.Struct, frozen=True, eq=False):
    """A GPU model, distinguished by product and memory size.

    `family`: GPU Feature Discovery's value for NVIDIA, the architecture's name otherwise. `memory`:
    total bytes that the driver reports; a process gets some hundred MiB less. `marketed_gb`: the
    number on the box. `architecture`: the CPU architecture of the host, if the model has only one.
    `labels`: values by labeller (`labellers()`); one value may name several models. `sources`: the
    source of each fact (`memory`, `labels.gke`, …). `cores`: the number of cores of a device, each
    used by a process of its own; 1 if a process uses the whole device. `counts`: the allowed
    numbers of devices per container, because only so many are connected to each other; empty if any
    number is allowed. `weak`: facts that are inferred or were observed once (`memory`,
    `labels.gfd.<value>`, …). `dies`: the largest number of devices into which it can be
    partitioned. `whole`: for such a partition, the partitioned model.
    """

    name: str
    vendor: str
    family: str
    memory: int
    marketed_gb: int
    compute_capability: tuple[int, int] | None
    architecture: Architecture | None
    forms: tuple[BoardForm, ...]
    aliases: tuple[str, ...]
    base: frozenset[str]
    weak: frozenset[str]
    labels: Mapping[str, tuple[str, ...]]
    sources: Mapping[str, str]
    cores: int = 1
    counts: tuple[int, ...] = ()
    dies: int = 1
    whole: GpuModel | None = None

    @property
    def article(self) -> str:
        """The article before its name as spoken: `an` A100, H100, L4 or MI300X, `a` T4."""
        return "an" if self.name.startswith(("A", "H", "I", "L", "MI", "RTX")) else "a"

    @property
    def nvlink(self) -> NvLink | None:
        """The links of the board with the best ones; a PCIe card can have fewer (`form`)."""
        return self.forms[0].nvlink

    @property
    def mig(self) -> tuple[MigProfile, ...]:
        """The MIG profiles, smallest first; empty without MIG. They are read from their table on
        first use."""
        from gpuspec.hardware.mig import profiles_of

        return profiles_of(self.name, self.memory)

    def form(self, product: str) -> BoardForm | None:
        """Return the board that a product label's value names, if it is one of this model."""
        return next((form for form in self.forms if product in form.products), None)

    def profile(self, name: str) -> MigProfile | None:
        """Return the MIG profile with this name (`1g.10gb+me`) or resource
        (`nvidia.com/mig-1g.10gb.me`)."""
        return next((p for p in self.mig if name in (p.name, p.resource)), None)


class Labeller(msgspec.Struct, frozen=True):
    """A program that labels GPU nodes.

    `keys`: label keys by their meaning (`product`, `count`, `memory`, `sharing`, …). `product` is
    the key that names the model, if it has one.
    """

    name: str
    title: str
    vendor: str
    keys: Mapping[str, str]
    values: str
    source: str
    others: tuple[str, ...] = ()
    """Values of `product` that name no known model."""

    @property
    def product(self) -> str | None:
        """The label key with the model's name."""
        return self.keys.get("product")

    def values_of(self, model: GpuModel) -> tuple[str, ...]:
        """Return the values of its label on nodes with this GPU; empty if it has no name for the
        model."""
        return tuple(model.labels.get(self.values, ()))


class DeviceResource(msgspec.Struct, frozen=True):
    """An extended resource that is an accelerator; a `name` that ends in `*` stands for a prefix.

    `of`: another resource under which nodes advertise the same devices.
    """

    name: str
    vendor: str
    kind: ResourceKind
    source: str
    of: str | None = None


class DeviceScheduler(msgspec.Struct, frozen=True):
    """A scheduler that allocates adjacent devices to a container."""

    names: tuple[str, ...]
    """Parts of its possible names; the first is the default of its chart."""
    whole: tuple[int, ...]
    """The device counts of machines with several devices."""


class Vendor(msgspec.Struct, frozen=True):
    """An accelerator vendor and its resources.

    `others`: resources in its domain that are not such accelerators. `labeller`: the labeller whose
    product label names the boards of its models. `words`: prefixes of its models' names. `sharing`:
    the ways in which its device plugin can share a device. `named`: whether only programs built for
    its devices can use them, so that workloads must name them.
    """

    name: str
    title: str
    resources: tuple[DeviceResource, ...]
    others: tuple[str, ...] = ()
    labeller: str | None = None
    words: tuple[str, ...] = ()
    named: bool = False
    sharing: tuple[str, ...] = ()
    scheduler: DeviceScheduler | None = None


class NodeShape(msgspec.Struct, frozen=True):
    """A node as sold: whole GPUs of one model, vCPUs, memory in bytes, without reservations."""

    instance: str
    model: str
    gpus: int
    cpu: int
    memory: int
    source: str


class GpuShare(msgspec.Struct, frozen=True):
    """The CPU and memory beside one GPU that every common node has: the minimum of each over all
    node shapes.

    `cpu`: whole vCPUs. `memory`: bytes. The two may come from different nodes.
    """

    cpu: int
    cpu_from: NodeShape
    memory: int
    memory_from: NodeShape


class Product(NamedTuple):
    """The parts of a product label's value: model, MIG profile, and whether it is shared."""

    name: str
    mig: str | None
    shared: bool
