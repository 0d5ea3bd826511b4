"""What DCGM exporter measures, where the profile says more than its own list."""

from typing import Any

from gpuspec import hardware
from gpuspec.spec import Profile

Object = dict[str, Any]
METRICS = "gpuspec-dcgm-metrics"
_FILE = "dcgm-metrics.csv"


def exporter_objects(profile: Profile) -> list[Object]:
    """The ConfigMap of its fields, its own list among them, whose place it takes."""
    asked = _metrics(profile)
    if not asked:
        return []
    fields = {**hardware.dcgm_defaults(), **asked}
    lines = [f"{name}, {kind}, field {name} of DCGM" for name, kind in fields.items()]
    metadata = {"name": METRICS, "namespace": hardware.provider(profile.spec.provider).operator}
    text = "".join(f"{line}\n" for line in lines)
    return [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {_FILE: text}}]


def exporter_settings(profile: Profile) -> Object:
    """What the operator is told of it; nothing where it measures what it does by itself."""
    return {"dcgmExporter": {"config": {"name": METRICS}}} if _metrics(profile) else {}


def _metrics(profile: Profile) -> dict[str, str]:
    asked = profile.spec.gpu_operator
    if asked is None or asked.dcgm_exporter is None:
        return {}
    return {str(name): str(kind) for name, kind in asked.dcgm_exporter.metrics.items()}
