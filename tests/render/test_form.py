"""The form of what is rendered: the order of objects and keys, nothing empty, nothing null."""

from collections.abc import Iterator, Mapping
from typing import Any

import gpuspec
from gpuspec.kinds import apply_order, pod_paths
from gpuspec.manifests import Path, format_path

Renderings = Mapping[tuple[str, str], gpuspec.Rendering]

# Where an empty mapping says something.
MEANT_EMPTY = {"emptyDir", "podSelector", "namespaceSelector", "torch"}

OBJECT = [
    *("apiVersion", "kind", "metadata", "automountServiceAccountToken", "rules", "roleRef"),
    *("subjects", "data", "spec"),
]
METADATA = ["name", "namespace", "labels", "annotations"]
CONTAINER = [
    "name", "image", "restartPolicy", "command", "args", "workingDir", "ports", "env", "envFrom",
    "resources", "startupProbe", "readinessProbe", "livenessProbe", "lifecycle", "securityContext",
    "volumeMounts",
]  # fmt: skip
POD_LAST = ["initContainers", "containers", "volumes"]


def nodes(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from nodes(inner, (*path, step))


def in_order(keys: list[str], order: list[str]) -> bool:
    known = [key for key in keys if key in order]
    return known == sorted(known, key=order.index)


def everything(renderings: Renderings) -> Iterator[tuple[str, Path, Any]]:
    for (example, profile), rendering in renderings.items():
        for made in rendering.objects:
            for path, value in nodes(made):
                yield f"{example} on {profile}: {made['kind']} {format_path(path)}", path, value


def test_objects_stand_in_apply_order(renderings: Renderings) -> None:
    for case, rendering in renderings.items():
        assert rendering.objects == apply_order(rendering.objects), case


def test_what_others_refer_to_comes_first(renderings: Renderings) -> None:
    for case, rendering in renderings.items():
        kinds = [made["kind"] for made in rendering.objects]
        (first, *_) = (at for at, made in enumerate(rendering.objects) if pod_paths(made))
        for kind in ("ServiceAccount", "NetworkPolicy", "Service", "PodDisruptionBudget"):
            assert kind not in kinds or kinds.index(kind) < first, case
        if "HorizontalPodAutoscaler" in kinds:
            assert kinds.index("HorizontalPodAutoscaler") > first, case


def test_nothing_is_null_and_only_what_means_it_is_empty(renderings: Renderings) -> None:
    for where, path, value in everything(renderings):
        assert value is not None, where
        if value in ({}, []):
            assert path[-1] in MEANT_EMPTY, where


def test_keys_stand_in_the_order_people_write_them(renderings: Renderings) -> None:
    for where, path, value in everything(renderings):
        if not isinstance(value, dict):
            continue
        keys = list(value)
        if not path:
            assert keys == [key for key in OBJECT if key in keys], where
        elif path[-1] == "metadata" and "triggers" not in path:
            assert keys == [key for key in METADATA if key in keys], where
        elif len(path) > 1 and path[-2] in ("containers", "initContainers"):
            assert keys == [key for key in CONTAINER if key in keys], where
        elif "containers" in keys:
            assert keys[-1] in POD_LAST and in_order(keys, POD_LAST), where
        elif "name" in keys:
            # What names an object says of which kind it is first.
            named = path[-1] == "metric" or "kind" in keys
            assert keys[0] == "name" or named, where


def test_every_value_has_a_reason_or_is_the_templates_own(renderings: Renderings) -> None:
    """What no leaf stands behind is what says of which kind an object is."""
    own: set[str] = set()
    for rendering in renderings.values():
        for made in rendering.rendered:
            for path, value in nodes(made.value):
                if not isinstance(value, dict | list) and made.decision(path) is None:
                    own.add(format_path(path))
    assert own == {"apiVersion", "kind"}


def test_every_decision_is_of_a_field_and_says_why(renderings: Renderings) -> None:
    for case, rendering in renderings.items():
        decisions = sum(len(made.provenance) for made in rendering.rendered)
        assert len(rendering.explanations()) == decisions > 50, case
        for explanation in rendering.explanations():
            assert explanation.value is not None, (case, explanation)
            assert explanation.reason and explanation.origin, (case, explanation)
