"""Manifests as they are sent: each object with its very text, and its pods as Pods."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from gpuspec.kinds import pod_paths
from tests.control_plane.client import Object


class Sent(NamedTuple):
    """An object, and the text that it was read from."""

    object: Object
    text: str


def documents(text: str) -> list[Sent]:
    """The documents of a printed stream, each with its own text."""
    parts = (part for part in text.split("\n---\n") if part.strip("-\n "))
    return [Sent(yaml.safe_load(part), part) for part in parts]


def pods(value: Object, namespace: str = "") -> Iterator[Object]:
    """Every whole pod template of an object as a Pod of its namespace, or else of this one."""
    for number, path in enumerate(pod_paths(value)):
        template: Any = value
        for step in path.spec[:-1]:
            template = template[step]
        if path.spec[-1] != "spec" or not template.keys() <= {"metadata", "spec"}:
            continue
        meta = (template.get("metadata") or {}) | {
            "name": f"pod-{number}",
            "namespace": value["metadata"].get("namespace") or namespace,
        }
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": template["spec"]}
