"""Rules for monitoring: whether an installed component reads the profile's objects, and the server
emits the metrics of a spec's objectives."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.spec.inference import InferenceSpec
from gpuspec.spec.monitoring import Monitoring
from gpuspec.spec.profile import ClusterProfileSpec
from gpuspec.spec.rules.metadata import labels
from gpuspec.spec.rules.violation import SpecViolation

RULES = "prometheus-operator"
"""The components that read alert rules from objects."""
MONITORS = (RULES, "opentelemetry-operator")
"""The components that read ServiceMonitors and PodMonitors, or their own equivalents."""
_PATH: Path = ("spec", "monitoring")
_NEEDS: tuple[Path, ...] = (("spec", "installed"), ("spec", "extends"))


def problems(spec: ClusterProfileSpec, monitoring: Monitoring) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a profile's monitoring."""
    monitors = [name for name in MONITORS if name in spec.installed]
    if monitoring.scrape != "annotations" and not monitors:
        hint = f'add installed: {{{RULES}: "0.93"}} with its version, or set scrape: annotations'
        message = f"nothing installed reads a {monitoring.scrape}"
        yield SpecViolation(message, (*_PATH, "scrape"), hint, needs=_NEEDS)
    if monitoring.labels and monitoring.scrape == "annotations" and RULES not in spec.installed:
        message = "there is no monitor or rule to label"
        yield SpecViolation(message, (*_PATH, "labels"), "delete it", key=True, needs=_NEEDS)
    if monitoring.namespace and not (monitoring.dashboards or RULES in spec.installed):
        hint = f"delete it, set `dashboards`, or add {RULES} to `installed`"
        message = "there are neither rules nor a dashboard for it"
        yield SpecViolation(message, (*_PATH, "namespace"), hint, key=True, needs=_NEEDS)
    yield from labels(monitoring.labels, (*_PATH, "labels"))
    yield from labels(monitoring.dashboards, (*_PATH, "dashboards"))


def objectives(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a server's objectives."""
    runtime = runtimes.get(spec.runtime)
    counted = runtime.metrics
    fields = {"time_to_first_token": "first_token", "time_per_output_token": "per_token"}
    for field, series in fields.items():
        if getattr(spec.objectives, field) and getattr(counted, series, None) is None:
            field_name = dict(
                zip(
                    spec.objectives.__struct_fields__,
                    spec.objectives.__struct_encode_fields__,
                    strict=True,
                )
            )[field]
            message = f"{runtime.title} has no known metric for it, so a miss would go unnoticed"
            where: Path = ("spec", "objectives", field_name)
            yield SpecViolation(message, where, "delete it", key=True, needs=(("spec", "runtime"),))
