"""Environment, volumes and containers: rules of what goes into a pod."""

import re
from collections.abc import Iterator

from gpuspec.manifests import Path, dns_label
from gpuspec.spec.common import Container, Env, EnvFrom, EnvSource, Volume, WorkloadSpec
from gpuspec.spec.rules.broken import Broken, exactly_one
from gpuspec.spec.rules.common import image

MAIN_CONTAINER = "main"
VOLUME_SOURCES = ("pvc", "config_map", "secret", "image", "size")
RESERVED_MOUNTS = ("/dev/shm", "/tmp", "/proc", "/sys", "/dev", "/")
# Names that hold a credential by the conventions of their tools. Deliberately narrow:
# MAX_TOTAL_TOKENS and the like are settings.
_SECRET = re.compile(
    r"(^|_)(API_KEY|ACCESS_KEY|SECRET|SECRET_KEY|SECRET_ACCESS_KEY|PASSWORD|PASSWD|TOKEN)$"
)
_ENV_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_.-]*$")


def problems(spec: WorkloadSpec) -> Iterator[Broken]:
    """Broken rules of environment, volumes, init and sidecar containers."""
    yield from _env(spec.env, spec.env_from, ("spec",))
    yield from _volumes(spec.volumes)
    known = {volume_name(volume) for volume in spec.volumes}
    seen = {MAIN_CONTAINER}
    for field, group in (("initContainers", spec.init_containers), ("sidecars", spec.sidecars)):
        for index, container in enumerate(group):
            path: Path = ("spec", field, index)
            if container.name in seen:
                yield Broken(f"a second container `{container.name}`", (*path, "name"))
            seen.add(container.name)
            yield from _container(container, known, path)


def volume_name(volume: Volume) -> str:
    """The name of a volume: as given, or made from its mount path."""
    return volume.name or re.sub(r"[^a-z0-9]+", "-", volume.mount.lower()).strip("-")


def _container(container: Container, volumes: set[str], path: Path) -> Iterator[Broken]:
    if reason := dns_label(container.name):
        yield Broken(f"container `{container.name}`: {reason}", (*path, "name"))
    yield from image(container.image, (*path, "image"))
    yield from _env(container.env, container.env_from, path)
    for index, mount in enumerate(container.mounts):
        if mount.volume not in volumes:
            names = ", ".join(sorted(volumes)) or "none"
            yield Broken(
                f"no volume `{mount.volume}`",
                (*path, "mounts", index, "volume"),
                f"volumes of this workload: {names}",
            )
    for name, port in container.ports.items():
        if not 1 <= port <= 65535:
            yield Broken(f"port {port} is not between 1 and 65535", (*path, "ports", name))


def _env(env: Env, env_from: tuple[EnvFrom, ...], path: Path) -> Iterator[Broken]:
    for name, value in env.items():
        here = (*path, "env", name)
        if not _ENV_NAME.match(name):
            yield Broken(f"`{name}` is not a name for an environment variable", here)
        if isinstance(value, EnvSource):
            yield from _source(value, here)
        elif _SECRET.search(name.upper()) and str(value):
            yield Broken(
                f"`{name}` is written in plain text",
                here,
                f"refer to it: {name}: {{secret: <name>, key: <key>}}",
            )
    for index, origin in enumerate(env_from):
        where = (*path, "envFrom", index)
        yield from exactly_one(origin, ("secret", "config_map"), where, "this entry")


def _source(source: EnvSource, path: Path) -> Iterator[Broken]:
    yield from exactly_one(source, ("secret", "config_map", "field"), path, "this value")
    if (source.secret or source.config_map) and not source.key:
        yield Broken("`key` is missing", path, "a Secret or ConfigMap has several: name the one")
    if source.field and source.key:
        yield Broken("a pod field has no `key`", (*path, "key"))


def _volumes(volumes: tuple[Volume, ...]) -> Iterator[Broken]:
    names: set[str] = set()
    mounts: set[str] = set()
    for index, volume in enumerate(volumes):
        path: Path = ("spec", "volumes", index)
        yield from exactly_one(volume, VOLUME_SOURCES, path, f"the volume at {volume.mount}")
        name = volume_name(volume)
        if name in names:
            yield Broken(f"a second volume `{name}`", path, "give it another `name`")
        names.add(name)
        if reason := dns_label(name):
            yield Broken(f"volume `{name}`: {reason}", path, "give it a `name`")
        mount = volume.mount.rstrip("/") or "/"
        if mount in RESERVED_MOUNTS:
            hint = "resources.shm sizes /dev/shm" if mount == "/dev/shm" else None
            yield Broken(f"`{mount}` is not for volumes", (*path, "mount"), hint)
        elif mount in mounts:
            yield Broken(f"a second volume at `{mount}`", (*path, "mount"))
        mounts.add(mount)
