"""Alerts and panels of a cluster whose GPUs are had by claims: kube-state-metrics does not count these."""

from collections.abc import Callable

import pytest

import gpuspec
from tests.cluster.conftest import MakeProfile
from tests.observing.conftest import expressions, rules_of

BY_REQUESTS = {"GPUPodPending", "GPUsAllocatedAndIdle", "GPUMemoryNearlyFull"}
BY_NODES = {"GPUsUnhealthy", "GPUsVanished", "GPUsUnobserved"}
INSTALLED = """
installed:
  prometheus-operator: "0.93"
  kube-state-metrics: "2.20"
  dcgm-exporter: "4.5"
monitoring:
  scrape: pod-monitor
  namespace: monitoring
  dashboards: {grafana_dashboard: "1"}
pools:
"""
POOL = """
  - name: NAME
    gpu: {model: H100-80GB, count: 8HOW}
    labels: {example.com/pool: NAME}
"""
Seen = tuple[set[str], str, str]
Watch = Callable[..., Seen]


@pytest.fixture
def watch(profile: MakeProfile) -> Watch:
    """Alerts, the expressions of rules and panels, and notes of pools, by how their GPUs are had."""

    def made(**pools: str) -> Seen:
        rows = (
            POOL.replace("NAME", name).replace("HOW", f", dra: {{by: {by}}}" if by else "")
            for name, by in pools.items()
        )
        platform = gpuspec.platform(profile(INSTALLED + "".join(rows)))
        alerts = {rule["alert"] for rule in rules_of(platform.objects)}
        return alerts, "\n".join(expressions(platform.objects)), "\n".join(platform.notes)

    return made


def test_a_device_plugin_s_are_seen(watch: Watch) -> None:
    alerts, _, notes = watch(first="")
    assert alerts >= BY_REQUESTS | BY_NODES
    assert "claims" not in notes


def test_what_no_request_tells_has_no_alert_that_could_never_fire(watch: Watch) -> None:
    """C-50: What the exporter tells of each GPU is there all the same."""
    alerts, asked, notes = watch(first="claim")
    assert not alerts & (BY_REQUESTS | BY_NODES)
    assert alerts >= {"PodLabelsMissing", "GPUXidError"}
    assert "nvidia_com_gpu" not in asked
    assert "KUBERNETES_ENABLE_DRA" in notes


def test_extended_resources_are_in_requests_and_in_no_node_s_status(watch: Watch) -> None:
    alerts, asked, _ = watch(first="extended-resource")
    assert alerts >= BY_REQUESTS
    assert not alerts & BY_NODES
    assert "kube_node_status" not in asked


def test_pools_of_which_alerts_are_blind_are_named(watch: Watch) -> None:
    alerts, _, notes = watch(first="claim", second="", third="extended-resource")
    assert alerts >= BY_REQUESTS | BY_NODES
    assert "that get their GPUs only by claims: pool first\n" in notes
    assert "alerts of unhealthy or vanished GPUs miss them: pools first, third\n" in notes
