"""Kueue's objects of a profile."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

import gpuspec
from gpuspec.cluster.platform.queueing import queue_objects
from gpuspec.validation import validate
from gpuspec.validation.custom import bundle_of
from tests.cluster.conftest import MakeProfile

ROOT = Path(__file__).parents[3]
Object = dict[str, Any]

POOLS = """
pools:
- name: h100
  gpu: {model: H100-80GB, count: 8}
  allocatable: {cpu: 190, memory: 1960Gi, ephemeralStorage: 6500Gi}
  reserved: {cpu: 6, memory: 24Gi, ephemeralStorage: 100Gi}
  labels: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3, pool: h100}
  taints: [{key: nvidia.com/gpu, value: present}, {key: spot, value: "true"}]
  rdma: {resource: rdma/ib, count: 8, perGpu: true, hugepages: 16Gi}
- name: slices
  gpu: {model: A100-80GB, count: 2}
  allocatable: {cpu: 64, memory: 512Gi, ephemeralStorage: 900Gi}
  labels: {pool: slices}
  sharing: {mode: mig, strategy: mixed, profiles: {3g.40gb: 1, 1g.10gb: 4}}
"""
QUEUES = """
queues:
- name: research
  namespaces: [ml, lab]
  cohort: all
  weight: 2
  order: strict
  pools: [{pool: h100, gpus: 12, borrow: 8, lend: 4}, {pool: slices, gpus: 1}]
"""
KUEUE = 'installed: {kueue: "0.19"}\n'


def by_kind(objects: list[Object]) -> dict[str, list[Object]]:
    found: dict[str, list[Object]] = {}
    for made in objects:
        found.setdefault(made["kind"], []).append(made)
    return found


def quotas(objects: list[Object], queue: int = 0) -> dict[str, dict[str, tuple[str, ...]]]:
    """Flavor, to resource, to nominal quota and limits."""
    (group,) = by_kind(objects)["ClusterQueue"][queue]["spec"]["resourceGroups"]
    return {
        flavor["name"]: {
            one["name"]: tuple(value for key, value in one.items() if key != "name")
            for one in flavor["resources"]
        }
        for flavor in group["flavors"]
    }


def test_a_queue_covers_every_resource_that_goes_with_its_gpus(profile: MakeProfile) -> None:
    """C-37: CPU, memory, disk, fabric and huge pages by the pool's share; all slices of a GPU."""
    objects, _ = queue_objects(profile(KUEUE + POOLS + QUEUES))
    assert quotas(objects) == {
        "h100": {
            "cpu": ("276", "184", "92"),
            "memory": ("2904Gi", "1936Gi", "968Gi"),
            "ephemeral-storage": ("9600Gi", "6400Gi", "3200Gi"),
            "nvidia.com/gpu": ("12", "8", "4"),
            "rdma/ib": ("12", "8", "4"),
            "hugepages-2Mi": ("24Gi", "16Gi", "8Gi"),
            "nvidia.com/mig-1g.10gb": ("0", "0", "0"),
            "nvidia.com/mig-3g.40gb": ("0", "0", "0"),
        },
        "slices": {
            "cpu": ("31500m",),
            "memory": ("254Gi",),
            "ephemeral-storage": ("445Gi",),
            "nvidia.com/gpu": ("0",),
            "rdma/ib": ("0",),
            "hugepages-2Mi": ("0",),
            "nvidia.com/mig-1g.10gb": ("4",),
            "nvidia.com/mig-3g.40gb": ("1",),
        },
    }


def test_flavors_list_resources_in_the_order_that_is_covered(profile: MakeProfile) -> None:
    """Kueue refuses any other order."""
    objects, _ = queue_objects(profile(KUEUE + POOLS + QUEUES))
    (group,) = by_kind(objects)["ClusterQueue"][0]["spec"]["resourceGroups"]
    for flavor in group["flavors"]:
        assert [one["name"] for one in flavor["resources"]] == group["coveredResources"]


def test_taints_keep_out_who_does_not_tolerate_them(profile: MakeProfile) -> None:
    """C-37: a flavor's tolerations go into every pod, so only that of GPU nodes is given."""
    objects, _ = queue_objects(profile(KUEUE + POOLS + QUEUES))
    h100, slices = by_kind(objects)["ResourceFlavor"]
    assert h100["spec"] == {
        "nodeLabels": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "pool": "h100"},
        "nodeTaints": [
            {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
            {"key": "spot", "value": "true", "effect": "NoSchedule"},
        ],
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    }
    assert slices["spec"] == {"nodeLabels": {"pool": "slices"}}


def test_taints_that_a_flavor_has_no_room_for_are_told(profile: MakeProfile) -> None:
    taints = ", ".join(f"{{key: t{at}}}" for at in range(9))
    given = profile(
        f"{KUEUE}pools: [{{name: a, gpu: {{model: T4, count: 1}}, taints: [{taints}]}}]\n"
        "queues: [{name: q, namespaces: [w], pools: [{pool: a, gpus: 1}]}]"
    )
    objects, notes = queue_objects(given)
    (flavor,) = by_kind(objects)["ResourceFlavor"]
    assert len(flavor["spec"]["nodeTaints"]) == 8
    assert any("8 taints at most, and t8 are left out" in note for note in notes)


def test_a_queue_is_open_to_its_namespaces_alone(profile: MakeProfile) -> None:
    """An absent selector matches no namespace, an empty one all."""
    made = by_kind(queue_objects(profile(KUEUE + POOLS + QUEUES))[0])
    spec = made["ClusterQueue"][0]["spec"]
    (expression,) = spec["namespaceSelector"]["matchExpressions"]
    assert expression == {
        "key": "kubernetes.io/metadata.name",
        "operator": "In",
        "values": ["ml", "lab"],
    }
    assert [(one["metadata"]["namespace"], one["spec"]) for one in made["LocalQueue"]] == [
        ("ml", {"clusterQueue": "research"}),
        ("lab", {"clusterQueue": "research"}),
    ]


@pytest.mark.parametrize(
    ("kueue", "version", "field"),
    [
        ("0.19", "v1beta2", "cohortName"),
        ("v0.15.0", "v1beta2", "cohortName"),
        ("0.14.3", "v1beta1", "cohort"),
        ("1.0", "v1beta2", "cohortName"),
    ],
)
def test_objects_are_of_the_version_that_is_served(
    profile: MakeProfile, kueue: str, version: str, field: str
) -> None:
    """C-37: v1beta1 calls a queue's cohort otherwise."""
    made = profile(f'installed: {{kueue: "{kueue}"}}\n' + POOLS + QUEUES)
    objects, _ = queue_objects(made)
    assert {one["apiVersion"] for one in objects} == {f"kueue.x-k8s.io/{version}"}
    assert by_kind(objects)["ClusterQueue"][0]["spec"][field] == "all"
    assert all(not validate(one, "1.36") for one in objects)


PREEMPTION = {
    "lower-priority, cohort: all": ("LowerPriority", "Any"),
    "lower-priority": ("LowerPriority", "Never"),
    "never, cohort: all": ("Never", "Never"),
}


@pytest.mark.parametrize("said", PREEMPTION)
def test_who_gives_way_to_whom(profile: MakeProfile, said: str) -> None:
    """C-38: lower priorities of the same queue, and what was lent."""
    queue = f"queues: [{{name: q, namespaces: [a], pools: [{{pool: h100, gpus: 8}}], preemption: {said}}}]"
    objects, _ = queue_objects(profile(KUEUE + POOLS + queue))
    spec = by_kind(objects)["ClusterQueue"][0]["spec"]
    within, reclaim = PREEMPTION[said]
    assert spec["preemption"] == {"withinClusterQueue": within, "reclaimWithinCohort": reclaim}
    assert spec["queueingStrategy"] == "BestEffortFIFO"


def test_fair_sharing_has_its_weight_and_needs_a_setting(profile: MakeProfile) -> None:
    objects, notes = queue_objects(profile(KUEUE + POOLS + QUEUES))
    spec = by_kind(objects)["ClusterQueue"][0]["spec"]
    assert (spec["fairSharing"], spec["queueingStrategy"]) == ({"weight": "2"}, "StrictFIFO")
    assert (
        "weight of queue research: it counts once Kueue's configuration has `fairSharing`" in notes
    )


TOPOLOGY = """
topology:
  name: fabric
  levels: [{name: rack, label: example.com/rack}, {name: host, label: kubernetes.io/hostname}]
"""


def test_a_topology_and_the_flavors_that_are_placed_by_it(profile: MakeProfile) -> None:
    """C-37: topology-aware placement."""
    made = by_kind(queue_objects(profile(KUEUE + POOLS + QUEUES + TOPOLOGY))[0])
    (topology,) = made["Topology"]
    assert topology["metadata"]["name"] == "fabric"
    assert topology["spec"]["levels"] == [
        {"nodeLabel": "example.com/rack"},
        {"nodeLabel": "kubernetes.io/hostname"},
    ]
    assert {one["spec"]["topologyName"] for one in made["ResourceFlavor"]} == {"fabric"}


def test_a_topology_of_some_pools(profile: MakeProfile) -> None:
    one = "queues: [{name: q, namespaces: [a], pools: [{pool: slices, gpus: 1}]}]\n"
    objects, _ = queue_objects(profile(KUEUE + POOLS + one + TOPOLOGY + "  pools: [h100]"))
    assert "Topology" not in by_kind(objects)
    assert "topologyName" not in str(objects)


def test_a_kueue_without_topologies_gets_none(profile: MakeProfile) -> None:
    made = profile('installed: {kueue: "0.13"}\n' + POOLS + QUEUES + TOPOLOGY)
    objects, notes = queue_objects(made)
    assert "opology" not in str(objects)
    assert "no Topology is made: Kueue 0.13 does not place pods by it, 0.14 and later do" in notes


def test_priorities_of_queues(profile: MakeProfile) -> None:
    """C-38."""
    objects, _ = queue_objects(profile(KUEUE + "priorities: {queued: {b: 10, a: -5}}"))
    assert [(one["kind"], one["metadata"]["name"], one["value"]) for one in objects] == [
        ("WorkloadPriorityClass", "a", -5),
        ("WorkloadPriorityClass", "b", 10),
    ]


def test_priorities_of_queues_are_on_one_scale_with_those_of_nodes(profile: MakeProfile) -> None:
    """C-38: Kueue takes the PriorityClass of work that names no priority."""
    used = KUEUE + POOLS + QUEUES
    _, notes = queue_objects(profile(used + "priorities: {training: t, queued: {urgent: 1000}}"))
    assert (
        "work that names no priority counts in queues with its PriorityClass, t 10000: above "
        "urgent 1000, the highest of `queued`" in notes
    )
    _, notes = queue_objects(profile(used + "priorities: {training: t, queued: {urgent: 10000}}"))
    assert "work that names no priority" not in str(notes)


def test_what_is_not_known_does_not_bound(profile: MakeProfile) -> None:
    """A quota of nothing would keep every pod out, since each asks for some disk."""
    fields = """
pools:
- {name: a, gpu: {model: A100-80GB, count: 8}}
queues: [{name: q, namespaces: [a], pools: [{pool: a, gpus: 8, borrow: 0}], cohort: c}]
"""
    objects, notes = queue_objects(profile(KUEUE + fields))
    assert quotas(objects)["a"]["ephemeral-storage"] == ("1Pi", "0")
    assert quotas(objects)["a"]["nvidia.com/gpu"] == ("8", "0")
    assert any("its nodes' ephemeral-storage are unknown" in note for note in notes)


def test_a_flavor_takes_eight_labels_those_that_tell_pools_apart_first(
    profile: MakeProfile,
) -> None:
    shared = ", ".join(f"l{number}: same" for number in range(8))
    fields = f"""
pools:
- {{name: a, gpu: {{model: T4, count: 1}}, labels: {{{shared}, pool: a}}}}
- {{name: b, gpu: {{model: T4, count: 1}}, labels: {{{shared}, pool: b}}}}
queues: [{{name: q, namespaces: [a], pools: [{{pool: a, gpus: 8}}]}}]
"""
    objects, _ = queue_objects(profile(KUEUE + fields))
    labels = by_kind(objects)["ResourceFlavor"][0]["spec"]["nodeLabels"]
    assert len(labels) == 8
    assert labels["pool"] == "a"


def test_pools_that_no_label_tells_apart_are_said(profile: MakeProfile) -> None:
    fields = """
pools:
- {name: a, gpu: {model: T4, count: 1}, labels: {kind: t4}}
- {name: b, gpu: {model: T4, count: 1}, labels: {kind: t4, disk: big}}
- {name: c, gpu: {model: T4, count: 1}, labels: {kind: other}}
queues: [{name: q, namespaces: [a], pools: [{pool: a, gpus: 8}, {pool: b, gpus: 8}, {pool: c, gpus: 8}]}]
namespaces: [{name: a}]
"""
    _, notes = queue_objects(profile(KUEUE + fields))
    said = [note for note in notes if "no label tells" in note]
    assert said == [
        "no label tells nodes of pool a from those of b: what is admitted to a may land there"
    ]


def test_a_namespace_that_is_not_made_is_said(profile: MakeProfile) -> None:
    _, notes = queue_objects(profile(KUEUE + POOLS + QUEUES + "namespaces: [{name: ml}]"))
    said = [note for note in notes if note.startswith("namespace ")]
    assert said == [
        "namespace lab of queue research is not among the profile's namespaces, and is not made here"
    ]


def test_a_topology_of_nodes_that_come_and_go_is_said(profile: MakeProfile) -> None:
    pools = POOLS.replace("- name: slices", "  nodes: {max: 4}\n- name: slices")
    _, notes = queue_objects(profile(KUEUE + pools + QUEUES + TOPOLOGY))
    assert any(note.startswith("pool h100 may have no nodes") for note in notes)


def test_nothing_without_queues(profile: MakeProfile) -> None:
    assert queue_objects(profile(POOLS)) == ([], ())


@pytest.mark.parametrize("kueue", ["0.14", "0.19"])
def test_the_definitions_themselves_take_the_objects(profile: MakeProfile, kueue: str) -> None:
    """C-37: the schemas that are made from Kueue's, by another engine, and its CEL rules by hand."""
    schemas = bundle_of("kueue")
    text = f'installed: {{kueue: "{kueue}"}}\n' + POOLS + QUEUES + TOPOLOGY
    objects, _ = queue_objects(profile(text + "priorities: {queued: {urgent: 10}}"))
    examples = gpuspec.load_profiles(str(ROOT / "examples" / "clusters" / "bare-metal.yaml"))
    objects += queue_objects(examples[0])[0]
    kinds = set()
    for made in objects:
        kinds.add(made["kind"])
        jsonschema.validate(made, schemas.closed((made["apiVersion"], made["kind"])))
        if made["kind"] == "ResourceFlavor" and "topologyName" in made["spec"]:
            assert made["spec"]["nodeLabels"], "at least one nodeLabel with a topology"
    assert kinds == {
        "ClusterQueue",
        "LocalQueue",
        "ResourceFlavor",
        "Topology",
        "WorkloadPriorityClass",
    }
