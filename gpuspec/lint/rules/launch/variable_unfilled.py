"""A variable on a command line, or in another's value, that nothing fills in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.kustomizations import is_own
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.loading.kustomize import GROUP
from gpuspec.manifests.values import items
from gpuspec.objects.command_line import SHELLS
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU773",
    "variable-unfilled",
    "warning",
    "A variable in a command or value is never filled in",
    fix="unsafe",
)

# `$(NAME)` is the kubelet's, and `$$(NAME)` is how it is kept from it; `$NAME` is a shell's.
_KUBELETS = re.compile(r"(?<!\$)\$\(([A-Za-z_][A-Za-z0-9_]*)\)")
_SHELLS = re.compile(r"(?<!\$)\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
# What runs its words through a shell, or fills them in itself.
_READERS = frozenset({*SHELLS, "envsubst", "eval", "ssh", "srun", "mpirun", "ray", "su", "sudo"})
# Variables that a controller or the kubelet adds.
_ADDED = re.compile(r"JOB_COMPLETION_INDEX|.*_SERVICE_(?:HOST|PORT.*)|.*_PORT(?:_.*)?")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield every container: values that name later variables, and words that no shell reads."""
    for container in pod.every:
        # Kustomize's `vars` are written as the kubelet's, and its patches may add what is missing.
        whole = is_own(pod.object.group) and not context.collection.of(GROUP, "Kustomization")
        yield from _values(pod, container, whole)
        yield from _words(container, whole)


def _values(pod: Pod, container: PodContainer, whole: bool) -> Iterator[RawFinding]:
    places = {name: at for name, (at, _) in container.env.items()}
    for name, at in places.items():
        value, path = container.env_value(name) or "", (*container.env_path(name), "value")
        for other in _KUBELETS.findall(value):
            if other in places and places[other] > at and not container.value.get("envFrom"):
                yield RawFinding(
                    path,
                    f"the kubelet does not replace `$({other})`, because `{other}` is defined "
                    "further down: it uses only variables defined above",
                    note=f"move `{other}` above `{name}`",
                )
            elif whole and _is_missing(container, other):
                yield _missing(path, other)
        # What a script of the image makes of a value is not seen where the kind brings the command.
        if "$" not in value or not is_own(pod.object.group):
            continue
        for other in _meant_for_a_shell(container, value):
            if other != name and _is_read_as_written(container):
                yield RawFinding(
                    path,
                    f"no shell reads this value, so `${other}` stays as it is: the kubelet "
                    f"replaces only `$({other})`",
                    confidence="likely",
                    fix=_fix(path, value, other) if places[other] < at else None,
                )


def _words(container: PodContainer, whole: bool) -> Iterator[RawFinding]:
    if not _is_read_as_written(container):
        return
    for field in ("command", "args"):
        for at, word in enumerate(items(container.value.get(field))):
            if not isinstance(word, str) or "\n" in word:
                continue
            path = container.path(field, at)
            for other in _KUBELETS.findall(word):
                if whole and _is_missing(container, other):
                    yield _missing(path, other)
            for other in _meant_for_a_shell(container, word):
                yield RawFinding(
                    path,
                    f"no shell reads `{field}`, so the program gets `${other}` literally: the "
                    f"kubelet replaces only `$({other})`",
                    confidence="likely",
                    fix=_fix(path, word, other),
                )


def _is_read_as_written(container: PodContainer) -> bool:
    """Return whether nothing on the command line may fill in what stands on it."""
    words = [word for field in ("command", "args") for word in items(container.value.get(field))]
    if not container.value.get("command") or not all(isinstance(word, str) for word in words):
        return _has_known_entrypoint(container)
    return _READERS.isdisjoint(str(word).strip().rpartition("/")[2] for word in words)


def _has_known_entrypoint(container: PodContainer) -> bool:
    from gpuspec import runtimes

    name = runtimes.recognise(container.image)
    return (
        not container.value.get("command")
        and name is not None
        and runtimes.entrypoint(name, container.image) == "server"
    )


def _meant_for_a_shell(container: PodContainer, text: str) -> list[str]:
    """Return variables of the container that a text names in a shell's way.

    What fills in manifests before they are applied is written the same way: its names stand in the
    values of variables too.
    """
    names = dict.fromkeys(braced or plain for braced, plain in _SHELLS.findall(text))
    return [
        name
        for name in names
        if name in container.env and "$" not in (container.env_value(name) or "")
    ]


def _is_missing(container: PodContainer, name: str) -> bool:
    """Return whether a container certainly has no variable of that name, whatever its image
    sets."""
    return (
        name not in container.env
        and not container.value.get("envFrom")
        and _ADDED.fullmatch(name) is None
    )


def _missing(path: Path, name: str) -> RawFinding:
    return RawFinding(
        path,
        f"the kubelet does not replace `$({name})`, because the container has no variable "
        f"`{name}`: it uses those of `env` and `envFrom`, not the image's",
        confidence="likely",
    )


def _fix(path: Path, text: str, name: str) -> Fix:
    right = _SHELLS.sub(
        lambda match: f"$({name})" if name in match.groups() else match[0],
        text,
    )
    return Fix(f"write `$({name})`", (Put(path, right),))
