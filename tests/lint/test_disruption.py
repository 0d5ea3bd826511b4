"""Disruption: who may end whom, and what is left of whom it ends."""

from typing import Any

import pytest

from tests.lint import edges
from tests.lint.pages import merge
from tests.lint.patched import main, of, said
from tests.lint.sets import base, codes, lint


def priority(name: str, value: int, **fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        **fields,
    }


def test_experiments_stay_below_servers() -> None:
    """C-38: a run may not end a server; one that preempts nobody, or stands below, is fine."""
    run = base("job", {"spec": {"template": {"spec": {"priorityClassName": "runs"}}}})
    server = base("deployment")
    assert codes(lint(priority("runs", 100), server, run)) == ["GPU751"]
    assert lint(priority("runs", 100, preemptionPolicy="Never"), server, run) == []
    assert lint(priority("runs", -1), server, run) == []
    default = priority("usual", 1000, globalDefault=True)
    assert lint(priority("runs", 100), default, server, run) == []
    known = merge(server, {"spec": {"template": {"spec": {"priorityClassName": "elsewhere"}}}})
    assert lint(priority("runs", 100), known, run) == []


def test_consolidation_needs_an_autoscaler() -> None:
    """C-51: by the nodes asked for, or by objects of the set; else nothing is known."""
    bare = base("job", {"spec": {"template": {"metadata": {"annotations": None}}}})
    pool = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "gpu"},
        "spec": {},
    }
    assert lint(bare) == []
    assert codes(lint(pool, bare)) == ["GPU728"]
    assert lint(pool, base("job")) == []
    assert lint(pool, bare, profile="h100") == []


@pytest.mark.parametrize(
    ("grace", "limit", "said"),
    [
        ("30m", None, ["GPU728"]),
        ("2h", None, []),
        ("2h", 86400, ["GPU728"]),
        ("24h", 86400, []),
        ("30m", 1200, []),
        ("soon", None, []),
        (None, None, []),
    ],
)
def test_a_nodepool_that_renews_its_nodes_waits_so_long(
    grace: str | None, limit: int | None, said: list[str]
) -> None:
    """C-51: whatever the run is annotated with."""
    pool = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "gpu"},
        "spec": {"template": {"spec": {"terminationGracePeriod": grace}}},
    }
    found = lint(pool, base("job", {"spec": {"activeDeadlineSeconds": limit}}))
    assert [one.rule for one in found if one.rule == "GPU728"] == said


@pytest.mark.parametrize(
    ("disruption", "said"),
    [
        ({}, ["GPU728"]),
        ({"consolidationPolicy": "WhenEmptyOrUnderutilized"}, ["GPU728"]),
        ({"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30s"}, []),
        ({"consolidateAfter": "Never"}, []),
    ],
)
def test_a_nodepool_that_leaves_running_nodes_alone_evicts_nothing(
    disruption: dict[str, str], said: list[str]
) -> None:
    """C-51: the NodePool that the pod asks for decides, else all that are there."""
    template = {"metadata": {"annotations": None}}
    bare = base("job", {"spec": {"template": template}})
    spec = {"nodeSelector": {"karpenter.sh/nodepool": "gpu"}}
    selecting = base("job", {"spec": {"template": {**template, "spec": spec}}})
    pool = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "gpu"},
        "spec": {"disruption": disruption},
    }
    other = {**pool, "metadata": {"name": "general"}, "spec": {}}
    assert codes(lint(pool, bare)) == said
    assert codes(lint(pool, other, selecting)) == said
    assert codes(lint(pool, other, bare)) == ["GPU728"]


class TestBudgets:
    """C-29: a budget that allows nothing blocks repair, and none at all risks the service."""

    @pytest.mark.parametrize(
        ("patch", "number"),
        [
            ("{maxUnavailable: 0}", 1),
            ("{maxUnavailable: 0%}", 1),
            ("{maxUnavailable: 1%}", 0),  # rounds up
            ("{maxUnavailable: null, minAvailable: 2}", 1),
            ("{maxUnavailable: null, minAvailable: 1}", 0),
            ("{maxUnavailable: null, minAvailable: 51%}", 1),
            ("{maxUnavailable: null, minAvailable: 50%}", 0),
        ],
    )
    def test_what_is_left_of_two_replicas(self, patch: str, number: int) -> None:
        assert len(said("GPU516", "poddisruptionbudget", f"spec: {patch}")) == number

    def test_pods_without_accelerators_are_not_ours(self) -> None:
        text = """
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {maxUnavailable: 0, selector: {matchLabels: {app: web}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
"""
        assert of("GPU516", text) == []

    def test_where_no_service_is_seen_the_budget_may_be_elsewhere(self) -> None:
        missed = "spec: {selector: {matchLabels: {app: other}}}"
        assert len(said("GPU517", "poddisruptionbudget", missed)) == 1
        alone = main("{}")
        assert said("GPU517", "deployment", alone) == []

    def test_a_budget_without_a_selector_is_named(self) -> None:
        """A null selector has no pods, an empty one all; expressions may have these."""
        (found,) = said("GPU517", "poddisruptionbudget", "spec: {selector: null}")
        assert (found.note or "").startswith("add a selector to PodDisruptionBudget `chat`")
        assert said("GPU517", "poddisruptionbudget", "spec: {selector: {matchLabels: null}}") == []
        among = "{matchLabels: null, matchExpressions: [{key: app, operator: In, values: [chat]}]}"
        assert said("GPU517", "poddisruptionbudget", f"spec: {{selector: {among}}}") == []

    def test_a_budget_that_misses_its_pods_is_said_once(self) -> None:
        """C-29: that it selects nothing is another rule's."""
        missed = "spec: {selector: {matchLabels: {app: dev-chat}}}"
        assert said("GPU517", "poddisruptionbudget", missed) == []
        assert len(said("GPU023", "poddisruptionbudget", missed)) == 1


SPOT = "nodeSelector: {cloud.google.com/gke-spot: 'true'}"
EDGES = (
    # C-35: what is left of training.
    edges.Edge(
        "C-35 a store",
        "job",
        edges.pod(
            f"{SPOT}\nvolumes: [{{name: checkpoints, persistentVolumeClaim: null, emptyDir: {{}}}}]"
        )
        + "\n"
        + edges.main("command: [torchrun, train.py, --out, s3://runs/1]").split("    spec:\n", 1)[
            1
        ],
    ),
    edges.Edge(
        "C-35 nothing",
        "job",
        edges.pod(
            f"{SPOT}\nvolumes: [{{name: checkpoints, persistentVolumeClaim: null, emptyDir: {{}}}}]"
        ),
        ("GPU908 warning",),
    ),
    edges.Edge(
        "C-35 a claim that is only read",
        "job",
        edges.pod(
            f"{SPOT}\nvolumes: "
            "[{name: checkpoints, persistentVolumeClaim: {claimName: data, readOnly: true}}]"
        ),
        ("GPU908 warning",),
    ),
    edges.Edge(
        "C-35 checkpoints beside the claim",
        "job",
        edges.pod(f"{SPOT}\nvolumes: [{{name: passing, emptyDir: {{sizeLimit: 1Gi}}}}]")
        + "\n"
        + edges.main(
            "command: [torchrun, train.py, --checkpoint-dir, /passing]\n"
            "volumeMounts: [{name: passing, mountPath: /passing}]"
        ).split("    spec:\n", 1)[1],
        ("GPU908 warning",),
    ),
    edges.Edge(
        "C-35 checkpoints beside the claim, taken there",
        "job",
        edges.pod(f"{SPOT}\nvolumes: [{{name: passing, emptyDir: {{sizeLimit: 1Gi}}}}]")
        + "\n"
        + edges.main(
            "command: [sh, -c, 'torchrun train.py --checkpoint-dir /passing && cp -r /passing /data']\n"
            "volumeMounts: [{name: passing, mountPath: /passing}]"
        ).split("    spec:\n", 1)[1],
    ),
    edges.Edge(
        "C-35 GKE's notice", "job", edges.pod(f"{SPOT}\nterminationGracePeriodSeconds: null")
    ),
)


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.shows)
def test_edges(edge: edges.Edge) -> None:
    assert edges.spoken(edge) == sorted(edge.said)
