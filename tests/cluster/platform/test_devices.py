"""Device configuration of shared pools, held against the device plugin's own rules."""

import re
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.cluster.platform.devices import device_objects
from gpuspec.spec import ClusterProfile, ClusterProfileSpec, Pool, PoolGpu, Profile, Sharing
from gpuspec.spec.metadata import ProfileMetadata
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

OPERATOR = 'installed: {gpu-operator: "26.7"}\n'
SHARED = """
pools:
  - name: t4-shared
    gpu: {model: T4, count: 4}
    sharing: {mode: time-slicing, replicas: 4, rename: true}
"""
MIG = """
pools:
  - name: small
    gpu: {model: A100-40GB, count: 8}
    sharing: {mode: mig, strategy: mixed, profiles: {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}}
"""


def contents(made: list[dict[str, Any]], name: str) -> dict[str, Any]:
    (found,) = [one for one in made if one["metadata"]["name"] == name]
    return {key: yaml.safe_load(text) for key, text in found["data"].items()}


def plugin_accepts(config: dict[str, Any]) -> bool:
    """The rules of the plugin's api/config/v1, as far as we use it."""
    shares = config.get("sharing", {})
    assert config["version"] == "v1"
    assert set(config) <= {"version", "flags", "sharing"}
    assert set(shares) <= {"timeSlicing", "mps"}
    assert len(shares) <= 1, "the two exclude each other"
    assert config.get("flags", {}).get("migStrategy", "none") in ("none", "single", "mixed")
    for mode in shares.values():
        assert mode["resources"]
        for resource in mode["resources"]:
            assert resource["replicas"] >= 2
            assert re.fullmatch(r"nvidia\.com/(gpu|mig-.+)", resource["name"])
    assert not ("mps" in shares and "flags" in config), "MPS is for whole GPUs"
    return True


def test_shares_are_configured_and_refused_two_at_a_time(profile: MakeProfile) -> None:
    """C-19: sharing is configuration of the device plugin, for the nodes that are labelled."""
    made, notes = device_objects(profile(OPERATOR + SHARED))
    assert [(one["kind"], one["metadata"]) for one in made] == [
        ("ConfigMap", {"name": "gpuspec-device-plugin", "namespace": "gpu-operator"})
    ]
    assert contents(made, "gpuspec-device-plugin") == {
        "t4-shared": {
            "version": "v1",
            "sharing": {
                "timeSlicing": {
                    "renameByDefault": True,
                    "failRequestsGreaterThanOne": True,
                    "resources": [{"name": "nvidia.com/gpu", "replicas": 4}],
                }
            },
        },
        "whole-gpus": {"version": "v1"},
    }
    assert notes == (
        "label the nodes of pool t4-shared: nvidia.com/device-plugin.config=t4-shared",
        "Helm values of the GPU Operator: devicePlugin.config.name=gpuspec-device-plugin, "
        "devicePlugin.config.default=whole-gpus",
    )
    assert validate(made[0], "1.36") == ()


@pytest.mark.parametrize(("said", "told"), [("false", False), ("true", True)])
@pytest.mark.parametrize("mode", ["time-slicing", "mps"])
def test_two_shares_are_handed_out_where_the_profile_says_so(
    profile: MakeProfile, mode: str, said: str, told: bool
) -> None:
    text = SHARED.replace("time-slicing", mode)
    text = text.replace("rename: true", f"failRequestsGreaterThanOne: {said}")
    made, _ = device_objects(profile(text))
    (shares,) = contents(made, "gpuspec-device-plugin")["t4-shared"]["sharing"].values()
    assert shares["failRequestsGreaterThanOne"] is told


def test_mps_has_a_key_of_its_own(profile: MakeProfile) -> None:
    made, _ = device_objects(profile(SHARED.replace("time-slicing", "mps")))
    sharing = contents(made, "gpuspec-device-plugin")["t4-shared"]["sharing"]
    assert list(sharing) == ["mps"]


@pytest.mark.parametrize("rename", ["true", "false"])
def test_the_plugin_is_told_the_name_that_it_renames(profile: MakeProfile, rename: str) -> None:
    pool = "{model: T4, count: 4, resource: nvidia.com/gpu.shared}"
    text = SHARED.replace("{model: T4, count: 4}", pool).replace("true", rename)
    made, _ = device_objects(profile(text))
    mode = contents(made, "gpuspec-device-plugin")["t4-shared"]["sharing"]["timeSlicing"]
    assert mode["renameByDefault"] is True
    assert mode["resources"] == [{"name": "nvidia.com/gpu", "replicas": 4}]


def test_a_mig_layout_is_for_the_mig_manager_and_the_strategy_for_the_plugin(
    profile: MakeProfile,
) -> None:
    made, notes = device_objects(profile(OPERATOR + MIG))
    assert contents(made, "gpuspec-mig-layouts")["config.yaml"] == {
        "version": "v1",
        "mig-configs": {
            "all-disabled": [{"devices": "all", "mig-enabled": False}],
            "small": [
                {
                    "devices": "all",
                    "mig-enabled": True,
                    "mig-devices": {"1g.5gb": 2, "2g.10gb": 1, "3g.20gb": 1},
                }
            ],
        },
    }
    plugin = contents(made, "gpuspec-device-plugin")["small"]
    assert plugin == {"version": "v1", "flags": {"migStrategy": "mixed"}}
    assert "label the nodes of pool small: nvidia.com/mig.config=small" in notes
    assert "migManager.config.name=gpuspec-mig-layouts, mig.strategy=mixed" in notes[-1]
    assert all(not validate(one, "1.36") for one in made)


def test_two_strategies_are_left_to_the_nodes(profile: MakeProfile) -> None:
    """The operator's own setting would win over what each node is told."""
    single = """
  - name: half
    gpu: {model: H100-80GB, count: 8}
    sharing: {mode: mig, profiles: {3g.40gb: 2}}
"""
    made, notes = device_objects(profile(OPERATOR + MIG + single))
    assert notes[-1].endswith('mig.strategy=""')
    plugin = contents(made, "gpuspec-device-plugin")
    assert [plugin[name]["flags"]["migStrategy"] for name in ("half", "small")] == [
        "single",
        "mixed",
    ]


def test_the_names_that_nodes_carry_are_kept(profile: MakeProfile) -> None:
    """No label is asked for that the pool says its nodes have."""
    labels = "{nvidia.com/mig.config: half, nvidia.com/device-plugin.config: cut}"
    made, notes = device_objects(profile(OPERATOR + MIG + f"    labels: {labels}"))
    layouts = contents(made, "gpuspec-mig-layouts")["config.yaml"]["mig-configs"]
    assert set(layouts) == {"all-disabled", "half"}
    assert set(contents(made, "gpuspec-device-plugin")) == {"cut", "whole-gpus"}
    assert not [note for note in notes if note.startswith("label the nodes")]


def test_names_are_values_of_labels_and_never_shared_by_unlike_pools(profile: MakeProfile) -> None:
    made, _ = device_objects(
        profile(
            """
pools:
  - {name: "whole gpus", gpu: {model: T4, count: 1}, sharing: {mode: mps, replicas: 2}}
  - {name: "whole+gpus", gpu: {model: T4, count: 1}, sharing: {mode: mps, replicas: 3}}
  - {name: "++", gpu: {model: T4, count: 1}, sharing: {mode: mps, replicas: 3}}
"""
        )
    )
    found = contents(made, "gpuspec-device-plugin")
    assert sorted(found) == ["pool", "whole-gpus", "whole-gpus-2", "whole-gpus-3"]
    assert found["whole-gpus"] == {"version": "v1"}


def test_without_the_operator_it_is_said_what_differs(profile: MakeProfile) -> None:
    _, notes = device_objects(profile(MIG))
    assert notes[-1] == (
        "the profile does not say that gpu-operator is installed: with the device plugin's own "
        "Helm chart, set config.name and config.default instead; nothing then applies MIG layouts"
    )


def test_a_layout_that_may_cut_a_neighbours_gpus_is_said(profile: MakeProfile) -> None:
    beside = "  - {name: whole, gpu: {model: A100-40GB, count: 4}}\n"
    _, notes = device_objects(profile(OPERATOR + MIG + beside))
    assert [note for note in notes if "every GPU" in note] == [
        "layout small cuts every GPU of a node: if nodes of pool small also belong to whole, "
        "write the numbers of the GPUs for `devices: all`"
    ]


@pytest.mark.parametrize(
    ("provider", "sharing", "said"),
    [
        (
            "gke",
            "{mode: time-slicing, replicas: 4}",
            "gpu-sharing-strategy=time-sharing,max-shared-clients-per-gpu=4",
        ),
        ("gke", "{mode: mps, replicas: 4}", "gpu-sharing-strategy=mps"),
        ("gke", "{mode: mig, profiles: {1g.5gb: 7}}", "gpu-partition-size=1g.5gb"),
        ("aks", "{mode: mig, profiles: {2g.10gb: 3}}", "--gpu-instance-profile MIG2g"),
        ("aks", "{mode: mps, replicas: 4}", "no node pool of AKS sets mps"),
        ("eks", "{mode: time-slicing, replicas: 4}", 'device-sharing-strategy = "time-slicing"'),
        ("eks", "{mode: mig, profiles: {1g.5gb: 7}}", 'device-partitioning-strategy = "mig"'),
        ("eks-auto", "{mode: mps, replicas: 4}", "EKS Auto Mode runs the device plugin itself"),
        ("coreweave", "{mode: mps, replicas: 4}", "CoreWeave runs the device plugin itself"),
    ],
)
def test_what_a_provider_sets_is_a_note_and_no_object(
    profile: MakeProfile, provider: str, sharing: str, said: str
) -> None:
    pool = f"pools: [{{name: a, gpu: {{model: A100-40GB, count: 1}}, sharing: {sharing}}}]\n"
    made, (note,) = device_objects(profile(f"provider: {provider}\n{pool}"))
    assert made == []
    assert note.startswith("pool a: ")
    assert said in note
    made, _ = device_objects(profile(f"provider: {provider}\n{OPERATOR}{pool}"))
    assert made, "the operator's own configuration is ours to write everywhere"


def test_whole_gpus_need_no_configuration(profile: MakeProfile) -> None:
    assert device_objects(profile("pools: [{name: a, gpu: {model: T4, count: 1}}]")) == ([], ())


SHARINGS = st.one_of(
    st.builds(
        Sharing,
        mode=st.sampled_from(["mps", "time-slicing"]),
        replicas=st.integers(2, 48),
        rename=st.booleans(),
    ),
    st.builds(
        Sharing,
        mode=st.just("mig"),
        strategy=st.sampled_from(["single", "mixed"]),
        profiles=st.sampled_from([{"1g.5gb": 7}, {"1g.5gb": 2, "2g.10gb": 1, "3g.20gb": 1}]),
    ),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=80), SHARINGS), min_size=1, max_size=5))
def test_the_plugin_accepts_whatever_pools_say(given_pools: list[tuple[str, Sharing]]) -> None:
    pools = tuple(
        Pool(name=f"{index}{name}", gpu=PoolGpu(model="A100-40GB", count=8), sharing=sharing)
        for index, (name, sharing) in enumerate(given_pools)
    )
    spec = ClusterProfileSpec(kubernetes="1.36", pools=pools)
    model = ClusterProfile(
        api_version="gpuspec.dev/v1alpha1", metadata=ProfileMetadata(name="eu"), spec=spec
    )
    made, _ = device_objects(Profile(model))
    assert all(not validate(one, "1.36") for one in made)
    configs = contents(made, "gpuspec-device-plugin")
    assert all(plugin_accepts(config) for config in configs.values())
    assert all(re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?", n) for n in configs)
    said = [config for name, config in configs.items() if name != "whole-gpus"]
    assert len(said) == len(pools)


HALF = """
pools:
  - name: half
    gpu: {model: A100-80GB, count: 4}
    sharing: {mode: mig, strategy: mixed, profiles: {1g.10gb: 7}, gpus: 2}
"""


def test_the_gpus_of_a_node_that_stay_whole_are_named_by_their_numbers(
    profile: MakeProfile,
) -> None:
    made, _ = device_objects(profile(OPERATOR + HALF))
    layouts = contents(made, "gpuspec-mig-layouts")["config.yaml"]["mig-configs"]
    assert layouts["half"] == [
        {"devices": [0, 1], "mig-enabled": True, "mig-devices": {"1g.10gb": 7}},
        {"devices": [2, 3], "mig-enabled": False},
    ]
