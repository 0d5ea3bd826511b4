"""The clusters that files go to, by the objects of Argo CD and Flux in the same tree.

An Application sends a path to its `destination`. A Kustomization of Flux sends it to the cluster of
its `kubeConfig` (its own, or the one that its patches give releases), or else to its own cluster:
the one whose folder a Kustomization applies from within. The bases of a path's kustomizations go to
the same cluster as the path.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.charts.release import ARGO, FLUX
from gpuspec.loading.application_sets import applications
from gpuspec.loading.flux_clusters import Remotes
from gpuspec.loading.reach import Reach, objects_of
from gpuspec.loading.tree import FileTree
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.manifests import SourceFile

KUSTOMIZATION = "kustomize.toolkit.fluxcd.io"
HERE = "in-cluster"
"""Argo CD's name for the cluster that it runs in itself."""
_LOCAL = re.compile(r"https://kubernetes\.default(\.svc.*)?")
_MARKS = (f"{ARGO}/", f"{KUSTOMIZATION}/", f"{FLUX}/")
_SAYS = re.compile(r"^\s*-?\s*\"?(?:destination|kubeConfig|path)\"?:", re.MULTILINE)
_Objects = list[tuple[str, dict[str, Any]]]
"""Objects of Argo CD and Flux, each with its file."""


class DeployedPath(msgspec.Struct, frozen=True):
    """A path, and the cluster that it goes to."""

    file: str
    """The file of the object that sends the path, below the root that the path is relative to."""
    path: str
    cluster: str
    """Empty if it is the cluster of the file."""


def destinations(names: Iterable[str], sources: Iterable[SourceFile]) -> dict[str, str]:
    """Return the cluster of each file that goes to exactly one. Returns nothing if all go to the
    same.

    `names` are those of all files, `sources` the texts of those that may have objects.
    """
    source_list = list(sources)
    marked = [source for source in source_list if any(mark in source.text for mark in _MARKS)]
    if not any(_SAYS.search(source.text) for source in marked):
        return {}
    objects = [(source.name, value) for source in marked for value in objects_of(source, _MARKS)]
    tree = FileTree(names, source_list)
    claims = Reach(tree)
    local: list[tuple[str, str]] = []
    remotes = Remotes(value for _, value in objects if _group(value) in (KUSTOMIZATION, FLUX))
    for sent in _sent(objects, tree, remotes):
        for folder, cluster in tree.places(sent.path, sent.file, sent.cluster):
            if sent.cluster:
                claims.add(folder, {cluster})
            else:
                local.append((tree.place(sent.file), folder))
    _add_local(local, claims)
    clusters_by_file = {name: claims.of(place) for place, name in tree.files.items()}
    clusters_by_file |= _releases(objects, remotes)
    single = {file: next(iter(some)) for file, some in clusters_by_file.items() if len(some) == 1}
    return single if len({*single.values()}) > 1 else {}


def _add_local(local: list[tuple[str, str]], claims: Reach) -> None:
    """Add the paths that Kustomizations apply to their own cluster: each path with its folder."""
    roots = {folder for place, folder in local if place.startswith(f"{folder}/")}
    names = Counter(map(os.path.basename, roots))
    for root in roots:
        name = os.path.basename(root)
        claims.add(root, {name if names[name] == 1 else os.path.relpath(root)})
    waiting = [path_and_folder for path_and_folder in local if path_and_folder[1] not in roots]
    while waiting:
        with_clusters = [
            (path_and_folder, claims.of(path_and_folder[0])) for path_and_folder in waiting
        ]
        for (_, folder), clusters in with_clusters:
            if clusters:
                claims.add(folder, clusters)
        unresolved = [
            path_and_folder for path_and_folder, clusters in with_clusters if not clusters
        ]
        if len(unresolved) == len(waiting):
            break
        waiting = unresolved
    if not roots:
        for _, folder in waiting:
            claims.add(folder, {HERE})


def _sent(objects: _Objects, tree: FileTree, remotes: Remotes) -> Iterator[DeployedPath]:
    for file, value in objects:
        group, kind = _group(value), value.get("kind")
        if group == ARGO:
            for spec in applications(value, file, tree):
                yield from _of_argo(spec, file)
        elif (group, kind) == (KUSTOMIZATION, "Kustomization"):
            yield DeployedPath(file, text(at(value, ("spec", "path"))), remotes.of(value))


def _of_argo(spec: dict[str, Any], file: str) -> Iterator[DeployedPath]:
    """Yield the paths of an Application, and the files of values that it names: several clusters
    may share a chart's folder.
    """
    cluster = _destination(spec)
    for source in (spec.get("source"), *items(spec.get("sources"))):
        path = text(mapping(source).get("path"))
        values = items(mapping(mapping(source).get("helm")).get("valueFiles"))
        paths = [path, *(_value_file(path, value) for value in values if isinstance(value, str))]
        for named_path in filter(None, paths) if cluster else ():
            yield DeployedPath(file, named_path, cluster)


def _value_file(path: str, name: str) -> str:
    """Return the path of a file of values: next to the chart, or in the repository of another
    source.
    """
    if name.startswith("$"):
        return name.partition("/")[2]
    return name if name.startswith("/") or not path else os.path.join(path, name)


def _destination(spec: dict[str, Any]) -> str:
    """Return the cluster of an Application: by its name, else by the address of its API server."""
    destination = mapping(spec.get("destination"))
    target = text(destination.get("name")) or text(destination.get("server"))
    return HERE if _LOCAL.fullmatch(target) else target


def _releases(objects: _Objects, remotes: Remotes) -> dict[str, set[str]]:
    """Return the files whose releases go to another cluster than the files: the objects of the
    release do.
    """
    by_file: dict[str, set[str]] = {}
    for file, value in objects:
        spec = mapping(value.get("spec"))
        group = _group(value)
        if group == FLUX and (cluster := remotes.of(value)):
            by_file.setdefault(file, set()).add(cluster)
        elif (group, value.get("kind")) == (ARGO, "Application"):
            sources = (spec.get("source"), *items(spec.get("sources")))
            if any(mapping(source).get("chart") for source in sources):
                by_file.setdefault(file, set()).update(filter(None, [_destination(spec)]))
    return by_file


def _group(value: dict[str, Any]) -> str:
    return str(value.get("apiVersion")).partition("/")[0]
