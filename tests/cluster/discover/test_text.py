"""The written profile: quoting, comments, and input that tries to be more than data."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.cluster.discover import discover
from gpuspec.manifests import InputError, read, write
from gpuspec.spec import parse_profile
from tests.cluster.discover.conftest import Discover, MakeNode

Json = dict[str, Any]


@pytest.mark.parametrize(
    "word", ["on", "NO", "y", "null", "1e3", "0x1F", "012", "1.0", "12_3", "~x"]
)
def test_words_that_some_reader_takes_for_something_else_are_quoted(
    word: str, node: MakeNode, h100: Json, found: Discover
) -> None:
    labels = h100 | {"topology.kubernetes.io/zone": word, "accelerator": word.strip("~")}
    taint = {"key": "y", "value": word.strip("~"), "effect": "NoSchedule"}
    pool = found(node(labels=labels, taints=(taint,))).pool
    assert pool.zones == (word,)
    assert pool.labels["accelerator"] == word.strip("~")
    assert (pool.taints[0].key, pool.taints[0].value) == ("y", word.strip("~"))


def test_what_no_api_server_would_store_does_not_reach_the_profile(
    node: MakeNode, h100: Json, found: Discover
) -> None:
    evil = "x\nspec: {}\x1b[2J"
    labels = h100 | {"example.com/pool": evil, evil: "pool", "accelerator": "a b"}
    taints = (
        {"key": evil, "effect": "NoSchedule"},
        {"key": "k", "value": evil, "effect": "NoSchedule"},
        {"key": "k", "effect": "Explode"},
    )
    strange = node("b" + evil, {"nvidia.com/gpu.product": evil}, gpus=1)
    result = found(node(labels=labels, taints=taints), strange)
    assert result.pool.labels == {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
    assert result.pool.taints == ()
    assert "\x1b" not in result.text + "".join(result.discovery.notes)
    assert all("\n" not in note for note in result.discovery.notes)


def test_a_label_in_a_comment_cannot_end_it(node: MakeNode, found: Discover) -> None:
    labels = {
        "nvidia.com/gpu.product": "A\nspec: {}\u2028#",
        "nvidia.com/gpu.memory": "24564",
        "nvidia.com/gpu.family": "ada-lovelace",
    }
    result = found(node(labels=labels))
    assert r"the GPU A\nspec: {}\u2028# is not in our table" in result.comments
    assert result.pool.name == "a-spec"


def test_comments_are_wrapped(node: MakeNode, found: Discover) -> None:
    labels = {"k8s.amazonaws.com/accelerator": "nvidia-tesla-a100"}
    lines = found(node(labels=labels)).text.splitlines()
    assert max(map(len, lines)) <= 100


KEYS = st.sampled_from(
    [
        "nvidia.com/gpu.product",
        "nvidia.com/gpu.count",
        "nvidia.com/gpu.replicas",
        "nvidia.com/gpu.memory",
        "nvidia.com/gpu.family",
        "nvidia.com/mig.config",
        "cloud.google.com/gke-accelerator",
        "cloud.google.com/gke-accelerator-count",
        "cloud.google.com/gke-gpu-partition-size",
        "karpenter.k8s.aws/instance-gpu-name",
        "karpenter.sh/nodepool",
        "karpenter.sh/capacity-type",
        "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/zone",
        "amd.com/gpu.product-name",
    ]
)
VALUES = st.sampled_from(
    [
        "NVIDIA-H100-80GB-HBM3",
        "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb",
        "NVIDIA-A100-SXM4-80GB",
        "Tesla-T4-SHARED",
        "NVIDIA-X-MIG-INVALID",
        "AMD_Instinct_MI300X_OAM",
        "nvidia-l4",
        "a100",
        "1g.10gb",
        "g6.2xlarge",
        "spot",
        "hopper",
        "on",
        "0",
        "1",
        "7",
        "81559",
    ]
) | st.text(max_size=8)
RESOURCES = st.sampled_from(
    [
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "nvidia.com/mig-1g.10gb",
        "nvidia.com/mig-3g.40gb",
        "nvidia.com/mig-1g.10gb.shared",
        "amd.com/gpu",
        "habana.ai/gaudi",
        "rdma/ib",
        "vpc.amazonaws.com/efa",
        "hugepages-2Mi",
        "networking.gke.io.networks/rdma-0",
        "networking.gke.io.networks/rdma-0.IP",
        "networking.gke.io.networks/Odd_Name",
    ]
)
COUNTS = st.integers(0, 64).map(str)
NODES = st.lists(
    st.fixed_dictionaries(
        {
            "labels": st.dictionaries(KEYS, VALUES, max_size=6),
            "have": st.dictionaries(RESOURCES, COUNTS, max_size=4),
            "lost": st.dictionaries(RESOURCES, COUNTS, max_size=1),
            "cpu": st.integers(0, 400_000).map("{}m".format),
            "memory": st.integers(0, 1 << 42).map(str),
            "arch": st.sampled_from(["amd64", "arm64", "s390x"]),
            "taint": st.sampled_from(["nvidia.com/gpu", "on", "", "node.kubernetes.io/x"]),
        }
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(drawn=NODES, turn=st.randoms(use_true_random=False))
def test_whatever_nodes_say_the_profile_is_valid_and_the_same_in_any_order(
    drawn: list[Json], turn: Any, node: MakeNode
) -> None:
    nodes = [
        node(
            f"n{i}",
            each["labels"],
            gpus=None,
            capacity=each["lost"],
            arch=each["arch"],
            taints=({"key": each["taint"], "effect": "NoSchedule"},),
            **each["have"] | {"cpu": each["cpu"], "memory": each["memory"]},
        )
        for i, each in enumerate(drawn)
    ]
    try:
        first = discover(write(nodes, "json"))
    except InputError as error:
        assert "has a GPU that a profile can state" in str(error)
        return
    (document,) = read(first.text, "x")
    pools = parse_profile(document).model.spec.pools
    assert 1 <= len(pools) <= 2 * len(nodes)
    turn.shuffle(nodes)
    assert discover(write(nodes, "json")) == first


FIELDS = [
    "kind",
    "items",
    "metadata",
    "name",
    "labels",
    "spec",
    "status",
    "taints",
    "allocatable",
    "capacity",
    "nodeInfo",
    "kubeletVersion",
    "nvidia.com/gpu",
    "key",
    "containers",
    "conditions",
    "ownerReferences",
    "resources",
    "cpu",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(FIELDS),
            inner | st.sampled_from(["Node", "List", "Pod", "v1.36.0", "8"]),
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=100, deadline=None)
@given(metadata=JSON, spec=JSON, status=JSON, kind=st.sampled_from(["Node", "Pod", "NodeList"]))
def test_no_shape_of_json_is_more_than_bad_input(
    metadata: Any, spec: Any, status: Any, kind: str, node: MakeNode
) -> None:
    strange = {"kind": kind, "metadata": metadata, "spec": spec, "status": status, "items": spec}
    try:
        found = discover(write([node("good"), strange], "json"))
    except InputError:
        return
    assert "h100" in found.text
