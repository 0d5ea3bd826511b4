"""What the tables hold, as types. All of them are immutable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.hardware.mig_profile import MigProfile

Architecture = Literal["amd64", "arm64"]
ResourceKind = Literal["device", "shared", "slice", "core"]


class NvLink(msgspec.Struct, frozen=True):
    """GPU to GPU links of one board.

    `bandwidth`: GB/s per GPU, both directions together. `domain`: how many GPUs such links join
    in a usual node or rack. `bridge`: the links need a part that is fitted separately, so that a
    card of this kind may well have none.
    """

    bandwidth: float
    domain: int
    bridge: bool = False


class BoardForm(msgspec.Struct, frozen=True):
    """One board that a model is sold on.

    `products` are the values of the vendor's own product label (GPU Feature Discovery, AMD's node
    labeller) that name this board.
    """

    name: str
    products: tuple[str, ...]
    nvlink: NvLink | None


class GpuModel(msgspec.Struct, frozen=True, eq=False):
    """A GPU model as schedulers and people tell it apart: product and memory size.

    `family`: GPU Feature Discovery's value for NVIDIA, the architecture's name otherwise.
    `memory`: total bytes that the driver reports; what a process gets is some hundred MiB less.
    `marketed_gb`: the number on the box. `architecture`: the CPU architecture of the host, where
    the model is bound to one. `labels`: values by labeller (`labellers()`); one value may name
    several models. `sources`: where a fact is from, by fact (`memory`, `labels.gke`, …).
    `cores`: what of one device a process of its own drives; 1 where a process has the whole of it.
    `counts`: how many devices of a node are connected to each other, so that a container has so many
    and no other number; empty where any number will do.
    `weak`: facts that are inferred or were met once (`memory`, `labels.gfd.<value>`, …). `dies`:
    into how many devices of its own it can be partitioned at most. `whole`: of such a partition,
    the model that is divided.
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
        """What stands before its name, as it is spoken: `an` A100, H100, L4 or MI300X, `a` T4."""
        return "an" if self.name.startswith(("A", "H", "I", "L", "MI", "RTX")) else "a"

    @property
    def nvlink(self) -> NvLink | None:
        """The links of the best connected form; a form on a PCIe card can have less (`form`)."""
        return self.forms[0].nvlink

    @property
    def mig(self) -> tuple[MigProfile, ...]:
        """The MIG profiles, smallest first; none without MIG. Read from their table when asked for."""
        from gpuspec.hardware.mig import profiles_of

        return profiles_of(self.name, self.memory)

    def form(self, product: str) -> BoardForm | None:
        """Return the form that a product label's value names, if it is one of this model's."""
        return next((form for form in self.forms if product in form.products), None)

    def profile(self, name: str) -> MigProfile | None:
        """Return the MIG profile of this name (`1g.10gb+me`) or resource
        (`nvidia.com/mig-1g.10gb.me`)."""
        return next((p for p in self.mig if name in (p.name, p.resource)), None)


class Labeller(msgspec.Struct, frozen=True):
    """Something that puts labels on GPU nodes.

    `keys`: label keys by what they tell (`product`, `count`, `memory`, `sharing`, …). `product` is
    the key that names the model, if it has one.
    """

    name: str
    title: str
    vendor: str
    keys: Mapping[str, str]
    values: str
    source: str
    others: tuple[str, ...] = ()
    """Values of `product` that name no model of the tables."""

    @property
    def product(self) -> str | None:
        """The label key whose value names the model."""
        return self.keys.get("product")

    def values_of(self, model: GpuModel) -> tuple[str, ...]:
        """Return the values that its label has on nodes with this GPU; none where it has no name
        for it."""
        return tuple(model.labels.get(self.values, ()))


class DeviceResource(msgspec.Struct, frozen=True):
    """An extended resource that is an accelerator; a `name` that ends in `*` stands for a prefix.

    `of`: another name by which nodes advertise the same devices.
    """

    name: str
    vendor: str
    kind: ResourceKind
    source: str
    of: str | None = None


class DeviceScheduler(msgspec.Struct, frozen=True):
    """The scheduler that keeps a container's devices next to each other."""

    names: tuple[str, ...]
    """Parts of its names; the first is the one that its chart gives it."""
    whole: tuple[int, ...]
    """The devices of the machines with several."""


class Vendor(msgspec.Struct, frozen=True):
    """A maker of accelerators, and its resources.

    `others`: resources in its domain that are no accelerators of these. `labeller`: whose product
    label names its models' boards. `words`: what names of its models may begin with. `sharing`: the
    ways in which its device plugin shares a device. `named`: whether only programs that are made
    for them use its devices, so that workloads name them.
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
    """A node as sold: whole GPUs of one model, vCPUs, memory in bytes, nothing reserved yet."""

    instance: str
    model: str
    gpus: int
    cpu: int
    memory: int
    source: str


class GpuShare(msgspec.Struct, frozen=True):
    """What every common node can give beside one GPU: the minimum over the shapes, each on its own.

    `cpu`: whole vCPUs. `memory`: bytes. The two may come from different nodes.
    """

    cpu: int
    cpu_from: NodeShape
    memory: int
    memory_from: NodeShape


class Product(NamedTuple):
    """A product label's value taken apart: the model's part, the MIG profile, whether shared."""

    name: str
    mig: str | None
    shared: bool
