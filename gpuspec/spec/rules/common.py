"""Names, labels, resources and waivers: rules that every kind keeps."""

import re
from collections.abc import Iterator

from gpuspec.manifests import Path, dns_label, label_key, label_value
from gpuspec.spec.common import Labels, Metadata, WorkloadSpec
from gpuspec.spec.rules.broken import Broken

_IMAGE = re.compile(
    r"^(?:[a-zA-Z0-9.-]+(?::[0-9]+)?/)?[a-z0-9._-]+(?:/[a-z0-9._-]+)*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$"
)


def problems(metadata: Metadata, spec: WorkloadSpec) -> Iterator[Broken]:
    """Broken rules of the metadata and of the fields that all kinds share."""
    if reason := dns_label(metadata.name):
        yield Broken(f"`metadata.name`: {reason}", ("metadata", "name"))
    if reason := dns_label(metadata.namespace):
        yield Broken(f"`metadata.namespace`: {reason}", ("metadata", "namespace"))
    yield from labels(metadata.labels, ("metadata", "labels"))
    for key in metadata.annotations:
        if reason := label_key(key):
            yield Broken(f"annotation `{key}`: {reason}", ("metadata", "annotations", key))
    for field, value in (("owner", spec.owner), ("partOf", spec.part_of)):
        if value is not None and (reason := label_value(value)):
            yield Broken(f"`spec.{field}` becomes a label value: {reason}", ("spec", field))
    yield from image(spec.image, ("spec", "image"))
    yield from _resources(spec)
    yield from _user(spec)
    for index, override in enumerate(spec.overrides):
        if not override.patch:
            yield Broken("the override changes nothing", ("spec", "overrides", index, "patch"))
    for name, reason in (("root", spec.waivers.root), ("writableRoot", spec.waivers.writable_root)):
        if reason is not None and len(reason.split()) < 2:
            yield Broken(
                f"`spec.waivers.{name}` needs a reason in words",
                ("spec", "waivers", name),
                "it becomes an annotation that a reviewer reads",
            )


def labels(given: Labels, path: Path) -> Iterator[Broken]:
    """Broken rules of label keys and values."""
    for key, value in given.items():
        if reason := label_key(key):
            yield Broken(f"label `{key}`: {reason}", (*path, key))
        if reason := label_value(value):
            yield Broken(f"value of label `{key}`: {reason}", (*path, key))


def image(reference: str, path: Path) -> Iterator[Broken]:
    """Broken unless the text is an image reference: repository, tag, digest."""
    if not _IMAGE.match(reference):
        yield Broken(
            f'"{reference}" is not an image reference',
            path,
            "write registry/repository:tag@sha256:digest, the repository in lower case",
        )


def _resources(spec: WorkloadSpec) -> Iterator[Broken]:
    asked, path = spec.resources, ("spec", "resources")
    for name in ("cpu", "memory", "ephemeral_storage", "cpu_limit", "shm"):
        value = getattr(asked, name)
        if value is not None and value.value <= 0:
            yield Broken(f"`{name}` must be more than nothing", (*path, name))
    if asked.cpu and asked.cpu_limit and asked.cpu_limit.value < asked.cpu.value:
        yield Broken(
            f"the CPU limit {asked.cpu_limit} is below the request {asked.cpu}",
            (*path, "cpuLimit"),
        )
    if asked.shm and asked.memory and asked.shm.value >= asked.memory.value:
        yield Broken(
            f"/dev/shm of {asked.shm} leaves nothing of the memory limit {asked.memory}",
            (*path, "shm"),
            "files in /dev/shm count against the container's memory",
        )


def _user(spec: WorkloadSpec) -> Iterator[Broken]:
    if spec.user.uid == 0 and spec.waivers.root is None:
        yield Broken(
            "`spec.user.uid` is 0: Pod Security `restricted` refuses root",
            ("spec", "user", "uid"),
            "use another uid, or give the reason in spec.waivers.root",
        )
