"""Model servers among containers: which one it is, where it listens, which pods serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import runtimes
from gpuspec.lint.subjects.serving.agents import agent
from gpuspec.manifests.values import items, mapping
from gpuspec.numbers import read_whole
from gpuspec.objects.gangs import ranks
from gpuspec.objects.launch import launch_of
from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import Container
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes import Runtime

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_CONFIG_FLAGS = ("--config", "--config-file", "-f")


class Listening(msgspec.Struct, frozen=True):
    """The port that a server takes requests on."""

    port: int
    path: Path | None
    """Where the manifest says so; None for the server's default."""


@kept
def server_of(container: Container) -> Runtime | None:
    """The model server that a container runs, by its command, else by its image.

    None for a command that starts none: what a script does is not known.
    """
    words = [word.text for word in container.words.all]
    name = runtimes.started(words)
    if name is None:
        if items(container.value.get("command")) or runtimes.started_otherwise(words):
            return None
        name = runtimes.recognise(container.image)
    return None if name is None else runtimes.get(name)


def listening(container: Container, server: Runtime) -> Listening | None:
    """Where a server listens; None where that cannot be told."""
    if not server.ports:
        return None
    main = server.ports[0]
    if main.setting is not None:
        flag = container.words.flag(*main.setting.flags) if main.setting.flags else None
        if flag is not None:
            return None if flag.number is None else Listening(flag.number, flag.path)
        for entry in main.setting.environment:
            name = entry.partition("=")[0]
            if name in container.env:
                port = read_whole(container.env_value(name))
                return None if port is None else Listening(port, container.env_path(name))
    told = container.words.flag(*_CONFIG_FLAGS) is not None or "PORT" in container.env
    # Variables that come from elsewhere may hold anything.
    if told or container.value.get("envFrom") or _shell_variable(container):
        return None
    return Listening(main.default, None)


class Loopback(msgspec.Struct, frozen=True):
    """That a server listens for its own pod alone."""

    path: Path
    told: str | None
    """The address as it is written; None where nothing is, and `path` is the command line's."""
    options: tuple[str, ...]
    """The options that would say another."""


def loopback(container: Container, server: Runtime) -> Loopback | None:
    """Where a server is told, or not told otherwise, to listen for its own pod alone; else None."""
    address = server.address
    if address is None:
        return None
    flag = container.words.flag(*address.options)
    if flag is not None:
        here = flag.value is not None and flag.value.strip("[]") in _LOOPBACK
        return Loopback(flag.path, flag.value, address.options) if here else None
    told = container.words.flag(*_CONFIG_FLAGS) is not None or _shell_variable(container)
    if not address.loopback or told:
        return None
    field = "args" if items(container.value.get("args")) else "command"
    return Loopback(container.path(field), None, address.options)


def _shell_variable(container: Container) -> bool:
    """Whether the command line is put together from variables, flags among them perhaps."""
    return any(word.text.startswith(("$", "{")) for word in container.words)


@kept
def gpu_workers(pod: Pod) -> tuple[Container, ...]:
    """The main containers that have accelerators, by a device or by a claim, and compute on them."""
    return tuple(
        one
        for one in pod.containers
        if (one.devices or (pod.claims and items(mapping(one.resources).get("claims"))))
        and agent(one) is None
    )


def answers(pod: Pod) -> bool:
    """Whether clients ask this pod: a service's, and no worker of a group behind its leader, nor a
    rank that a launcher starts."""
    # Where there is no template but the workers', the leader is made from it.
    worker = pod.role.gang and pod.role.name.startswith("worker") and len(pod.object.pods) > 1
    if worker or (ranks(pod) and any(map(launch_of, pod.gpu_containers))):
        return False
    return pod.life == "service" or pod.object.is_a("", "Pod")


def is_first(pod: Pod) -> bool:
    """Whether it is its object's first pod with accelerators: what is said once per object."""
    for other in pod.object.pods:
        if other.has_gpu or other.claims:
            return other is pod
    return True
