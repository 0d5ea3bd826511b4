"""A claim of devices or of storage that a pod holds, and none of its containers uses."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.kustomizations import is_changed
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import blank_name
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.claims import is_of_network
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU109",
    "claim-unused",
    "warning",
    "No container uses a claim that the pod holds",
    gives_way=("GPU315",),
)
_USES = ("volumeMounts", "volumeDevices")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield claims by their name in the pod. Annotations ask injectors for containers that use
    them."""
    claims = [*_devices(pod, context.collection), *_storage(pod)]
    if not claims or not pod.containers:
        return
    words = " ".join(text(value) for value in pod.annotations.values())
    used = {
        text(mapping(use).get("name"))
        for container in pod.every
        for use in (
            *(use for field in _USES for use in items(container.value.get(field))),
            *items(container.resources.get("claims")),
        )
    }
    for name, path, says in claims:
        if (
            name in used
            or name in words
            or name.startswith(_INJECTED)
            or blank_name(name)
            or is_changed(pod.object, context.collection)
        ):
            continue
        yield RawFinding(path, says, note="use it in a container, or remove the entry from the pod")


_INJECTED = "gke-gcsfuse-"
"""Volumes that a sidecar uses which the cluster adds."""


def _devices(pod: Pod, collection: Collection) -> Iterator[tuple[str, Path, str]]:
    for index, resource_claim in enumerate(items(pod.spec.get("resourceClaims"))):
        fields = mapping(resource_claim)
        if (name := text(fields.get("name"))) and not is_of_network(fields, pod, collection):
            yield (
                name,
                pod.path("resourceClaims", index),
                (
                    f"no container lists claim `{name}` in its `resources.claims`: the pod holds "
                    "the devices, but no container can use them"
                ),
            )


def _storage(pod: Pod) -> Iterator[tuple[str, Path, str]]:
    for name, (index, volume) in pod.volumes.items():
        if "persistentVolumeClaim" in volume or "ephemeral" in volume:
            yield (
                name,
                pod.path("volumes", index, "name"),
                (
                    f"no container mounts volume `{name}`: the pod waits for the volume's claim and "
                    "never uses it"
                ),
            )
    owner = pod.object
    if not owner.is_a("apps", "StatefulSet"):
        return
    for index, template in enumerate(items(owner.spec.get("volumeClaimTemplates"))):
        if name := text(at(template, ("metadata", "name"))):
            yield (
                name,
                owner.path("spec", "volumeClaimTemplates", index, "metadata", "name"),
                (
                    f"no container mounts the volume of claim template `{name}`: every replica "
                    "gets a volume that no container uses"
                ),
            )
