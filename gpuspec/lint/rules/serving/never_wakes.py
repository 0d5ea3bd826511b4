"""A server that is scaled to zero by a metric which it alone emits."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Found, Put, Rule
from gpuspec.lint.subjects.serving.signals import emitters, signals
from gpuspec.objects.objects import Object
from gpuspec.objects.scalers import scaler_of

RULE = Rule(
    "GPU808",
    "never-wakes",
    "warning",
    "At zero nothing emits the metric that would wake the server",
    fix="unsafe",
)


def check(one: Object, context: Context) -> Iterator[Found]:
    """ScaledObjects that go to zero, with the servers' own metrics for triggers and nothing else."""
    scaler = scaler_of(one)
    if scaler is None or (scaler.least > 0 and one.spec.get("idleReplicaCount") != 0):
        return
    looks = list(signals(scaler))
    if not looks or not all(_own(found.metrics) for found in looks):
        return
    idle = scaler.least > 0
    at = scaler.path("idleReplicaCount" if idle else scaler.least_at)
    unset = "" if idle or scaler.least_at in one.spec else " (the default)"
    yield Found(
        at,
        f"KEDA scales to 0{unset} on `{looks[0].metrics[0]}`, which the servers themselves emit: at "
        "zero there is none, and no request starts one again",
        note="keep one replica, or add a trigger of what stands before the server: a gateway's "
        "requests, a queue",
        confidence="likely",
        fix=None if idle else Fix("keep one replica", (Put(at, 1),)),
    )


def _own(metrics: tuple[str, ...]) -> bool:
    return bool(metrics) and all(emitters(name) for name in metrics)
