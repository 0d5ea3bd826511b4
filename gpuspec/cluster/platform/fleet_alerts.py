"""Alerts on all GPUs of a cluster: broken, hot, missing, idle although allocated, waited for."""

from collections.abc import Iterator, Sequence

from gpuspec.plan.observing.alert import Alert
from gpuspec.plan.observing.of_pods import GPU_MEMORY_SHARE, IDLE
from gpuspec.plan.observing.promql import ENGINE, POD, memory_share, of_pods
from gpuspec.plan.observing.xids import broken

PENDING = 30 * 60
SLOWED = 0.1
"""The fraction of time at reduced clocks."""
_MINUTE, _HOUR = 60, 3600
_PHASE = "kube_pod_status_phase"
_GPU = "GPU {{ $labels.gpu }} ({{ $labels.modelName }}) of {{ $labels.hostname }}{{ $labels.Hostname }}"
"""Older exporters set the first label of the node, newer ones the second."""
_HEALTH = "https://docs.nvidia.com/deploy/gpu-debug-guidelines"


def asking(resources: Sequence[str]) -> str:
    """Return the PromQL expression for containers that request GPUs, in kube-state-metrics'
    names."""
    return f"kube_pod_container_resource_requests{{{chosen(resources)}}}"


def chosen(resources: Sequence[str]) -> str:
    """Return the PromQL label matcher for GPU resources."""
    return f'resource=~"{"|".join(resources)}"'


def request_alerts(resources: Sequence[str]) -> Iterator[Alert]:
    """Yield alerts on requests of pods. `resources`: GPUs in kube-state-metrics' names."""
    pending = f'{_PHASE}{{phase="Pending"}} == 1 and on ({POD}) {asking(resources)} > 0'
    yield Alert(
        name="GPUPodPending",
        expr=pending,
        seconds=PENDING,
        severity="warning",
        summary="{{ $labels.namespace }}/{{ $labels.pod }} has waited half an hour for GPUs",
        description="It fits on no node, or no node accepts it: its events list the checked "
        "nodes. Workloads that wait in a queue have no pods yet, and do not "
        "count here.",
    )


def node_alerts(resources: Sequence[str]) -> Iterator[Alert]:
    """Yield alerts on the status of nodes."""
    capacity = f"kube_node_status_capacity{{{chosen(resources)}}}"
    allocatable = f"kube_node_status_allocatable{{{chosen(resources)}}}"
    yield Alert(
        name="GPUsUnhealthy",
        expr=f"{capacity} - {allocatable} > 0",
        seconds=10 * _MINUTE,
        severity="critical",
        summary="{{ $value }} of {{ $labels.resource }} on {{ $labels.node }} are unhealthy",
        description="The device plugin has taken them back after an error: nothing new is placed on them. Drain "
        f"the node, and reset or replace them: {_HEALTH}",
    )
    yield Alert(
        name="GPUsVanished",
        expr=f"max_over_time({capacity}[1d]) - {capacity} > 0",
        seconds=10 * _MINUTE,
        severity="critical",
        summary="{{ $labels.node }} has {{ $value }} of {{ $labels.resource }} fewer than in the last day",
        description="A GPU has fallen off the bus, the driver or the device plugin is gone, or how the node is "
        "shared was changed. A node that has left altogether is not counted.",
    )


def labels_missing() -> Alert:
    """Return the alert on the setting that blinds alerts on workloads."""
    return Alert(
        name="PodLabelsMissing",
        expr='count(kube_pod_info) > 0 unless on () count(kube_pod_labels{label_app_kubernetes_io_name!=""}) > 0',
        seconds=_HOUR,
        severity="warning",
        summary="kube-state-metrics exports no labels of pods",
        description="Alerts of workloads find their pods by labels, and none of them can fire: start it with "
        "--metric-labels-allowlist=pods=[app.kubernetes.io/name,app.kubernetes.io/component].",
    )


def device_alerts() -> Iterator[Alert]:
    """Yield alerts that need only dcgm-exporter."""
    yield Alert(
        name="GPUXidError",
        expr=broken(),
        seconds=_MINUTE,
        severity="critical",
        summary=f"Xid {{{{ $value }}}} on {_GPU}",
        description="The driver met an error that no program causes. What the number means, and whether a reset "
        f"helps: https://docs.nvidia.com/deploy/xid-errors and {_HEALTH}. It is the last error, and stays until "
        "the driver is reloaded.",
    )
    yield Alert(
        name="GPURowRemapFailed",
        expr="DCGM_FI_DEV_ROW_REMAP_FAILURE > 0",
        seconds=0,
        severity="critical",
        summary=f"Memory of {_GPU} cannot be repaired",
        description="A broken row could not be replaced: the GPU has to be exchanged.",
    )
    yield Alert(
        name="GPUMemoryErrors",
        expr="increase(DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS[1d]) > 0",
        seconds=0,
        severity="warning",
        summary=f"Uncorrectable errors of memory on {_GPU}",
        description="A row was replaced, which takes a reset to be used. The program that "
        "used it was killed; more of these errors within days indicate a failing "
        "GPU.",
    )
    for cause, series, look in (
        ("heat", "THERMAL", "Look at fans, air flow and neighbours."),
        ("its power limit", "POWER", "Look at the limit that is set, and at the supply."),
    ):
        yield Alert(
            name=f"GPUSlowedBy{'Heat' if series == 'THERMAL' else 'Power'}",
            expr=f"rate(DCGM_FI_DEV_{series}_VIOLATION[10m]) / 1e9 > {SLOWED}",
            seconds=15 * _MINUTE,
            severity="warning",
            summary=f"{_GPU} is slowed by {cause} {{{{ $value | humanizePercentage }}}} of the time",
            description=f"A run is as slow as the slowest of its GPUs. {look}",
        )


def held_alerts(resources: Sequence[str]) -> Iterator[Alert]:
    """Yield alerts that need both exporters: the GPUs of a pod, and their use."""
    running = f'{_PHASE}{{phase="Running"}} == 1 and on ({POD}) {asking(resources)} > 0'
    busy = f"max by ({POD}) ({of_pods(f'avg_over_time({ENGINE}[2h])')})"
    old = f"time() - max by ({POD}) (kube_pod_start_time) > {2 * _HOUR}"
    yield Alert(
        name="GPUsAllocatedAndIdle",
        expr=f"({busy} < {IDLE} and on ({POD}) ({old})) and on ({POD}) ({running})",
        seconds=15 * _MINUTE,
        severity="info",
        summary="GPUs of {{ $labels.namespace }}/{{ $labels.pod }} have done nothing for two hours",
        description="They are allocated, so no other pod can use them. Look for an abandoned "
        "notebook, a server without requests, or a hung run.",
    )
    full = f"max by ({POD}) ({of_pods(memory_share())}) > {GPU_MEMORY_SHARE}"
    yield Alert(
        name="GPUMemoryNearlyFull",
        expr=f"{full} and on ({POD}) ({running})",
        seconds=30 * _MINUTE,
        severity="info",
        summary="{{ $labels.namespace }}/{{ $labels.pod }} has {{ $value | humanizePercentage }} of a GPU's memory",
        description="It fails when it asks for more; a caching allocator may hold what it does not use.",
    )


def unobserved(resources: Sequence[str]) -> Alert:
    """Return the alert on nodes without data of dcgm-exporter."""
    nodes = f"count(count by (node) (kube_node_status_capacity{{{chosen(resources)}}} > 0))"
    measured_nodes = "count(count by (hostname, Hostname) (DCGM_FI_DEV_GPU_TEMP))"
    return Alert(
        name="GPUsUnobserved",
        expr=f"{nodes} - ({measured_nodes} or vector(0)) > 0",
        seconds=30 * _MINUTE,
        severity="warning",
        summary="{{ $value }} nodes with GPUs report no metrics of them",
        description="dcgm-exporter does not run there, or is not scraped: no alert of these GPUs can fire.",
    )


def queue_alerts() -> Iterator[Alert]:
    """Yield alerts on Kueue's metrics."""
    waiting = "kueue_pending_workloads"
    yield Alert(
        name="QueueGrowing",
        expr=f"sum by (cluster_queue) (delta({waiting}[2h])) > 0 and sum by (cluster_queue) ({waiting}) > 0",
        seconds=2 * _HOUR,
        severity="info",
        summary="{{ $labels.cluster_queue }} has more workloads waiting for two hours and longer",
        description="More is submitted than its quota admits. `gpuspec fit` shows what fits "
        "on the pools; a cohort lends unused quota.",
    )
    yield Alert(
        name="QueueInactive",
        expr='max by (cluster_queue) (kueue_cluster_queue_status{status="pending"}) == 1',
        seconds=15 * _MINUTE,
        severity="warning",
        summary="{{ $labels.cluster_queue }} admits nothing",
        description="A flavor, topology or admission check that it names does not exist: its "
        "conditions say which.",
    )
