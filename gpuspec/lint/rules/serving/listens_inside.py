"""A model server that listens on the loopback address, where nobody outside its pod reaches it."""

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
    """Yield servers that are told so, or listen there unless told otherwise."""
    for container in gpu_workers(pod):
        server = server_of(container)
        if server is None:
            inside = loopback_of_others(container)
        else:
            loop = loopback(container, server)
            inside = None if loop is None else (loop, server.title)
        if inside is None:
            continue
        found, title = inside
        asked = [kind for kind, probe in probes(container) if _from_outside(probe)]
        alone = len(pod.every) == 1 and answers(pod)
        if not asked and not alone:
            # Another container may be the one that clients ask.
            continue
        does = (
            f"listens on 127.0.0.1 unless `{found.options[0]}` is set"
            if found.told is None
            else f"is set to listen on {found.told}"
        )
        who = (
            f"`{asked[0]}Probe` connects to the pod's address and fails"
            if asked
            else "clients cannot connect"
        )
        yield RawFinding(
            found.path,
            f"{title} {does}: {who}",
            # The image of another program may set the address.
            confidence="certain" if asked and server is not None else "likely",
            fix=_fix(found, at(pod.object.value, found.path[len(pod.object.base) :]))
            if server is not None or found.options[0] == "--host"
            else None,
        )


def _from_outside(probe: dict[str, object]) -> bool:
    found = handler(probe)
    return found is not None and found[0] != "exec" and not found[1].get("host")


def _everywhere(told: str) -> str:
    """Return every address, with the port that stands behind the one that is written."""
    host, colon, port = told.rpartition(":")
    return (
        f"{EVERYWHERE}:{port}"
        if colon and host and is_digits(port) and told != "::1"
        else EVERYWHERE
    )


def _fix(found: Loopback, written: object) -> Fix | None:
    """Return every address: in the place of the one that is written, or as a further option."""
    title = "listen on all addresses"
    options = found.options
    if found.told is not None:
        for option in ("", *(f"{each}=" for each in options)):
            if written == f"{option}{found.told}":
                return Fix(title, (Put(found.path, f"{option}{_everywhere(found.told)}"),))
        return None
    words = items(written)
    if any(not isinstance(word, str) or " " in word for word in words):
        return None
    end = len(words)
    puts = (Put((*found.path, end), options[0]), Put((*found.path, end + 1), EVERYWHERE))
    return Fix(title, puts)
