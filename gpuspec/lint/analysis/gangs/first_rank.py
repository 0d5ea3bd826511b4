"""The name by which the pods of one object find the first of them.

Sources: Kubernetes, StatefulSet (stable network identity), Indexed Job (pod host names), DNS for
Services and Pods (`hostname`, `subdomain`, publishNotReadyAddresses); the launchers' options.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_OPTIONS = (
    "--master-addr",
    "--rdzv-endpoint",
    "--dist-init-addr",
    "--main-process-ip",
    "--master-ip",
    "--data-parallel-address",
    "--head-address",
)
_VARIABLES = ("MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT", "DIST_INIT_ADDR")


class FirstRank(msgspec.Struct, frozen=True):
    """The address of the first pod, and the zone of its name."""

    container: PodContainer
    host: str
    """The first pod's own name: `train-0`."""
    service: str
    """The second part of the name: `workers` of `train-0.workers`; empty if there is none."""
    path: Path


@kept
def first_rank(pod: Pod) -> FirstRank | None:
    """Return the name of the first pod of a StatefulSet or an Indexed Job; None for other kinds."""
    owner = pod.object
    if not owner.name or not owner.is_a("apps", "StatefulSet") | owner.is_a("batch", "Job"):
        return None
    host = f"{owner.name}-0"
    pattern = re.compile(rf"(?<![-.a-z0-9]){re.escape(host)}(?:\.({_LABEL}))?(?![-a-z0-9])")
    for container in pod.containers:
        for text, path, is_meant in _texts(container):
            match = pattern.search(text) if host in text else None
            # A database names its first pod as a seed, and waits for no other pod.
            if match is not None and (is_meant or (match[1] and (pod.has_gpu or pod.claims))):
                return FirstRank(container, host, match[1] or "", path)
    return None


def addresses(pod: Pod) -> Iterator[tuple[str, Path]]:
    """Yield the rendezvous hosts in a pod's containers, without the port."""
    for container in pod.containers:
        for value, path, is_meant in _texts(container):
            host = value.rpartition("://")[2].partition(":")[0].strip()
            if is_meant and host:
                yield host, path


def _texts(container: PodContainer) -> Iterator[tuple[str, Path, bool]]:
    """Yield words and variables, and whether they should name the first rank."""
    # A variable comes first: an option that reads it is not where the name stands.
    for name in container.env:
        value = container.env_value(name)
        if value:
            yield value, (*container.env_path(name), "value"), name in _VARIABLES
    flag = container.words.flag(*_OPTIONS)
    if flag is not None and flag.value:
        yield flag.value, flag.path, True
    for word in container.words:
        yield word.text, word.path, False
