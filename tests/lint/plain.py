"""Objects as they are written, for tests that need no base."""

from typing import Any

import yaml

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers:
    - name: main
      image: example.com/app:1
      resources:
        requests: {nvidia.com/gpu: 1}
"""
"""A pod with one fault of one rule, GPU102, and several of others."""


def text(value: dict[str, Any], *more: dict[str, Any]) -> str:
    """Objects as YAML."""
    return yaml.safe_dump_all([value, *more], sort_keys=False)


def an(api_version: str, kind: str, name: str = "x", **fields: Any) -> dict[str, Any]:
    """An object of a kind."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}
