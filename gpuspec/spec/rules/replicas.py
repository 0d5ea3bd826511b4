"""Rules for the number of replicas and its metric."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.runtimes import ServerMetrics
from gpuspec.spec.quoting import shown
from gpuspec.spec.replicas import MetricFrom, Replicas
from gpuspec.spec.rules.violation import SpecViolation, exactly_one

_PATH: Path = ("spec", "replicas")
_FROM: Path = (*_PATH, "metricFrom")
_NEEDS = (("spec", "runtime"), _PATH)
BEFORE = (
    "use a metric from in front of them, by `metricFrom`: a gateway's requests, a queue's length"
)


def problems(runtime: str, replicas: Replicas) -> Iterator[SpecViolation]:
    """Yield violations of the rules for bounds, signal and metric."""
    metrics = runtimes.get(runtime).metrics
    if replicas.min > replicas.max:
        message = f"min {replicas.min} is above max {replicas.max}"
        yield SpecViolation(message, (*_PATH, "min"), needs=((*_PATH, "max"),))
    if runtimes.get(runtime).clustered:
        return
    if replicas.activation is not None and replicas.min:
        message = f"`activation` is for the first replica, but the minimum is {replicas.min}"
        yield SpecViolation(message, (*_PATH, "activation"), "delete it, or set min: 0", key=True)
    if replicas.metric_from is not None:
        yield from _from(replicas, replicas.metric_from)
    elif replicas.metric is not None:
        yield from _target(replicas, f"metric `{replicas.metric}`", (*_PATH, "metric"))
    else:
        yield from _signal(runtime, replicas, metrics)
    if not replicas.min:
        yield from _zero(replicas, metrics)


def _from(replicas: Replicas, source: MetricFrom) -> Iterator[SpecViolation]:
    """Check that a metric has exactly one source, and a name unless it is a query."""
    if wrong := exactly_one(source, ("object", "external", "query"), _FROM, "`metricFrom`"):
        yield from wrong
        return
    if source.query is not None:
        if replicas.metric is not None:
            message = f"the query defines its metrics: `{replicas.metric}` has no effect"
            yield SpecViolation(message, (*_PATH, "metric"), "delete it", key=True, needs=(_FROM,))
        yield from _target(replicas, "the query", (*_FROM, "query"))
    elif replicas.metric is None:
        message = "`metricFrom` needs a `metric`"
        yield SpecViolation(message, _FROM, "set its name: replicas.metric", needs=_NEEDS)
    else:
        yield from _target(replicas, f"metric `{replicas.metric}`", (*_PATH, "metric"))


def _target(replicas: Replicas, scaler: str, path: Path) -> Iterator[SpecViolation]:
    if replicas.target is None:
        hint = "set the value per replica above which one more is added"
        yield SpecViolation(f"{scaler} needs a `target`", path, hint, needs=_NEEDS)


def _signal(
    runtime: str, replicas: Replicas, metrics: ServerMetrics | None
) -> Iterator[SpecViolation]:
    """Yield a signal that the server does not emit."""
    if metrics is None or getattr(metrics, replicas.signal) is None:
        yield SpecViolation(
            f"runtime {runtime} has no known metric for `{replicas.signal}`",
            _PATH,
            "set replicas.metric and replicas.target",
            needs=_NEEDS,
        )
    elif replicas.signal == "cache" and (replicas.target or 0) > 100:
        message = f"a target of {replicas.target} percent of the KV cache is never reached"
        yield SpecViolation(message, (*_PATH, "target"), "set 100 or less", needs=_NEEDS)


def _zero(replicas: Replicas, metrics: ServerMetrics | None) -> Iterator[SpecViolation]:
    """Yield zero replicas with a metric that the replicas emit themselves, because nothing would
    start one again."""
    source, path = replicas.metric_from, (*_PATH, "min")
    if source is None:
        metric = replicas.metric or replicas.signal
        if metric == "running":
            # What stands before the servers may count them, which hangs on who carries them.
            return
        message = f"at 0 replicas no server emits `{metric}`, and no replica starts again"
        yield SpecViolation(message, path, BEFORE, needs=_NEEDS)
        return
    server_metrics = (metrics.queue, metrics.running, metrics.cache) if metrics else ()
    emitted = [metric_name for metric_name in server_metrics if metric_name]
    if source.query is not None:
        query, where = source.query, (*_FROM, "query")
        # Whatever is reckoned with a series that is not there has no value; only `or` goes on.
        gone = next(
            (
                metric_name
                for metric_name in emitted
                if metric_name in query and " or " not in query
            ),
            None,
        )
    else:
        # Imported only for specs that go to zero: start-up counts.
        from gpuspec.runtimes import gateways

        where = (*_PATH, "metric")
        names = [exported.name for exported in gateways.series() if exported.wakes is False]
        gone = next(
            (metric_name for metric_name in (*emitted, *names) if metric_name == replicas.metric),
            None,
        )
    if gone is not None:
        message = f"at 0 replicas nothing counts {shown(gone)}, and no replica starts again"
        yield SpecViolation(message, where, BEFORE, needs=_NEEDS)
