"""Kustomizations with complete contents: an object that nothing in them uses is unused."""

from __future__ import annotations

from os.path import dirname, join, normpath
from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import kind_of
from gpuspec.lint.analysis.reading.kustomizations import is_part
from gpuspec.loading.kustomize import GROUP
from gpuspec.manifests.values import items

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection, PodFacts
    from gpuspec.objects.objects import Object

_FURTHER = ("components", "generators", "transformers", "helmCharts", "helmChartInflationGenerator")
"""Fields that may add objects outside of files."""


class Whole(msgspec.Struct, frozen=True):
    """All objects of a kustomization that no other builds on."""

    maker: Object
    plain: list[Object]
    pods: list[PodFacts]


def wholes(collection: Collection) -> list[Whole]:
    """Return the kustomizations that are applied directly, with every file in the run."""
    makers = {normpath(obj.file): obj for obj in collection.of(GROUP, "Kustomization")}
    folders = {normpath(dirname(file) or "."): file for file in makers}
    plain: dict[str, list[Object]] = {}
    for kind in sorted(collection.kinds - {(GROUP, "Kustomization")}):
        for obj in collection.of(*kind):
            plain.setdefault(normpath(obj.file), []).append(obj)
    pods: dict[str, list[PodFacts]] = {}
    for pod in collection.pods:
        pods.setdefault(normpath(pod.file), []).append(pod)
    known_files = {normpath(file) for file, _ in collection.met} | plain.keys() | makers.keys()
    whole_list = []
    for file, maker in makers.items():
        files = _files(file, makers, folders, known_files)
        if files is None or is_part(maker, collection):
            continue
        whole = Whole(
            maker,
            [obj for file_name in files for obj in plain.get(file_name, ())],
            [pod for file_name in files for pod in pods.get(file_name, ())],
        )
        if not _has_unknown_objects(whole):
            whole_list.append(whole)
    return whole_list


def _has_unknown_objects(whole: Whole) -> bool:
    """Return whether an object is of an unknown kind, which may use anything."""
    kinds = {(obj.group, obj.kind) for obj in whole.plain}
    kinds |= {(pod.api_version.rpartition("/")[0], pod.kind) for pod in whole.pods}
    return any(kind_of(*kind) is None for kind in kinds)


def _files(
    file: str, makers: dict[str, Object], folders: dict[str, str], known_files: set[str]
) -> dict[str, None] | None:
    """Return the files of a kustomization; None if one of them is not in the run."""
    files: dict[str, None] = {}
    waiting = [file]
    for maker_file in waiting:  # it grows
        value = makers[maker_file].value
        if any(value.get(field) for field in _FURTHER):
            return None
        for name in (*items(value.get("resources")), *items(value.get("bases"))):
            if not isinstance(name, str):
                return None
            path = normpath(join(dirname(maker_file), name))
            if path in folders:
                waiting += [folders[path]] if folders[path] not in waiting else []
            elif path in known_files:
                files[path] = None
            else:
                return None
    return files
