"""Limits that KServe fills in, below the server's requests.

Source: kserve/kserve at v0.20.0, `setResourceRequirementDefaults` (apis/serving/v1beta1,
inference_service_defaults.go) and config/configmap/inferenceservice.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.json_loading import parse_json
from gpuspec.manifests.values import at, mapping, text
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU846",
    "filled-in-limit",
    "warning",
    "KServe adds a default limit below the server's request",
    fix="unsafe",
)
_KIND = "serving.kserve.io", "InferenceService"
_CONFIG = "inferenceservice-config", "kserve"
_INSTALLED = {"cpu": "1", "memory": "2Gi"}
"""The defaults of the installed configuration."""
_WORDS = {"cpu": "CPUs", "memory": "of memory"}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield the container that KServe's webhook completes: a component's model, else its first."""
    if (pod.object.group, pod.object.kind) != _KIND or not pod.containers:
        return
    if len(pod.base) != len(pod.object.base) + 2:
        # The workers of several nodes, and canaries, are left as they are written.
        return
    # A model's container is a field of the component, and others beside it are not looked at.
    first = pod.containers[0]
    server = next(
        (container for container in pod.containers if isinstance(container.path()[-1], str)), first
    )
    for name, limit_text in _filled_in(context).items():
        limit, requested = quantity(limit_text), quantity(server.requests.get(name))
        if (
            name in server.limits
            or limit is None
            or requested is None
            or requested.value <= limit.value
        ):
            continue
        yield RawFinding(
            server.path("resources", "requests", name),
            f"{requested} {_WORDS[name]} are requested without a limit: KServe's webhook sets a "
            f"limit of {limit}, below the request, and no pod is created",
            note=f"set a limit, unless ConfigMap `{_CONFIG[0]}` in namespace `{_CONFIG[1]}` has no "
            "such default",
            fix=set_field(server.path("resources", "limits", name), str(requested)),
            confidence="likely",
        )


def _filled_in(context: Context) -> dict[str, str]:
    """Return the limits that KServe writes: of its configuration in the set, else as it is
    installed."""
    config = context.collection.named("", "ConfigMap", *_CONFIG)
    if config is None:
        return _INSTALLED
    inference_service = text(mapping(config.value.get("data")).get("inferenceService"))
    resource = mapping(at(_read(inference_service), ("resource",)))
    return {name: text(resource.get(f"{name}Limit")) for name in _INSTALLED}


def _read(json_text: str) -> Any:
    try:
        return parse_json(json_text)
    except ValueError:
        return None
