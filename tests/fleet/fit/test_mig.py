"""MIG slices: each layout has its resources, and what idle slices could be made into (C-15)."""

from __future__ import annotations

from typing import Any

from tests.fleet.fit.objects import PROFILE, Fit

SLICES = (
    PROFILE[: PROFILE.index("  pools:")]
    + """\
  pools:
    - name: slices
      gpu: {model: A100-80GB, count: 1}
      sharing:
        mode: mig
        strategy: mixed
        profiles: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}
      allocatable: {cpu: 33, memory: 132Gi, pods: 110}
      reserved: {cpu: 1, memory: 4Gi}
      nodes: 2
"""
)


def pods(profile: str, replicas: int) -> dict[str, Any]:
    resource = f"nvidia.com/mig-{profile}"
    container = {"name": "main", "image": "x", "resources": {"limits": {resource: 1, "cpu": 1}}}
    labels = {"app": "small"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "small", "namespace": "ml"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def test_slices_of_one_profile_are_a_resource_of_their_own(fit: Fit) -> None:
    """C-15."""
    report = fit(pods("1g.10gb", 4), profile=SLICES)
    (found,) = report.workloads
    assert (found.verdict, found.rooms[0].each) == ("placed", 2)
    lost = {(one.device, one.resource): one.milli for one in found.stranded}
    # Nobody here asks for the others.
    assert lost == {("nvidia.com/mig-2g.20gb", ""): 500, ("nvidia.com/mig-3g.40gb", ""): 1000}
    cells = [cell for row in report.rows_after for cell in row.cells]
    assert [[(p.start, p.slices, p.idle) for p in cell.parts] for cell in cells] == [
        [(0, 1, False), (1, 1, False), (2, 2, True), (4, 4, True)]
    ] * 2


def test_what_the_idle_slices_could_be_made_into(fit: Fit) -> None:
    """Two slices are in use at 0 and 1; beside them fit five more of the smallest, 6 first."""
    (found,) = fit(pods("1g.10gb", 8), profile=SLICES).workloads
    assert (found.verdict, found.placed) == ("partly", 4)
    assert [one.text for one in found.advice] == [
        "2 GPUs of slices with a new MIG layout would have 10 more of 1g.10gb, the first at memory slice "
        "6: none of their idle slices is one",
        "its 8 pods need 4 nodes of slices, but 2 are eligible: add nodes, or run at most 4 pods",
    ]


def test_a_slice_that_cannot_be_made_is_not_promised(fit: Fit) -> None:
    """The two in use stand where a 4g would have to begin."""
    report = fit(pods("1g.10gb", 4), pods("4g.40gb", 1), profile=SLICES)
    assert report.workloads[1].verdict == "not placed"
    assert report.workloads[1].advice == ()


HALF = (
    PROFILE[: PROFILE.index("  pools:")]
    + """\
  pools:
    - name: half
      gpu: {model: A100-80GB, count: 2}
      sharing: {mode: mig, strategy: mixed, profiles: {1g.10gb: 7}, gpus: 1}
      allocatable: {cpu: 33, memory: 132Gi, pods: 110}
      reserved: {cpu: 1, memory: 4Gi}
      nodes: 2
"""
)


def test_a_node_with_cut_and_whole_gpus_is_one_node(fit: Fit) -> None:
    whole = pods("1g.10gb", 2)
    whole["metadata"]["name"] = "whole"
    (main,) = whole["spec"]["template"]["spec"]["containers"]
    main["resources"]["limits"] = {"nvidia.com/gpu": 1, "cpu": 16}
    report = fit(pods("1g.10gb", 14), whole, profile=HALF)
    small, large = report.workloads
    assert [(one.verdict, one.rooms[0].each) for one in (small, large)] == [
        ("placed", 7),
        ("placed", 1),
    ]
    assert len(report.rows_after) == 2
    too_many = fit(pods("1g.10gb", 15), whole, profile=HALF)
    assert too_many.workloads[0].verdict != "placed"
