"""Environment and containers: the main one, init containers and sidecars."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.plan.case import Case
from gpuspec.plan.facets import ContainerPlan, NodeMap, Nodes
from gpuspec.plan.leaf import Leaf, derived, from_profile, from_spec, from_table
from gpuspec.plan.pools import uses_fabric
from gpuspec.plan.storage import HOME
from gpuspec.spec import Container, Env, EnvFrom, EnvSource


def environment(
    case: Case, first: Iterable[Leaf] = (), settings: Mapping[str, Leaf] | None = None
) -> tuple[Leaf, ...]:
    """The main container's environment: ours, then the spec's, which wins by name.

    `first` are whole entries, `settings` what the model server is told by variable.
    """
    entries: dict[str, Leaf] = {}
    for name, leaf in {**_writable(case), **_fixed(case), **(settings or {})}.items():
        entries[name] = Leaf({"name": name, "value": leaf.value}, leaf.reason, leaf.origin)
    for entry in first:
        entries[entry.value["name"]] = entry
    for entry in spec_environment(case.spec.env, ("spec", "env")):
        # Written last, whatever place ours had: Kubernetes expands $(NAME) from what stands above.
        entries.pop(entry.value["name"], None)
        entries[entry.value["name"]] = entry
    return tuple(entries.values())


def spec_environment(env: Env, path: Path) -> list[Leaf]:
    """Entries for what the spec says, in its order."""
    return [_entry(name, value, (*path, name)) for name, value in env.items()]


def env_from(sources: tuple[EnvFrom, ...], path: Path) -> Nodes:
    """Whole Secrets and ConfigMaps."""
    made: list[Leaf] = []
    for index, source in enumerate(sources):
        name = source.secret or source.config_map
        reference: dict[str, Any] = {"name": name}
        if source.optional:
            reference["optional"] = True
        value: dict[str, Any] = {"prefix": source.prefix} if source.prefix else {}
        value["secretRef" if source.secret else "configMapRef"] = reference
        made.append(from_spec((*path, index), value, "asked for"))
    return tuple(made)


def helpers(case: Case, security: Leaf) -> tuple[ContainerPlan, ...]:
    """Init containers, and sidecars behind them as init containers that keep running.

    A native sidecar starts before the main container and ends after it, so a Job still ends.
    """
    made = [
        _helper(container, ("spec", "initContainers", index), security, None)
        for index, container in enumerate(case.spec.init_containers)
    ]
    always = derived("sidecars", "Always", "a native sidecar: it does not keep a Job from ending")
    made += [
        _helper(container, ("spec", "sidecars", index), security, always)
        for index, container in enumerate(case.spec.sidecars)
    ]
    return tuple(made)


def _helper(
    container: Container, path: Path, security: Leaf, restart: Leaf | None
) -> ContainerPlan:
    asked = container.resources
    quantities: NodeMap = {
        "memory": from_spec((*path, "resources", "memory"), str(asked.memory), "as given"),
        "ephemeral-storage": from_spec(
            (*path, "resources", "ephemeralStorage"), str(asked.ephemeral_storage), "as given"
        ),
    }
    cpu = from_spec((*path, "resources", "cpu"), str(asked.cpu), "as given")
    ports = [
        from_spec((*path, "ports", name), {"name": name, "containerPort": port}, "as given")
        for name, port in container.ports.items()
    ]
    mounts = [
        from_spec(
            (*path, "mounts", index),
            {"name": m.volume, "mountPath": m.path, **({"readOnly": True} if m.read_only else {})},
            "as given",
        )
        for index, m in enumerate(container.mounts)
    ]
    return ContainerPlan(
        name=from_spec((*path, "name"), container.name, "as given"),
        image=from_spec((*path, "image"), container.image, "as given"),
        command=from_spec((*path, "command"), list(container.command) or None, "as given"),
        args=from_spec((*path, "args"), list(container.args) or None, "as given"),
        env=tuple(spec_environment(container.env, (*path, "env"))),
        env_from=env_from(container.env_from, (*path, "envFrom")),
        ports=tuple(ports),
        resources={"requests": {"cpu": cpu, **quantities}, "limits": quantities},
        restart_policy=restart,
        security=security,
        mounts=tuple(mounts),
    )


def _writable(case: Case) -> dict[str, Leaf]:
    """Where libraries write, moved to the writable home."""
    found: dict[str, Leaf] = {}
    for table, caches in (
        ("common", runtimes.common().caches),
        (case.runtime.name, case.runtime.caches),
    ):
        for cache in caches:
            where = HOME if cache.folder == "." else f"{HOME}/{cache.folder}"
            found[cache.variable] = from_table(f"runtimes/{table} caches", where, _first(cache.why))
    return found


def _fixed(case: Case) -> dict[str, Leaf]:
    """Variables that always have one value: from the tables, and from the profile's fabric."""
    found: dict[str, Leaf] = {}
    for table, variables in (
        ("common", runtimes.common().environment),
        (case.runtime.name, case.runtime.environment),
    ):
        for variable in variables:
            row = f"runtimes/{table} environment"
            found[variable.name] = from_table(row, variable.value, _first(variable.why))
    if case.pools and uses_fabric(case.workload):
        first = case.pools[0]
        for name, value in sorted(first.pool.rdma.env.items() if first.pool.rdma else ()):
            path = first.path("rdma", "env", name)
            found[name] = from_profile(path, value, "the pool's fabric")
    return found


def _entry(name: str, value: str | int | bool | EnvSource, path: Path) -> Leaf:
    if not isinstance(value, EnvSource):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return from_spec(path, {"name": name, "value": text}, "as given")
    if value.field:
        source: dict[str, Any] = {"fieldRef": {"fieldPath": value.field}}
    else:
        reference: dict[str, Any] = {"name": value.secret or value.config_map, "key": value.key}
        if value.optional:
            reference["optional"] = True
        source = {"secretKeyRef" if value.secret else "configMapKeyRef": reference}
    reason = "by reference: nothing secret is written" if value.secret else "by reference"
    return from_spec(path, {"name": name, "valueFrom": source}, reason)


def _first(why: str) -> str:
    """The first sentence of a table's reason."""
    return re.split(r"(?<=[a-z0-9)])[.;:] ", why.strip(), maxsplit=1)[0].rstrip(".")
