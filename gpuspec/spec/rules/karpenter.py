"""Rules for pools whose nodes Karpenter creates, and for their node classes."""

from collections.abc import Iterator

from gpuspec.manifests import Path, dns_subdomain
from gpuspec.spec.karpenter import CLASSES, MANAGED, Karpenter
from gpuspec.spec.pools import Pool
from gpuspec.spec.profile import ClusterProfileSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation

NODE_POOL_LABEL = "karpenter.sh/nodepool"
_POOLS: Path = ("spec", "pools")
_CLASSES: Path = ("spec", "nodeClasses")
_PROVIDER: tuple[Path, ...] = (("spec", "provider"), ("spec", "extends"))


def node_pool_name(pool: Pool) -> str:
    """Return the name of a pool's NodePool: the one in its nodes' label, or else the pool's name."""
    return pool.labels.get(NODE_POOL_LABEL, pool.name)


def problems(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for Karpenter's pools and classes."""
    pool_of_node_pool: dict[str, str] = {}
    for index, pool in enumerate(spec.pools):
        if pool.karpenter is None:
            continue
        path: Path = (*_POOLS, index, "karpenter")
        if "karpenter" not in spec.installed and spec.provider not in MANAGED:
            message = "Karpenter provisions the pool's nodes, but is not installed"
            hint = 'add installed: {karpenter: "1.14"} with its version'
            yield SpecViolation(
                message, path, hint, key=True, needs=(("spec", "installed"), *_PROVIDER)
            )
        yield from _name(pool, pool_of_node_pool, path)
        yield from _class(pool.karpenter, spec.provider, path)
    yield from _classes(spec)


def _name(pool: Pool, pool_of_node_pool: dict[str, str], path: Path) -> Iterator[SpecViolation]:
    name, needs = node_pool_name(pool), ((*path[:-1], "name"), (*path[:-1], "labels"))
    if reason := dns_subdomain(name):
        message = f"{shown(name)} cannot name a NodePool: {reason}"
        yield SpecViolation(message, path, "choose such a name for the pool", key=True, needs=needs)
    elif name in pool_of_node_pool:
        message = f"NodePool {name} already belongs to pool {shown(pool_of_node_pool[name])}"
        hint = f"set the label {NODE_POOL_LABEL} differently, or remove it"
        yield SpecViolation(message, path, hint, key=True, needs=(_POOLS,))
    pool_of_node_pool.setdefault(name, pool.name)


def _class(karpenter: Karpenter, provider: str, path: Path) -> Iterator[SpecViolation]:
    node_class, where = karpenter.node_class, (*path, "nodeClass")
    if (node_class.group is None) != (node_class.kind is None):
        message = "group and kind of a class are set together"
        yield SpecViolation(message, where, "set both, or neither")
    elif node_class.group is None and provider not in CLASSES:
        message = (
            f"the kind of class {shown(node_class.name)} does not follow from provider {provider}"
        )
        yield SpecViolation(message, where, "set its `group` and `kind`", needs=_PROVIDER)


def _classes(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    if spec.node_classes and spec.provider != "eks":
        message = f"classes are for Karpenter on AWS, but the provider is {spec.provider}"
        hint = "create the class elsewhere, and name it in the pool's `karpenter`"
        yield SpecViolation(message, _CLASSES, hint, key=True, needs=_PROVIDER)
    names: set[str] = set()
    for index, node_class in enumerate(spec.node_classes):
        path: Path = (*_CLASSES, index)
        if node_class.name in names:
            message = f"a second class {shown(node_class.name)}"
            yield SpecViolation(
                message, (*path, "name"), "give each its own name", needs=(_CLASSES,)
            )
        names.add(node_class.name)
        for field, tags in (
            ("subnets", node_class.subnets),
            ("securityGroups", node_class.security_groups),
        ):
            if not tags:
                message = f"class {node_class.name} finds no {field} without a tag"
                yield SpecViolation(
                    message, (*path, field), "write {karpenter.sh/discovery: CLUSTER}"
                )
            elif any(not key or not value for key, value in tags.items()):
                yield SpecViolation(
                    "a tag needs a key and a value", (*path, field), "write `*` for any"
                )
