"""Pods of one Ray cluster whose images have different releases of Ray, or of Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.kinds.ray import CLUSTERS
from gpuspec.lint.analysis.gangs.rays import group_of
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU892",
    "ray-releases-differ",
    "error",
    "Pods of a Ray cluster have different releases of Ray or Python",
)
_IMAGE = re.compile(
    r"(?:^|/)rayproject/ray(?:-ml|-llm)?:(?P<ray>[0-9]+\.[0-9]+\.[0-9]+)(?:[.-](?:[a-z0-9]+-)*?py(?P<python>3[0-9]+))?"
)
_RELEASE = re.compile(r"[0-9]+\.[0-9]+")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield groups whose image differs from the head's, and a `rayVersion` that no image has."""
    head_image, head = "", None
    for pod in obj.pods:
        group = group_of(pod)
        if group is None or not pod.containers:
            continue
        image = pod.containers[0].image or ""
        match = _IMAGE.search(image)
        if match is None:
            continue
        if group.head:
            head_image, head = image, match
            yield from _version(obj, match)
            continue
        if head is None:
            continue
        for part, title in (("ray", "Ray"), ("python", "Python")):
            ours, theirs = match[part], head[part]
            if ours and theirs and ours != theirs:
                yield RawFinding(
                    pod.containers[0].path("image"),
                    f"the group has {title} {_shown(ours)}, but the head has {_shown(theirs)}: "
                    "Ray's workers exit with `Version mismatch`, and their GPUs stay unused",
                    note=f"use one image for all pods: the head has `{head_image}`",
                )
                break


def _shown(version: str) -> str:
    return version if "." in version else f"{version[0]}.{version[1:]}"


def _version(obj: Object, head: re.Match[str]) -> Iterator[RawFinding]:
    inside = (*CLUSTERS[obj.kind], "rayVersion")
    ray_version = text(mapping(at(obj.value, inside[:-1])).get("rayVersion"))
    release, used = _RELEASE.match(ray_version), _RELEASE.match(head["ray"])
    if release is None or used is None or release[0] == used[0]:
        return
    yield RawFinding(
        obj.path(*inside),
        f"`rayVersion: {ray_version}` differs from the image's release, {head['ray']}: KubeRay "
        "prepares the pods for another release",
        note=f"write `rayVersion: {head['ray']}`",
        severity="warning",
        confidence="likely",
    )
