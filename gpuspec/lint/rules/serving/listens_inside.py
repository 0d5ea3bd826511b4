"""A model server that listens on the loopback address, and cannot be reached from outside its pod."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.probes import handler, probes
from gpuspec.lint.analysis.serving.servers import (
    Loopback,
    answers,
    gpu_workers,
    loopback,
    loopback_of_others,
    server_of,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import at, items
from gpuspec.numbers import is_digits
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU814",
    "listens-inside",
    "error",
    "A model server listens only on the loopback address",
    fix="unsafe",
)

EVERYWHERE = "0.0.0.0"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers that are configured so, or do so by default."""
    for container in gpu_workers(pod):
        server = server_of(container)
        if server is None:
            inside = loopback_of_others(container)
        else:
            loop = loopback(container, server)
            inside = None if loop is None else (loop, server.title)
        if inside is None:
            continue
        local, title = inside
        probe_kinds = [kind for kind, probe in probes(container) if _from_outside(probe)]
        alone = len(pod.every) == 1 and answers(pod)
        if not probe_kinds and not alone:
            # Another container may be the one that clients ask.
            continue
        does = (
            f"listens on 127.0.0.1 unless `{local.options[0]}` is set"
            if local.told is None
            else f"is set to listen on {local.told}"
        )
        who = (
            f"`{probe_kinds[0]}Probe` connects to the pod's address and fails"
            if probe_kinds
            else "clients cannot connect"
        )
        yield RawFinding(
            local.path,
            f"{title} {does}: {who}",
            # The image of another program may set the address.
            confidence="certain" if probe_kinds and server is not None else "likely",
            fix=_fix(local, at(pod.object.value, local.path[len(pod.object.base) :]))
            if server is not None or local.options[0] == "--host"
            else None,
        )


def _from_outside(probe: dict[str, object]) -> bool:
    handler_entry = handler(probe)
    return (
        handler_entry is not None
        and handler_entry[0] != "exec"
        and not handler_entry[1].get("host")
    )


def _everywhere(address: str) -> str:
    """Return the wildcard address, with the port of the written one."""
    host, colon, port = address.rpartition(":")
    return (
        f"{EVERYWHERE}:{port}"
        if colon and host and is_digits(port) and address != "::1"
        else EVERYWHERE
    )


def _fix(local: Loopback, words_value: object) -> Fix | None:
    """Return a fix that sets the wildcard address, replacing the written one or as a new option."""
    title = "listen on all addresses"
    options = local.options
    if local.told is not None:
        for option in ("", *(f"{option_name}=" for option_name in options)):
            if words_value == f"{option}{local.told}":
                return Fix(title, (Put(local.path, f"{option}{_everywhere(local.told)}"),))
        return None
    words = items(words_value)
    if any(not isinstance(word, str) or " " in word for word in words):
        return None
    end = len(words)
    puts = (Put((*local.path, end), options[0]), Put((*local.path, end + 1), EVERYWHERE))
    return Fix(title, puts)
