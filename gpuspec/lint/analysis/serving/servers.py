"""Model servers among containers: which one it is, where it listens, which pods serve."""

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
    """The port that a server takes requests on."""

    port: int
    path: Path | None
    """Where the manifest says so; None for the server's default."""


@kept
def server_of(container: PodContainer) -> Runtime | None:
    """Return the model server that a container runs, by its command, else by its image.

    None for a command that starts none: what a script does is not known.
    """
    words = [word.text for word in container.words.all]
    name = runtimes.started(words)
    if name is None:
        if items(container.value.get("command")):
            return None
        name = runtimes.recognise(container.image)
        if name is not None:
            words = [*runtimes.before_args(name, container.image), *words]
        if runtimes.started_otherwise(words):
            return None
    return None if name is None else runtimes.get(name)


def loads_on_request(server: Runtime) -> bool:
    """Return whether it answers at once, and loads a model when a client asks for one."""
    return server.weights is not None and server.weights.on_request


def listening(container: PodContainer, server: Runtime) -> Listening | None:
    """Return where a server listens; None where that cannot be told."""
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
    told = container.words.flag(*_CONFIG_FLAGS) is not None or "PORT" in container.env
    # Variables that come from elsewhere may hold anything.
    if told or container.value.get("envFrom") or _shell_variable(container):
        return None
    return None if main.default is None else Listening(main.default, None)


class Loopback(msgspec.Struct, frozen=True):
    """That a server listens for its own pod alone."""

    path: Path
    told: str | None
    """The address as it is written; None where nothing is, and `path` is the command line's."""
    options: tuple[str, ...]
    """The options that would say another; empty where only a variable does."""


def loopback(container: PodContainer, server: Runtime) -> Loopback | None:
    """Return where a server is told, or not told otherwise, to listen for its own pod alone; else
    None."""
    address = server.address
    if address is None:
        return None
    flag = container.words.flag(*address.options) if address.options else None
    if flag is not None:
        here = flag.value is not None and _is_loopback(flag.value)
        return Loopback(flag.path, flag.value, address.options) if here else None
    for name in address.variables:
        if name in container.env:
            value = container.env_value(name)
            here = value is not None and _is_loopback(value)
            path = (*container.env_path(name), "value")
            return Loopback(path, value, address.options) if here else None
    told = container.words.flag(*_CONFIG_FLAGS) is not None or _shell_variable(container)
    if not address.loopback or told:
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
    """Return whether an address, perhaps with a scheme in front and a port behind, is the pod's
    own."""
    host = address.rpartition("://")[2].partition("/")[0]
    name, _, port = host.rpartition(":")
    return any(each.strip("[]") in _LOOPBACK for each in (host, name if is_digits(port) else host))


def _shell_variable(container: PodContainer) -> bool:
    """Return whether the command line is put together from variables, flags among them perhaps."""
    return any(word.text.startswith(("$", "{")) for word in container.words)


@kept
def gpu_workers(pod: Pod) -> tuple[PodContainer, ...]:
    """Return the main containers that have accelerators, by a device or by a claim, and compute on
    them."""
    return tuple(
        container
        for container in pod.containers
        if (container.devices or (pod.claims and items(mapping(container.resources).get("claims"))))
        and agent(container) is None
    )


def answers(pod: Pod) -> bool:
    """Return whether clients ask this pod: a service's, and no worker of a group behind its leader,
    nor a rank that a launcher starts."""
    # Where there is no template but the workers', the leader is made from it.
    worker = pod.role.gang and pod.role.name.startswith("worker") and len(pod.object.pods) > 1
    if worker or (ranks(pod) and any(map(launch_of, pod.gpu_containers))):
        return False
    return pod.life == "service" or pod.object.is_a("", "Pod")


def is_first(pod: Pod) -> bool:
    """Return whether it is its object's first pod with accelerators: what is said once per
    object."""
    for other in pod.object.pods:
        if other.has_gpu or other.claims:
            return other is pod
    return True


def may_be_silent(pod: Pod, container: PodContainer) -> bool:
    """Return whether it may be one of several ranks, of which one alone answers requests."""
    return gang_of(pod.object) is not None or container.words.has(*_RANKS) is not None
