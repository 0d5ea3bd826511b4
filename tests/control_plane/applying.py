"""`kubectl apply`, as people and GitOps hosts do it, against a control plane."""

import json
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.control_plane.client import Object

Apply = Callable[..., str]


class NotApplied(Exception):
    """What kubectl said instead."""


def applier(kubectl: Path, kubeconfig: Path) -> Apply:
    """A function that applies objects with options of kubectl, and gives what it printed."""

    def apply(objects: Iterable[Object], *options: str) -> str:
        stream = "\n---\n".join(json.dumps(each) for each in objects)
        done = subprocess.run(
            [kubectl, f"--kubeconfig={kubeconfig}", "apply", *options, "-f", "-"],
            input=stream,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise NotApplied(done.stderr)
        return done.stdout

    return apply
