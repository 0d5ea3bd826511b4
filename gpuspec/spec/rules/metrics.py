"""Rules for the source of autoscaling metrics."""

from collections.abc import Iterator, Mapping

from gpuspec.manifests import Path
from gpuspec.numbers import read_version
from gpuspec.spec.metrics import Metrics, SeriesLabels
from gpuspec.spec.rules.violation import SpecViolation

_PATH: Path = ("spec", "metrics")
# The release of KEDA whose trigger can tell no answer from zero, and has a value to wake at.
_KEDA_SINCE = (2, 8)


def problems(metrics: Metrics, installed: Mapping[str, str]) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the source of metrics and its settings."""
    source = (*_PATH, "source")
    if metrics.source != "keda":
        if metrics.prometheus is not None:
            message = f"only KEDA queries `prometheus`, but the source is {metrics.source}"
            hint = "delete it, or set source: keda"
            yield SpecViolation(message, (*_PATH, "prometheus"), hint, key=True, needs=(source,))
        if metrics.source == "custom-metrics" and metrics.labels != SeriesLabels():
            message = "the adapter of custom-metrics finds the pods itself"
            yield SpecViolation(message, (*_PATH, "labels"), "delete it", key=True, needs=(source,))
        return
    if metrics.prometheus is None:
        hint = "write prometheus: {address: http://prometheus.monitoring.svc:9090}"
        yield SpecViolation("source keda needs a `prometheus`", source, hint, needs=(_PATH,))
    version = installed.get("keda")
    needs = (("spec", "installed"), ("spec", "extends"))
    if version is None:
        hint = 'add installed: {keda: "2.21"} with its version'
        yield SpecViolation("the source is KEDA, which is not installed", source, hint, needs=needs)
    elif read_version(version)[:2] < _KEDA_SINCE:
        least = ".".join(map(str, _KEDA_SINCE))
        message = f"KEDA {version} treats an empty answer of Prometheus as zero"
        yield SpecViolation(
            message, source, f"{least} and later can be configured not to", needs=needs
        )
