"""A server that is scaled to zero by a metric which is there only while it runs."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.signals import emitters, signals
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.objects import Object
from gpuspec.objects.scalers import scaler_of
from gpuspec.runtimes import gateways

RULE = Rule(
    "GPU808",
    "never-wakes",
    "warning",
    "A server at zero replicas never wakes: nothing emits its scaling metric",
    fix="unsafe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield autoscalers that go to zero, by metrics of the servers' own and nothing else."""
    scaler = scaler_of(obj)
    if scaler is None or scaler.least is None:
        return
    if scaler.least > 0 and obj.spec.get("idleReplicaCount") != 0:
        return
    if not scaler.keda and not _BEYOND & {
        _type(metric_value) for metric_value in items(obj.spec.get("metrics"))
    }:
        # The API server refuses it, which GPU803 says.
        return
    looks = list(signals(scaler))
    if not looks or not all(_own(look.metrics) for look in looks):
        return
    idle = scaler.least > 0
    at = scaler.path("idleReplicaCount" if idle else scaler.least_at)
    unset = "" if idle or scaler.least_at in obj.spec else " (the default)"
    metric = looks[0].metrics[0]
    whose = (
        "only the servers themselves emit"
        if emitters(metric)
        else "an endpoint picker derives from the servers' own metrics"
    )
    yield RawFinding(
        at,
        f"{'KEDA scales' if scaler.keda else 'the autoscaler scales'} to 0{unset} on `{metric}`, "
        f"which {whose}: at zero replicas the metric has no value, and no request starts a "
        "replica",
        note="keep one replica, or scale on a metric from outside the server: a gateway's requests, "
        "a queue",
        confidence="likely",
        fix=None if idle else set_field(at, 1),
    )


_BEYOND = {"External", "Object"}
"""Types of metrics that may be there without the servers."""


def _type(metric: object) -> str:
    return text(mapping(metric).get("type"))


def _own(metrics: tuple[str, ...]) -> bool:
    asleep = {exported.name for exported in gateways.series() if exported.wakes is False}
    return bool(metrics) and all(emitters(name) or name in asleep for name in metrics)
