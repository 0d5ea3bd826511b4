"""A file on a program's command line that the ConfigMap mounted there does not have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.reading.kustomizations import is_changed
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.objects import Object, Pod, meet

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer

RULE = Rule(
    "GPU822",
    "file-not-mounted",
    "warning",
    "A program is given a file that its mounted ConfigMap does not contain",
    fix="unsafe",
)
_OPEN = ("$", "{", "*", "<", "`", " ", "\n")
"""Signs of unknown values, or of a script, which may test whether a file exists."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield words of command lines that are files in ConfigMaps, and single keys that are
    mounted."""
    for container in pod.every:
        for folder, (index, mount) in container.mounts.items():
            volume = pod.volumes.get(text(mount.get("name")))
            source = mapping(mapping(volume[1] if volume else None).get("configMap"))
            config = _config(source, pod, context) if source else None
            if config is None:
                continue
            files = _files(source, config)
            if not files or any(map(placeholder, files)):
                continue
            if "subPath" in mount or "subPathExpr" in mount:
                yield from _key(container.path("volumeMounts", index), mount, files, config)
            elif (name := folder.rpartition("/")[2]) in files and "." in name:
                yield _as_folder(container.path("volumeMounts", index), folder, name, config)
            else:
                yield from _words(container, f"{folder}/", files, config)


def _config(source: dict[str, Any], pod: Pod, context: Context) -> Object | None:
    """Return the ConfigMap of a volume, if it is the only one with its name in the set."""
    if source.get("optional") is True:
        return None
    objects = context.collection.all_named(
        "", "ConfigMap", text(source.get("name")), pod.object.namespace
    )
    if len(objects) != 1 or not meet(objects[0], pod.object):
        return None
    return None if is_changed(objects[0], context.collection) else objects[0]


def _files(source: dict[str, Any], config: Object) -> list[str]:
    """Return the files that a volume has: those that it names, or the keys of its ConfigMap."""
    if "items" in source:
        return [
            name for item in items(source["items"]) if (name := text(mapping(item).get("path")))
        ]
    data = (mapping(config.value.get(field)) for field in ("data", "binaryData"))
    return [key for data_field in data for key in data_field if isinstance(key, str)]


def _key(
    path: Path, mount: dict[str, Any], files: list[str], config: Object
) -> Iterator[RawFinding]:
    key = mount.get("subPath")
    if isinstance(key, str) and key not in files and "/" not in key and placeholder(key) is None:
        yield _found(
            (*path, "subPath"),
            f"ConfigMap `{config.name}` has no key `{key}`: the kubelet mounts an empty folder "
            "instead of the file",
            key,
            key,
            files,
            config,
        )


def _as_folder(path: Path, folder: str, name: str, config: Object) -> RawFinding:
    return RawFinding(
        (*path, "mountPath"),
        f"`{folder}` becomes a folder with all files of ConfigMap `{config.name}`: a program that opens "
        "it as a file fails",
        note=f"add `subPath: {name}`",
        confidence="likely",
        fix=Fix(f"mount the file `{name}`", (Put((*path, "subPath"), name),)),
    )


def _words(
    container: PodContainer, folder: str, files: list[str], config: Object
) -> Iterator[RawFinding]:
    inside = {mount for mount in container.mounts if f"{mount}/".startswith(folder)}
    texts = [
        (word, container.path(field, index))
        for field in ("command", "args")
        for index, word in enumerate(items(container.value.get(field)))
    ]
    variables = [
        (value, (*container.env_path(variable), "value"))
        for variable in container.env
        if (value := container.env_value(variable)) is not None
        and value.startswith(folder)
        # Without an ending it may be a folder.
        and "." in value.rpartition("/")[2]
    ]
    for word, path in (*texts, *variables):
        if not isinstance(word, str) or any(sign in word for sign in _OPEN):
            continue
        value = word.partition("=")[2] if word.startswith("-") and "=" in word else word
        name = value.removeprefix(folder)
        # Deeper paths are other mounts' or somebody's own.
        if name in (value, "") or "/" in name or name in files or value in inside:
            continue
        yield _found(
            path,
            f"ConfigMap `{config.name}`, mounted at `{folder}`, has no file `{name}`: the "
            "program does not find the file",
            word,
            name,
            files,
            config,
        )


def _found(
    path: Path, message: str, file_path: str, name: str, files: list[str], config: Object
) -> RawFinding:
    close = near(name, files) or (files[0] if len(files) == 1 else None)
    right = None if close is None else file_path.removesuffix(name) + close
    return RawFinding(
        path,
        message,
        note=f"write {choice_of(sorted(files))}",
        confidence="likely",
        related=(RelatedPlace(config.number, config.path("data"), "the mounted ConfigMap"),),
        fix=None if right is None else Fix(f"write `{close}`", (Put(path, right),)),
    )
