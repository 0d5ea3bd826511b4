"""Check priorities, installed components, and peers of network policies."""

from collections.abc import Iterator

from gpuspec.cluster.check.finding import CheckRemark
from gpuspec.manifests import Path
from gpuspec.spec import ClusterProfileSpec, NodeCount
from gpuspec.spec.rules.priorities import DEFAULT_VALUES, priority_value

_PRIORITIES: Path = ("spec", "priorities")
# Cluster Autoscaler's default of --expendable-pods-priority-cutoff.
EXPENDABLE = DEFAULT_VALUES["placeholder"]
# What serves custom.metrics.k8s.io goes by names with one of these words.
_ADAPTER_WORDS = ("adapter", "metrics")
# What a component cannot work without.
_NEEDS = {"kubeflow-trainer": ("jobset", "it makes one of every TrainJob")}


def placeholder_class(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield workload classes without a class for warm placeholders."""
    priorities = spec.priorities
    if priorities.inference is not None and priorities.placeholder is None:
        yield CheckRemark(
            "note",
            (*_PRIORITIES, "inference"),
            "no class for placeholders",
            "a service with `warm` slots is refused on this cluster",
            "write placeholder: gpu-placeholder, which `cluster render` makes",
        )


def placeholder_room(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield experiments without a class, which take the capacity reserved for servers."""
    priorities = spec.priorities
    missing = [
        field
        for field, name in (
            ("training", priorities.training),
            ("batchInference", priorities.batch_inference),
        )
        if name is None
    ]
    if priorities.placeholder is not None and missing:
        yield CheckRemark(
            "note",
            (*_PRIORITIES, "placeholder"),
            f"no class for {' and '.join(missing)}",
            "pods without a class have priority 0 and preempt: experiments take the warm slots",
            f"write {missing[0]}: with a class that does not preempt, which `cluster render` makes",
        )


def expendable(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield placeholders whose priority is too low for an autoscaler to add a node."""
    name = spec.priorities.placeholder
    value = None if name is None else priority_value(spec.priorities, name)
    scaled = [pool.name for pool in spec.pools if isinstance(pool.nodes, NodeCount)]
    if name is not None and value is not None and value < EXPENDABLE and scaled:
        yield CheckRemark(
            "note",
            (*_PRIORITIES, "values", name),
            f"placeholders have {value}, and pool {scaled[0]} is scaled",
            f"Cluster Autoscaler by default adds no node for pods below {EXPENDABLE}: no slot "
            "is kept warm",
            f"write {EXPENDABLE}",
        )


def shared_class(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield a class that servers and experiments share."""
    priorities = spec.priorities
    for field, name in (
        ("training", priorities.training),
        ("batchInference", priorities.batch_inference),
    ):
        if name is not None and name == priorities.inference:
            yield CheckRemark(
                "note",
                (*_PRIORITIES, field),
                f"{name} is the class of inference as well",
                "an experiment then preempts what a server may preempt, and no server can "
                "preempt it",
                f"give {field} a class of its own, with a lower value",
            )


def valueless_class(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield classes without a value, which `cluster render` does not create."""
    priorities = spec.priorities
    if not priorities.values:  # the classes are somebody else's
        return
    for role, name in priorities.names.items():
        if priority_value(priorities, name) is None:
            yield CheckRemark(
                "note",
                (*_PRIORITIES, "names", role),
                f"no value for {name}",
                "`cluster render` does not make it, and pods of a class that does not exist are "
                "refused",
                f"write values: {{{name}: 50000}}, unless it is made elsewhere",
            )


def adapter(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield metrics of an adapter that is not installed, or next to one that is."""
    names = spec.installed
    if spec.metrics is None or spec.metrics.source == "keda":
        return
    path: Path = ("spec", "metrics", "source")
    if not any(word in name for name in names for word in _ADAPTER_WORDS):
        yield CheckRemark(
            "note",
            path,
            "`installed` lists no adapter that serves "
            f"{spec.metrics.source.replace('-', '.')}.k8s.io",
            "without an adapter, the rendered autoscalers read no metrics and do not scale",
            'write installed: {prometheus-adapter: "0.12"} with its version, or delete `metrics`',
        )
    elif spec.metrics.source == "external-metrics" and "keda" in names:
        yield CheckRemark(
            "note",
            path,
            "keda is installed, which serves external.metrics.k8s.io for its own autoscalers",
            "the API server asks one adapter of that API, and the other's autoscalers read nothing",
            "write source: keda, with its `prometheus`",
        )


def components(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield components without the component that they need."""
    for name, (needed, why) in _NEEDS.items():
        if name in spec.installed and needed not in spec.installed:
            path: Path = ("spec", "installed", name)
            message = f"{name} is installed, but `installed` does not list {needed}"
            yield CheckRemark("note", path, message, why, f"write {needed} with its version")


def peers(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield network policies that admit no peer."""
    network = spec.network
    if network is None:
        return
    if not network.ingress:
        yield CheckRemark(
            "note",
            ("spec", "network", "ingress"),
            "no client may call a server",
            "every model server gets a policy that is closed but for these peers",
            "name the gateway: ingress: [{namespace: gateway}]",
        )
    if not network.metrics and spec.metrics is not None:
        yield CheckRemark(
            "note",
            ("spec", "network"),
            "no peer may scrape a server, but autoscaling reads its metrics",
            "unless a peer of `ingress` scrapes the same port, replicas stay as they are",
            "name it: metrics: [{namespace: monitoring}]",
        )
    elif not network.metrics and spec.monitoring is not None:
        yield CheckRemark(
            "note",
            ("spec", "network"),
            "no peer may scrape a server, but monitoring reads its metrics",
            "unless a peer of `ingress` scrapes the same port, alerts about requests never fire",
            "name it: metrics: [{namespace: monitoring}]",
        )
