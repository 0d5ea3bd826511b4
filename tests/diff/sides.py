"""Two texts compared as a user does it: two files, one folder, the library's function."""

from __future__ import annotations

import tempfile
from pathlib import Path

import gpuspec
from gpuspec import Diff
from gpuspec.diff import ObjectChange


def compared(old: str, new: str) -> Diff:
    """The comparison of two texts of manifests or specs."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{name}.yaml") for name in ("old", "new")]
        for file, text in zip(files, (old, new), strict=True):
            file.write_text(text, encoding="utf-8")
        return gpuspec.diff(*map(str, files))


def change(old: str, new: str) -> ObjectChange:
    """The one change between two texts."""
    (found,) = compared(old, new).changes
    return found


def said(one: ObjectChange) -> list[str]:
    """Its remarks; what wants a second look begins with `!`."""
    return [f"{'! ' if remark.alarm else ''}{remark.text}" for remark in one.remarks]


def told(one: ObjectChange) -> list[str]:
    """Its fields, each as one line of text."""
    signs = {"added": "+", "removed": "-", "changed": "~", "reordered": "%"}
    return [
        f"{signs[field.change]} {field.path}: {field.old!r} → {field.new!r}" for field in one.fields
    ]


def deployment(container: str = "", pod: str = "", spec: str = "", name: str = "chat") -> str:
    """A Deployment of one container, with more in flow style (`, key: value`)."""
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: serving}}
spec: {{selector: {{matchLabels: {{app: {name}}}}}, template: {{metadata: {{labels: {{app: {name}}}}},
  spec: {{containers: [{{name: main, image: "example/chat:1"{container}}}]{pod}}}}}{spec}}}
"""


def job(name: str, image: str = "example/train:1", more: str = "") -> str:
    """A Job of one container on eight GPUs."""
    return f"""\
apiVersion: batch/v1
kind: Job
metadata: {{name: {name}, namespace: ml}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: {image}
          command: [python, -m, train]
          resources: {{limits: {{nvidia.com/gpu: 8}}}}
{more}"""
