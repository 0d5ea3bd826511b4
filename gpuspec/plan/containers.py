"""Environment and containers: the main one, init containers and sidecars."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import structs

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.plan import attachment
from gpuspec.plan.decision import Decision, derived, from_spec, from_table
from gpuspec.plan.devices import maker, pod_needs
from gpuspec.plan.facets import ContainerPlan, NodeMap, Nodes
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.scratch import caches
from gpuspec.plan.wording import first_sentence
from gpuspec.spec import Container, Env, EnvFrom, EnvSource
from gpuspec.spec.containers import PullPolicy
from gpuspec.spec.layout import TMP
from gpuspec.spec.volumes import Mount

GIVEN = "as the spec says"
OFF_THE_ROOT = "the root file system is read-only"
_NAMES_OF_THE_USER = ("USER", "LOGNAME")


def environment(
    resolution: Resolution,
    first: Iterable[Decision] = (),
    settings: Mapping[str, Decision] | None = None,
) -> tuple[Decision, ...]:
    """Return the main container's environment: gpuspec's, then the spec's, which takes precedence
    by name.

    `first` are whole entries, `settings` the model server's variables.
    """
    entries: dict[str, Decision] = {}
    for name, decision in {
        **_writable(resolution),
        **_fixed(resolution),
        **(settings or {}),
    }.items():
        entries[name] = Decision(
            {"name": name, "value": decision.value}, decision.reason, decision.origin
        )
    for entry in first:
        entries[entry.value["name"]] = entry
    for entry in spec_environment(resolution.spec.env, ("spec", "env")):
        # Written last, whatever place ours had: Kubernetes expands $(NAME) from what stands above.
        entries.pop(entry.value["name"], None)
        entries[entry.value["name"]] = entry
    return tuple(entries.values())


def spec_environment(env: Env, path: Path) -> list[Decision]:
    """Return the entries of the spec, in its order."""
    return [_entry(name, value, (*path, name)) for name, value in env.items()]


def env_from(sources: tuple[EnvFrom, ...], path: Path) -> Nodes:
    """Return the Secrets and ConfigMaps whose keys all become variables."""
    decisions: list[Decision] = []
    for index, source in enumerate(sources):
        name = source.secret or source.config_map
        reference: dict[str, Any] = {"name": name}
        if source.optional:
            reference["optional"] = True
        value: dict[str, Any] = {"prefix": source.prefix} if source.prefix else {}
        value["secretRef" if source.secret else "configMapRef"] = reference
        decisions.append(from_spec((*path, index), value, GIVEN))
    return tuple(decisions)


_PULLS = {"if-not-present": "IfNotPresent", "always": "Always", "never": "Never"}


def pulled(pull_policy: PullPolicy, path: Path) -> Decision | None:
    """Return the image pull policy; None if Kubernetes decides by the tag. `path`: of the
    container."""
    return from_spec((*path, "pullPolicy"), _PULLS[pull_policy], GIVEN) if pull_policy else None


def helpers(
    resolution: Resolution, security: Decision, names: Mapping[str, str]
) -> tuple[ContainerPlan, ...]:
    """Return init containers, and then sidecars as init containers that keep running.

    A native sidecar starts before the main container and ends after it, so a Job still ends.
    `names` are the pod's volumes by their names in the spec.
    """
    always = derived("sidecars", "Always", "a native sidecar: it does not keep a Job from ending")
    container_plans: list[ContainerPlan] = []
    for field, group, restart in (
        ("initContainers", resolution.spec.init_containers, None),
        ("sidecars", resolution.spec.sidecars, always),
    ):
        for index, container in enumerate(group):
            path = ("spec", field, index)
            plain = _helper(container, path, security, restart)
            mounts = (*_tmp(container), *mounted(container.mounts, path, names))
            env = (*surroundings(resolution, container.env), *plain.env)
            container_plans.append(structs.replace(plain, mounts=mounts, env=env))
    return tuple(container_plans)


def _helper(
    container: Container, path: Path, security: Decision, restart: Decision | None
) -> ContainerPlan:
    resources = container.resources
    words = "the spec's value, or the default for a helper; the limit equals the request"
    quantities: NodeMap = {
        "memory": from_spec((*path, "resources", "memory"), str(resources.memory), words),
        "ephemeral-storage": from_spec(
            (*path, "resources", "ephemeralStorage"), str(resources.ephemeral_storage), words
        ),
    }
    cpu = from_spec(
        (*path, "resources", "cpu"), str(resources.cpu), "no limit: it may use idle CPUs"
    )
    ports = [
        from_spec((*path, "ports", name), {"name": name, "containerPort": port}, GIVEN)
        for name, port in container.ports.items()
    ]
    return ContainerPlan(
        name=from_spec((*path, "name"), container.name, GIVEN),
        image=from_spec((*path, "image"), container.image, GIVEN),
        pull_policy=pulled(container.pull_policy, path),
        command=from_spec((*path, "command"), list(container.command) or None, GIVEN),
        args=from_spec((*path, "args"), list(container.args) or None, GIVEN),
        env=tuple(spec_environment(container.env, (*path, "env"))),
        env_from=env_from(container.env_from, (*path, "envFrom")),
        ports=tuple(ports),
        resources={"requests": {"cpu": cpu, **quantities}, "limits": quantities},
        restart_policy=restart,
        security=security,
    )


def surroundings(resolution: Resolution, env: Env, *, gpus: bool = False) -> list[Decision]:
    """Return what a helper needs to start as a user without a home; without `gpus` it sees no
    GPU."""
    decisions = {
        "HOME": derived("sidecars", TMP, "the only writable folder of a helper"),
        **{
            v.name: from_table("runtimes/common environment", v.value, first_sentence(v.why))
            for v in runtimes.common().environment
            if v.name in _NAMES_OF_THE_USER
        },
    }
    hidden = pod_needs(resolution).hidden
    if not gpus and hidden is not None:
        decisions[hidden.name] = derived("restricted", hidden.value, hidden.why)
    return [
        Decision({"name": name, "value": decision.value}, decision.reason, decision.origin)
        for name, decision in decisions.items()
        if name not in env
    ]


def _tmp(container: Container) -> list[Decision]:
    if any(mount.path.rstrip("/") == TMP for mount in container.mounts):
        return []
    mount = {"name": "tmp", "mountPath": TMP, "subPath": container.name}
    return [derived("sidecars", mount, "the root file system is read-only; a folder of its own")]


def mounted(mounts: Iterable[Mount], path: Path, names: Mapping[str, str]) -> list[Decision]:
    """Return the mounts of a container other than the main one; `names` are the pod's volumes by
    the spec's names."""
    decisions: list[Decision] = []
    for index, mount in enumerate(mounts):
        value: dict[str, Any] = {"name": names[mount.volume], "mountPath": mount.path}
        if mount.read_only:
            value["readOnly"] = True
        decisions.append(from_spec((*path, "mounts", index), value, GIVEN))
    return decisions


def _writable(resolution: Resolution) -> dict[str, Decision]:
    """Return variables that move the libraries' writable folders to the home."""
    return {
        cache.variable: from_table(
            f"runtimes/{table} caches", where, first_sentence(cache.why) or OFF_THE_ROOT
        )
        for table, cache, where in caches(resolution)
    }


def _fixed(resolution: Resolution) -> dict[str, Decision]:
    """Return variables with a constant value: from the tables, and from the profile's fabric."""
    decisions: dict[str, Decision] = {}
    for table, variables in (
        ("common", runtimes.common().environment),
        (resolution.runtime.name, resolution.runtime.environment),
    ):
        for variable in variables:
            if variable.vendor not in (None, maker(resolution)):
                continue
            row = f"runtimes/{table} environment"
            decisions[variable.name] = from_table(row, variable.value, first_sentence(variable.why))
    return decisions | attachment.variables(resolution)


def _entry(name: str, value: str | int | bool | EnvSource, path: Path) -> Decision:
    if not isinstance(value, EnvSource):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return from_spec(path, {"name": name, "value": text}, GIVEN)
    if value.field:
        source: dict[str, Any] = {"fieldRef": {"fieldPath": value.field}}
    else:
        reference: dict[str, Any] = {"name": value.secret or value.config_map, "key": value.key}
        if value.optional:
            reference["optional"] = True
        source = {"secretKeyRef" if value.secret else "configMapKeyRef": reference}
    reason = (
        "by reference, so that the manifest contains no secret" if value.secret else "by reference"
    )
    return from_spec(path, {"name": name, "valueFrom": source}, reason)
