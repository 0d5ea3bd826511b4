"""A variable on a command line, or in another's value, that nothing fills in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.kustomizations import is_own
from gpuspec.lint.analysis.serving.command_lines import lines_of
from gpuspec.lint.analysis.serving.scripts import is_joined
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, Put, RawFinding, Rule
from gpuspec.loading.kustomize import GROUP
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.command_line import SHELLS
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes import common
from gpuspec.runtimes.recognise import is_image

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
# A command in a command, which only a shell runs; and a name there that is no program's.
_COMMAND = re.compile(r"(?<!\$)\$\((?!\()[^()$]*[^()\s$]\s[^()$]*\)|`[^`\s][^`]*`")
_NAME_AS_COMMAND = re.compile(r"(?<![\\$'])\$\(\s*([A-Z][A-Z0-9_]*)\s*\)")
# What only a shell makes a path of: its user's folder, a variable.
_HOME = re.compile(r"~(?:/.*)?|.*\$(?:\(\w+\)|HOME\b|\{HOME\}).*")
# What runs its words through a shell, or fills them in itself.
_READERS = frozenset({*SHELLS, "envsubst", "eval", "ssh", "srun", "mpirun", "ray", "su", "sudo"})
# Added to the end of `env`: kubernetes/kubernetes pkg/controller/job/indexed_job_utils.go,
# addCompletionIndexEnvVariable.
_INDEX = "JOB_COMPLETION_INDEX"
# Variables that a controller or the kubelet adds.
_ADDED = re.compile(r"JOB_COMPLETION_INDEX|.*_SERVICE_(?:HOST|PORT.*)|.*_PORT(?:_.*)?")
# Whose controllers add only variables that begin with their own names.
_ADD_FEW = ("leaderworkerset.x-k8s.io", "jobset.x-k8s.io")
# A script that takes variables from elsewhere.
_TAKES = re.compile(r"(?:^|[\s;&|(])(?:source|\.|eval|envsubst|getopts|mapfile|readarray)\s|set -a")
# The controller gives no pod these, whatever the image is.
_OF_RUNS = frozenset(
    {"RANK", "NODE_RANK", "MACHINE_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "NNODES"}
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield every container: values that name later variables, and words that no shell reads."""
    for container in pod.every:
        # Kustomize's `vars` are written as the kubelet's, and its patches may add what is missing.
        whole = is_own(pod.object.group) and not context.collection.of(GROUP, "Kustomization")
        yield from _values(pod, container, whole)
        if not is_joined(pod, container):
            yield from _words(container, whole)
        yield from _mounts(container, whole)
        if (whole or pod.object.group in _ADD_FEW) and not container.value.get("envFrom"):
            yield from _of_scripts(container)
        if whole:
            yield from _run_as_commands(container)
    yield from _host_paths(pod)


def _values(pod: Pod, container: PodContainer, whole: bool) -> Iterator[RawFinding]:
    places = {name: at for name, (at, _) in container.env.items()}
    for name, at in places.items():
        value, path = container.env_value(name) or "", (*container.env_path(name), "value")
        if _names_itself(name, value) and not container.value.get("envFrom"):
            yield RawFinding(
                path,
                f"nothing replaces `${name}` in the value of `{name}` itself: the program gets the "
                "literal text, and the image's own value is lost",
                note=f"write the whole value, or extend `{name}` in a script: `sh -c 'export {name}=…:${name}; …'`",
                confidence="likely",
            )
            continue
        for variable in _KUBELETS.findall(value):
            if variable in places and places[variable] > at and not container.value.get("envFrom"):
                yield RawFinding(
                    path,
                    f"the kubelet does not replace `$({variable})`, because `{variable}` is defined "
                    "further down: it uses only variables defined above",
                    note=f"move `{variable}` above `{name}`",
                )
            elif variable == _INDEX and variable not in places and _is_of_job(pod):
                yield RawFinding(
                    path,
                    f"the kubelet does not replace `$({_INDEX})` here: the Job controller adds "
                    f"`{_INDEX}` below `{name}`, and only variables above are used",
                    note=f"set `{_INDEX}` above `{name}`, with `fieldPath: "
                    "metadata.annotations['batch.kubernetes.io/job-completion-index']`",
                )
            elif whole and _is_missing(container, variable):
                yield _missing(path, variable)
        # What a script of the image makes of a value is not seen where the kind brings the command.
        if "$" not in value or not is_own(pod.object.group):
            continue
        for variable in _meant_for_a_shell(container, value):
            if variable != name and _is_read_as_written(container):
                yield RawFinding(
                    path,
                    f"no shell reads this value, so `${variable}` stays as it is: the kubelet "
                    f"replaces only `$({variable})`",
                    confidence="likely",
                    fix=_fix(path, value, variable) if places[variable] < at else None,
                )


def _is_of_job(pod: Pod) -> bool:
    """Return whether the Job controller makes the pod."""
    return pod.object.group in ("batch", "jobset.x-k8s.io")


def _words(container: PodContainer, whole: bool) -> Iterator[RawFinding]:
    if not _is_read_as_written(container):
        return
    for field in ("command", "args"):
        for at, word in enumerate(items(container.value.get(field))):
            if not isinstance(word, str) or "\n" in word:
                continue
            path = container.path(field, at)
            for variable in _KUBELETS.findall(word):
                if whole and _is_missing(container, variable):
                    yield _missing(path, variable)
            if (inner := _COMMAND.search(word)) is not None and not _is_code(container, word):
                yield RawFinding(
                    path,
                    f"no shell reads `{field}`, so the program gets `{inner[0]}` literally: the "
                    "kubelet runs no commands",
                    note="put the whole line after `sh -c`, as one item",
                    confidence="likely",
                )
            for variable in _meant_for_a_shell(container, word):
                yield RawFinding(
                    path,
                    f"no shell reads `{field}`, so the program gets `${variable}` literally: the "
                    f"kubelet replaces only `$({variable})`",
                    confidence="likely",
                    fix=_fix(path, word, variable),
                )


def _mounts(container: PodContainer, whole: bool) -> Iterator[RawFinding]:
    """Yield paths of mounts in which nothing replaces a variable, or `~`."""
    for index, entry in enumerate(items(container.value.get("volumeMounts"))):
        mount = mapping(entry)
        path = container.path("volumeMounts", index)
        expression, sub_path, at = (
            text(mount.get(field)) for field in ("subPathExpr", "subPath", "mountPath")
        )
        for variable in _KUBELETS.findall(expression):
            if whole and _is_missing(container, variable):
                yield RawFinding(
                    (*path, "subPathExpr"),
                    f"the container has no variable `{variable}` for `$({variable})`: the kubelet "
                    "does not start the container (CreateContainerConfigError)",
                    note=f"set `{variable}` in `env`, such as from `fieldRef: {{fieldPath: metadata.name}}`",
                )
        if _KUBELETS.search(sub_path):
            yield RawFinding(
                (*path, "subPath"),
                f"the kubelet replaces no variable in `subPath`: all pods use the folder `{sub_path}`",
                note="write `subPathExpr` in place of `subPath`",
                fix=Fix(
                    "use `subPathExpr`",
                    (Drop((*path, "subPath")), Put((*path, "subPathExpr"), sub_path)),
                ),
            )
        if _HOME.fullmatch(at):
            yield RawFinding(
                (*path, "mountPath"),
                f"nothing replaces `{at}` in `mountPath`: the volume is mounted at a folder of that "
                "name below `/`, where no program looks",
                note="write the absolute path, such as `/root/.cache`",
            )


def _host_paths(pod: Pod) -> Iterator[RawFinding]:
    for index, volume in pod.volumes.values():
        path = text(mapping(volume.get("hostPath")).get("path"))
        if _HOME.fullmatch(path):
            yield RawFinding(
                pod.path("volumes", index, "hostPath", "path"),
                f"nothing replaces `{path}` in `hostPath`: the node has no such folder",
                note="write the absolute path of the folder on the node",
            )


def _run_as_commands(container: PodContainer) -> Iterator[RawFinding]:
    """Yield names in a shell's script that are written for the kubelet, which does not know them."""
    for path, script in _scripts(container).items():
        for name in dict.fromkeys(_NAME_AS_COMMAND.findall(script)):
            if (
                _is_missing(container, name)
                and re.search(rf"\b{re.escape(name)}\s*\(\)", script) is None
            ):
                yield RawFinding(
                    path,
                    f"the container has no variable `{name}` for `$({name})`: the shell runs a command "
                    f"`{name}`, which does not exist, and gets nothing",
                    note=f"set `{name}` in `env`, or write `${name}` if the script or the image sets it",
                    confidence="likely",
                )


def _of_scripts(container: PodContainer) -> Iterator[RawFinding]:
    """Yield variables that a shell fills in on the command line of a known program, and that nothing
    sets."""
    scripts = {
        path: script for path, script in _scripts(container).items() if not _TAKES.search(script)
    }
    set_names: set[tuple[Path, str]] = set()
    for line in lines_of(container) if scripts else ():
        published = is_image(container.image, line.program.images)
        for word in line.words:
            script = scripts.get(word.path)
            if script is None:
                continue
            for braced, plain in _SHELLS.findall(word.text):
                name = braced or plain
                if not (published or name in _OF_RUNS) or (word.path, name) in set_names:
                    continue
                if _is_set_nowhere(container, name, script):
                    yield RawFinding(
                        word.path,
                        f"nothing sets `${name}`: the shell puts nothing in its place on the "
                        f"command line of {line.program.title}",
                        note=f"set `{name}` in `env`, or give it a default: `${{{name}:-VALUE}}`",
                        confidence="likely",
                    )
                    return
                set_names.add((word.path, name))


def _scripts(container: PodContainer) -> dict[Path, str]:
    """Return the words after a shell, by their paths."""
    words = [
        (word, container.path(field, at))
        for field in ("command", "args")
        for at, word in enumerate(items(container.value.get(field)))
    ]
    if not words or str(words[0][0]).rpartition("/")[2] not in SHELLS:
        return {}
    return {path: word for word, path in words[1:] if isinstance(word, str)}


def _is_set_nowhere(container: PodContainer, name: str, script: str) -> bool:
    """Return whether neither the container nor its script sets a variable, and nothing else does."""
    word = re.escape(name)
    setting = (
        rf"(?:^|[^A-Za-z0-9_$]){word}\+?=|\b(?:read|for|local|declare|printf -v)\b[^;\n]*\b{word}\b"
    )
    return (
        name not in container.env
        and _ADDED.fullmatch(name) is None
        and not any(fnmatchcase(name, pattern) for pattern in common().set_variables.names)
        and re.search(setting, script) is None
        # Single quotes keep the shell from it; the program may read the variable itself.
        and not any(f"${name}" in part for part in script.split("'")[1::2])
        and not any(f"${{{name}}}" in part for part in script.split("'")[1::2])
        and f"\\${name}" not in script
        and f"\\${{{name}" not in script
    )


def _names_itself(name: str, value: str) -> bool:
    """Return whether a variable's value is intended to extend its previous one. Tools that fill in
    manifests use the same notation, but never for a list of folders."""
    if f"$({name})" in value:
        return f"$$({name})" not in value
    word = re.escape(name)
    mention = re.search(rf"(?<!\$)\$(?:\{{{word}\}}|{word}\b)", value)
    return name.endswith("PATH") and mention is not None and mention[0] != value


def _is_code(container: PodContainer, word: str) -> bool:
    """Return whether a word is a program's text for an interpreter, or a template of a prompt."""
    return "\n" in word or len(word) > 300 or container.words.flag("-c", "-e") is not None


def _is_read_as_written(container: PodContainer) -> bool:
    """Return whether no program on the command line can expand its variables."""
    words = [word for field in ("command", "args") for word in items(container.value.get(field))]
    if not container.value.get("command") or not all(isinstance(word, str) for word in words):
        return _has_known_entrypoint(container)
    return _READERS.isdisjoint(str(word).strip().rpartition("/")[2] for word in words)


def _has_known_entrypoint(container: PodContainer) -> bool:
    from gpuspec import runtimes

    name = runtimes.recognise(container.image)
    return (
        not container.value.get("command")
        and container.starts_entrypoint
        and name is not None
        and runtimes.entrypoint(name, container.image) == "server"
    )


def _meant_for_a_shell(container: PodContainer, words: str) -> list[str]:
    """Return the container's variables that a text names in shell notation.

    Tools that fill in manifests before they are applied use the same notation; their names occur in
    the values of variables too.
    """
    names = dict.fromkeys(braced or plain for braced, plain in _SHELLS.findall(words))
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
        note=f"set `{name}` in `env`, or run a shell that replaces `${name}`",
        confidence="likely",
    )


def _fix(path: Path, words: str, name: str) -> Fix:
    right = _SHELLS.sub(
        lambda match: f"$({name})" if name in match.groups() else match[0],
        words,
    )
    return Fix(f"write `$({name})`", (Put(path, right),))
