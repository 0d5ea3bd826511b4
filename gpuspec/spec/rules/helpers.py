"""Rules for init containers and sidecars."""

import re
from collections.abc import Iterable, Iterator

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Path
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.containers import Container
from gpuspec.spec.layout import MAIN_CONTAINER, own_mounts
from gpuspec.spec.quoting import shown
from gpuspec.spec.roles import Role
from gpuspec.spec.rules import environment
from gpuspec.spec.rules.references import image
from gpuspec.spec.rules.violation import SpecViolation
from gpuspec.spec.rules.volumes import volume_name

_PORT_NAME = re.compile(r"(?=.*[a-z])(?!.*--)[a-z0-9]([a-z0-9-]*[a-z0-9])?")
_PORT_NAME_LIMIT = 15


def problems(spec: WorkloadSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for init containers and sidecars."""
    volumes = mountable(spec)
    names = {MAIN_CONTAINER: "the main container's"}
    ports: dict[int, str] = {}
    for field, group in (("initContainers", spec.init_containers), ("sidecars", spec.sidecars)):
        for index, container in enumerate(group):
            path: Path = ("spec", field, index)
            if name := names.get(container.name):
                message = f"the name `{container.name}` is {name}"
                yield SpecViolation(message, (*path, "name"), "choose another name")
            names.setdefault(container.name, "another container's")
            yield from what_runs(container, volumes, path)
            yield from port_names(container.ports, (*path, "ports"))
            if field == "sidecars":
                yield from _shared_ports(container, ports, path)


def mountable(spec: WorkloadSpec) -> set[str]:
    """Return the volumes that init containers and sidecars can mount, by name."""
    # /dev/shm is there only where it is needed, and its size is the main container's affair.
    volumes = {mount.volume for mount in own_mounts(spec) if mount.volume != "shm"}
    return volumes | {volume_name(volume) for volume in spec.volumes}


def what_runs(
    container: Container | Role, volumes: set[str], path: Path
) -> Iterator[SpecViolation]:
    """Yield violations of the rules for image, environment and mounts."""
    yield from image(container.image, (*path, "image"))
    yield from environment.problems(container.env, container.env_from, path)
    places: set[str] = set()
    for index, mount in enumerate(container.mounts):
        where = (*path, "mounts", index)
        if mount.volume not in volumes:
            existing_volumes = f"volumes of this pod: {', '.join(sorted(volumes))}"
            yield SpecViolation(
                f"no volume {shown(mount.volume)}",
                (*where, "volume"),
                did_you_mean(mount.volume, volumes) or existing_volumes,
                needs=(("spec", "volumes"),),
            )
        if mount.path in places:
            yield SpecViolation(f"a second mount at `{mount.path}`", (*where, "path"))
        places.add(mount.path)


def port_names(ports: Iterable[str], path: Path) -> Iterator[SpecViolation]:
    """Yield names that Kubernetes does not accept for ports. `path`: of the map."""
    for name in ports:
        if len(name) > _PORT_NAME_LIMIT or not _PORT_NAME.fullmatch(name):
            yield SpecViolation(
                f"{shown(name)} is not a port name",
                (*path, name),
                f"at most {_PORT_NAME_LIMIT} characters of a-z, 0-9 and '-', at least one letter",
                key=True,
            )


def _shared_ports(
    container: Container, port_owners: dict[int, str], path: Path
) -> Iterator[SpecViolation]:
    """Yield ports that several containers use, although the containers of a pod share its address."""
    for name, port in container.ports.items():
        if port in port_owners:
            message = f"port {port} is already `{port_owners[port]}`'s"
            yield SpecViolation(
                message, (*path, "ports", name), "containers of a pod share its ports"
            )
        port_owners.setdefault(port, container.name)
