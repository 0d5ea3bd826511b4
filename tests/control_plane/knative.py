"""What Knative Serving answers to a Service, and the Deployment that it makes of it: by its own code."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import msgspec

from tests.control_plane import binaries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.control_plane.client import Object


class Answer(msgspec.Struct):
    """What is refused and warned of; what is stored, and the Deployment of its first revision."""

    errors: list[str]
    warnings: list[str]
    stored: dict[str, Any]
    deployment: dict[str, Any] | None = None


def answer(service: Object, features: Iterable[str] = (), **defaults: str) -> Answer:
    """What it says of a Service where these features are on. Raises `binaries.Missing`."""
    asked = {
        "service": service,
        "features": dict.fromkeys(features, "enabled"),
        "defaults": {key.replace("_", "-"): value for key, value in defaults.items()},
    }
    done = subprocess.run(
        [binaries.program("knative")], input=json.dumps(asked), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout, type=Answer)


def made(answered: Answer) -> Object:
    """The Deployment, as one that no revision owns."""
    assert answered.deployment is not None, answered.errors
    deployment = dict(answered.deployment)
    deployment["metadata"].pop("ownerReferences")
    return {"apiVersion": "apps/v1", "kind": "Deployment", **deployment}
