"""Model servers among containers: their runtime, their port, and the serving pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import runtimes
from gpuspec.lint.analysis.serving.agents import agent
from gpuspec.manifests.values import items, mapping
from gpuspec.numbers import is_digits, read_whole
from gpuspec.objects.gangs import gang_of, ranks
from gpuspec.objects.launch import launch_of
from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes import Runtime

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_CONFIG_FLAGS = ("--config", "--config-file", "-f")
_RANKS = ("--headless", "--node-rank", "--nnodes", "--dist-init-addr", "--worker")


class Listening(msgspec.Struct, frozen=True):
    """The request port of a server."""

    port: int
    path: Path | None
    """Its path in the manifest; None for the server's default."""


@kept
def server_of(container: PodContainer) -> Runtime | None:
    """Return the model server of a container, by its command, or else by its image.

    None for a command that starts none; scripts are not read.
    """
    words = [word.text for word in container.words.all]
    name = runtimes.started(words)
    if name is None:
        if items(container.value.get("command")) or not container.starts_entrypoint:
            return None
        name = runtimes.recognise(container.image)
        if name is not None:
            words = [*runtimes.before_args(name, container.image), *words]
        if runtimes.started_otherwise(words):
            return None
    return None if name is None else runtimes.get(name)


def loads_on_request(server: Runtime) -> bool:
    """Return whether it answers at once, and loads a model when a client requests one."""
    return server.weights is not None and server.weights.on_request


def listening(container: PodContainer, server: Runtime) -> Listening | None:
    """Return the port of a server; None if unknown."""
    if not server.ports:
        return None
    main = server.ports[0]
    if main.setting is not None:
        flag = container.words.flag(*main.setting.flags) if main.setting.flags else None
        if flag is not None:
            return None if flag.number is None else Listening(flag.number, flag.path)
        for name in main.setting.names:
            if name in container.env:
                port = read_whole(main.setting.read(name, container.env_value(name) or ""))
                return None if port is None else Listening(port, container.env_path(name))
    is_configured = container.words.flag(*_CONFIG_FLAGS) is not None or "PORT" in container.env
    # Variables that come from elsewhere may hold anything.
    if is_configured or container.value.get("envFrom") or _shell_variable(container):
        return None
    return None if main.default is None else Listening(main.default, None)


class Loopback(msgspec.Struct, frozen=True):
    """The fact that a server listens only within its pod."""

    path: Path
    told: str | None
    """The address as written; None by default, and then `path` is the command line's."""
    options: tuple[str, ...]
    """The options for another address; empty if only a variable sets it."""


def loopback(container: PodContainer, server: Runtime) -> Loopback | None:
    """Return whether a server listens only within its pod, by a setting or by default; else
    None."""
    address = server.address
    if address is None:
        return None
    flag = container.words.flag(*address.options) if address.options else None
    if flag is not None:
        is_local = flag.value is not None and _is_loopback(flag.value)
        return Loopback(flag.path, flag.value, address.options) if is_local else None
    for name in address.variables:
        if name in container.env:
            value = container.env_value(name)
            is_local = value is not None and _is_loopback(value)
            path = (*container.env_path(name), "value")
            return Loopback(path, value, address.options) if is_local else None
    is_configured = container.words.flag(*_CONFIG_FLAGS) is not None or _shell_variable(container)
    if not address.loopback or is_configured:
        return None
    field = "args" if items(container.value.get("args")) else "command"
    return Loopback(container.path(field), None, address.options)


def loopback_of_others(container: PodContainer) -> tuple[Loopback, str] | None:
    """Return where a program that is no known server listens for its own pod alone, and its title;
    else None."""
    words = [word.text for word in container.words]
    plain = [word.rpartition("/")[2] for word in words]
    for listener in runtimes.common().listeners:
        if not any(_stands_in(start.split(), plain) for start in listener.starts):
            continue
        texts = (container.image, container.name, *words, str(container.value.get("workingDir")))
        if listener.about and not any(listener.about in text.lower() for text in texts):
            continue
        if any(name in container.env for name in listener.variables):
            return None
        flag = container.words.flag(*listener.options)
        if flag is not None:
            if flag.value is None or not _is_loopback(flag.value):
                return None
            return Loopback(flag.path, flag.value, listener.options), listener.title
        if _shell_variable(container) or "envFrom" in container.value:
            return None
        field = "args" if items(container.value.get("args")) else "command"
        return Loopback(container.path(field), None, listener.options), listener.title
    return None


def _stands_in(phrase: list[str], words: list[str]) -> bool:
    length = len(phrase)
    return any(words[start : start + length] == phrase for start in range(len(words)))


def _is_loopback(address: str) -> bool:
    """Return whether an address, with or without scheme and port, is the pod's own."""
    host = address.rpartition("://")[2].partition("/")[0]
    name, _, port = host.rpartition(":")
    return any(
        host_name.strip("[]") in _LOOPBACK
        for host_name in (host, name if is_digits(port) else host)
    )


def _shell_variable(container: PodContainer) -> bool:
    """Return whether the command line has variables that may contain options."""
    return any(word.text.startswith(("$", "{")) for word in container.words)


@kept
def gpu_workers(pod: Pod) -> tuple[PodContainer, ...]:
    """Return the main containers with accelerators, by a device or a claim, that compute on
    them."""
    return tuple(
        container
        for container in pod.containers
        if (container.devices or (pod.claims and items(mapping(container.resources).get("claims"))))
        and agent(container) is None
    )


def answers(pod: Pod) -> bool:
    """Return whether clients call this pod: one of a service, and no worker behind a leader, nor a
    rank that a launcher starts."""
    # Where there is no template but the workers', the leader is made from it.
    worker = pod.role.gang and pod.role.name.startswith("worker") and len(pod.object.pods) > 1
    if worker or (ranks(pod) and any(map(launch_of, pod.gpu_containers))):
        return False
    return pod.life == "service" or pod.object.is_a("", "Pod")


def is_first(pod: Pod) -> bool:
    """Return whether it is its object's first pod with accelerators, for findings that are reported
    once per object."""
    for sibling in pod.object.pods:
        if sibling.has_gpu or sibling.claims:
            return sibling is pod
    return True


def may_be_silent(pod: Pod, container: PodContainer) -> bool:
    """Return whether it may be one of several ranks, of which only one answers requests."""
    return gang_of(pod.object) is not None or container.words.has(*_RANKS) is not None
