"""Manifests that no API server would take are compared all the same."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.report.diff import diff_report
from tests.diff.sides import compared

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**12) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
PLACES = [
    ("metadata",),
    ("metadata", "labels"),
    ("metadata", "annotations"),
    ("metadata", "namespace"),
    ("spec",),
    ("spec", "replicas"),
    ("spec", "strategy"),
    ("spec", "resources"),
    ("spec", "template"),
    ("spec", "template", "spec"),
    *(
        ("spec", "template", "spec", name)
        for name in (
            *(
                "containers",
                "volumes",
                "affinity",
                "nodeSelector",
                "tolerations",
                "securityContext",
            ),
            *("initContainers", "resources", "hostNetwork"),
        )
    ),
    ("data",),
    ("items",),
]
FIELDS = [
    *("image", "args", "env", "envFrom", "resources", "securityContext", "startupProbe", "ports"),
    *("name", "command", "volumeMounts"),
]
KINDS = [
    *(("apps/v1", "Deployment"), ("apps/v1", "StatefulSet"), ("batch/v1", "Job"), ("v1", "Secret")),
    *(("v1", "PersistentVolumeClaim"), ("v1", "Namespace"), ("jobset.x-k8s.io/v1alpha2", "JobSet")),
    *(("v1", "ConfigMap"), ("kueue.x-k8s.io/v1beta2", "Topology"), ("v1", "Pod")),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
]


def built(
    kind: tuple[str, str], junk: dict[tuple[str, ...], Any], container: dict[str, Any]
) -> str:
    value: dict[str, Any] = {
        "apiVersion": kind[0],
        "kind": kind[1],
        "metadata": {"name": "x"},
        "spec": {
            "template": {"spec": {"containers": [{"name": "m", "image": "a:1", **container}]}}
        },
    }
    for steps, one in junk.items():
        inside: Any = value
        for step in steps[:-1]:
            inside = inside.get(step) if isinstance(inside, dict) else None
        if isinstance(inside, dict):
            inside[steps[-1]] = one
    return json.dumps(value)


OBJECTS = st.builds(
    built,
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(PLACES), JUNK, max_size=3),
    st.dictionaries(st.sampled_from(FIELDS), JUNK, max_size=3),
)


@given(OBJECTS, OBJECTS)
@settings(max_examples=80)
def test_whatever_is_written_is_compared(old: str, new: str) -> None:
    found = compared(old, new)
    for format in ("text", "markdown", "json"):
        assert diff_report(found, format, width=80 if format == "text" else None)
    assert compared(new, new).level is None
