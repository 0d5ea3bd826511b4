"""The cluster for which a file is, according to its folder's record and to objects of Argo CD and
Flux."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gpuspec.loading.inputs import Inputs


def with_clusters(inputs: Inputs) -> Inputs:
    """Return the inputs, the clusters of their files (from a record in the folder, or from Argo CD
    or Flux), and the variables that Flux substitutes in them."""
    from msgspec.structs import replace

    from gpuspec.loading.destinations import destinations
    from gpuspec.loading.substitutions import fillings

    recorded = _clusters(source.name for source in inputs.sources)
    sent = destinations(inputs.named, inputs.sources)
    profiles: dict[str, set[str]] = {}
    for file, profile in recorded.items():
        if file in sent:
            profiles.setdefault(sent[file], set()).add(profile)
    # What was rendered for a profile tells what the cluster is called that it is sent to.
    names = {cluster: _only(some) or cluster for cluster, some in profiles.items()}
    clusters = {**{file: names.get(value, value) for file, value in sent.items()}, **recorded}
    filled = fillings(inputs.named, inputs.sources)
    return replace(inputs, clusters=clusters, fillings=filled) if clusters or filled else inputs


def without_clusters(inputs: Inputs, clusters: Collection[str]) -> Inputs:
    """Return inputs without the files that were rendered for some clusters."""
    from msgspec.structs import replace

    remaining = {file: value for file, value in inputs.clusters.items() if value not in clusters}
    others = inputs.clusters.keys() - remaining.keys()
    sources = tuple(source for source in inputs.sources if source.name not in others)
    return replace(inputs, sources=sources, clusters=remaining)


def for_cluster(inputs: Inputs, cluster: str) -> Inputs:
    """Return inputs without the files rendered for other clusters, if any file was rendered for
    this one.

    If none was, all files are kept: the user asks how they would do on this cluster.
    """
    from msgspec.structs import replace

    from gpuspec.loading.notes import LoadingNote

    if cluster not in inputs.clusters.values():
        return inputs
    others = {file: value for file, value in inputs.clusters.items() if value != cluster}
    if not others:
        return inputs
    names = ", ".join(sorted({*others.values()}))
    count = f"{len(others)} {'file' if len(others) == 1 else 'files'}"
    loading_note = LoadingNote(
        "", f"left out: {count} that {'is' if len(others) == 1 else 'are'} for {names}"
    )
    sources = tuple(source for source in inputs.sources if source.name not in others)
    return replace(inputs, sources=sources, notes=(*inputs.notes, loading_note))


def _clusters(files: Iterable[str]) -> dict[str, str]:
    """Return the profile of each file. Other files in a folder of rendered files belong to the same
    cluster, if all rendered ones are for one cluster."""
    folders: dict[str, dict[str, str]] = {}
    cluster_of_file: dict[str, str] = {}
    for file in files:
        folder, name = os.path.split(file)
        if folder not in folders:
            folders[folder] = _recorded(folder or ".")
        cluster_of_name = folders[folder]
        cluster = cluster_of_name.get(name) or _only({*cluster_of_name.values()})
        if cluster:
            cluster_of_file[file] = cluster
    return cluster_of_file


def _recorded(folder: str) -> dict[str, str]:
    """Return the profile of each file name in a folder's record; empty if there is no readable
    record."""
    from gpuspec.manifests.writing import RECORD

    if not os.path.isfile(f"{folder}/{RECORD}"):
        return {}
    from pathlib import Path

    from gpuspec.manifests import InputError
    from gpuspec.render.record import read_record

    try:
        record = read_record(Path(folder))
    except InputError:
        # Whoever renders into it is told.
        return {}
    return {name: run.profile for run in record.runs.values() for name in run.files}


def _only(clusters: set[str]) -> str:
    return next(iter(clusters)) if len(clusters) == 1 else ""
