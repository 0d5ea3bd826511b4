"""What DCGM exporter measures, where alerts or the profile ask for more than its own list."""

from typing import Any

from gpuspec import hardware
from gpuspec.cluster.platform.observing import has_device_alerts
from gpuspec.runtimes.exporters import dcgm_asked, dcgm_defaults
from gpuspec.spec import Profile

Object = dict[str, Any]
METRICS = "gpuspec-dcgm-metrics"
_FILE = "dcgm-metrics.csv"


def exporter_objects(profile: Profile) -> list[Object]:
    """Return the ConfigMap of its fields, its own list among them, whose place it takes."""
    more = _beside_its_list(profile)
    if not more:
        return []
    fields = {**dcgm_defaults(), **more}
    lines = [f"{name}, {kind}, field {name} of DCGM" for name, kind in fields.items()]
    metadata = {"name": METRICS, "namespace": hardware.provider(profile.spec.provider).operator}
    text = "".join(f"{line}\n" for line in lines)
    return [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {_FILE: text}}]


def exporter_settings(profile: Profile) -> Object:
    """Return what the operator is told of it; nothing where it measures what it does by itself."""
    return {"dcgmExporter": {"config": {"name": METRICS}}} if _beside_its_list(profile) else {}


def _beside_its_list(profile: Profile) -> dict[str, str]:
    """Return the fields that alerts ask for, and those of the profile; none where nobody tells the
    operator."""
    operator = profile.spec.gpu_operator
    if operator is None:
        return {}
    fields = dcgm_asked() if has_device_alerts(profile) else {}
    if operator.dcgm_exporter is not None:
        fields |= {str(name): str(kind) for name, kind in operator.dcgm_exporter.metrics.items()}
    return fields
