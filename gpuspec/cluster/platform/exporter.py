"""Metrics of the DCGM exporter, if alerts or the profile need more than its default list."""

from typing import Any

from gpuspec import hardware
from gpuspec.cluster.platform.observing import has_device_alerts
from gpuspec.runtimes.exporters import dcgm_asked, dcgm_defaults
from gpuspec.spec import Profile

Object = dict[str, Any]
METRICS = "gpuspec-dcgm-metrics"
_FILE = "dcgm-metrics.csv"


def exporter_objects(profile: Profile) -> list[Object]:
    """Return the ConfigMap with the exporter's fields, which replaces its default list and includes
    it."""
    more = _beside_its_list(profile)
    if not more:
        return []
    fields = {**dcgm_defaults(), **more}
    lines = [f"{name}, {kind}, field {name} of DCGM" for name, kind in fields.items()]
    metadata = {"name": METRICS, "namespace": hardware.provider(profile.spec.provider).operator}
    text = "".join(f"{line}\n" for line in lines)
    return [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {_FILE: text}}]


def exporter_settings(profile: Profile) -> Object:
    """Return the operator's settings for this ConfigMap; empty if the default list is enough."""
    return {"dcgmExporter": {"config": {"name": METRICS}}} if _beside_its_list(profile) else {}


def _beside_its_list(profile: Profile) -> dict[str, str]:
    """Return the additional fields for alerts, and those of the profile; none if the operator
    cannot be configured."""
    operator = profile.spec.gpu_operator
    if operator is None:
        return {}
    fields = dcgm_asked() if has_device_alerts(profile) else {}
    if operator.dcgm_exporter is not None:
        fields |= {str(name): str(kind) for name, kind in operator.dcgm_exporter.metrics.items()}
    return fields
