"""GPUs by claim: what the template asks for, who has the claim, and what is no longer written."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Made, Make, Refused, Values

CLAIM = {"dra": {"by": "claim"}}
H100, A100 = "H100-80GB", "A100-80GB"
ATTRIBUTES = "device.attributes['gpu.nvidia.com']"


def claimed(words: ModuleType, name: str, model: str, count: int = 8, **fields: Any) -> Values:
    """A pool whose GPUs are had by claims."""
    gpu = {"model": model, "count": count, **CLAIM, **fields.pop("gpu", {})}
    made: Values = words.pool(name, model, count, **fields)
    return made | {"gpu": gpu}


def requests(made: Made) -> list[Values]:
    found: list[Values] = made.one("ResourceClaimTemplate")["spec"]["spec"]["devices"]["requests"]
    return found


def expressions(request: Values) -> list[str]:
    return [each["cel"]["expression"] for each in request.get("selectors", ())]


def test_a_pod_has_one_claim_and_no_resource_of_a_plugin(make: Make, words: ModuleType) -> None:
    """C-56: the same pod as with a device plugin, but for how it asks for its GPUs."""
    by_plugin = make("Training", words.cluster(words.pool("h100", H100)), gpu={"count": 8})
    made = make("Training", words.cluster(claimed(words, "h100", H100)), gpu={"count": 8})
    template = made.one("ResourceClaimTemplate")
    assert template["apiVersion"] == "resource.k8s.io/v1"
    (claim,) = made.pod.pop("resourceClaims")
    assert claim == {
        "name": "gpu",
        "resourceClaimTemplateName": template["metadata"]["name"],
    }
    assert made.main["resources"].pop("claims") == [{"name": "gpu"}]
    for amounts in ("requests", "limits"):
        assert by_plugin.main["resources"][amounts].pop("nvidia.com/gpu") == "8"
    address = {"args", "command", "env"}
    assert made.pod["tolerations"] == by_plugin.pod["tolerations"]
    assert {key: value for key, value in made.main.items() if key not in address} == {
        key: value for key, value in by_plugin.main.items() if key not in address
    }


def test_what_the_envelope_asks_for_is_a_selector(make: Make, words: ModuleType) -> None:
    """An 80 GB card reports 81559Mi: the threshold is a little below what is asked for."""
    gpu = {"models": [H100], "count": 8, "memory": "80Gi", "computeCapability": "8.9"}
    labels = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
    profile = words.cluster(claimed(words, "h100", H100, labels=labels))
    made = make("Training", profile, gpu=gpu)
    (request,) = requests(made)
    exactly = request["exactly"]
    assert (exactly["deviceClassName"], exactly["count"]) == ("gpu.nvidia.com", 8)
    product, memory, capability = expressions(exactly)
    assert product == f"{ATTRIBUTES}.productName.replace(' ', '-') == 'NVIDIA-H100-80GB-HBM3'"
    assert memory.endswith(".memory.compareTo(quantity('81100Mi')) >= 0")
    assert capability == f"{ATTRIBUTES}.cudaComputeCapability.compareTo(semver('8.9.0')) >= 0"


def test_any_gpu_of_the_class_will_do_where_nothing_is_asked(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(claimed(words, "h100", H100)))
    (request,) = requests(made)
    assert "selectors" not in request["exactly"]


def test_the_order_of_models_is_one_of_alternatives(make: Make, words: ModuleType) -> None:
    """And all GPUs of a pod are of one product, on a node that has several too."""
    profile = words.cluster(claimed(words, "a100", A100), claimed(words, "h100", H100))
    made = make("Training", profile, gpu={"models": [H100, A100], "count": 4})
    (request,) = requests(made)
    first, second = request["firstAvailable"]
    assert "H100" in expressions(first)[0]
    assert "A100" in expressions(second)[0]
    assert (first["name"], second["name"], second["count"]) == ("first", "second", 4)
    devices = made.one("ResourceClaimTemplate")["spec"]["spec"]["devices"]
    assert devices["constraints"] == [
        {"requests": ["gpu"], "matchAttribute": "gpu.nvidia.com/productName"}
    ]


def test_no_more_alternatives_than_a_request_takes(make: Make, words: ModuleType) -> None:
    """Eight: the last has all models that are left."""
    models = [H100, A100, "H200", "L40S", "L4", "T4", "A10", "A30", "A40", "L40"]
    pools = [claimed(words, model.lower(), model) for model in models]
    made = make("Training", words.cluster(*pools), gpu={"models": models})
    (request,) = requests(made)
    assert len(request["firstAvailable"]) == 8
    last = expressions(request["firstAvailable"][-1])[0]
    assert all(model in last for model in ("NVIDIA-A30", "NVIDIA-A40", "NVIDIA-L40"))


def test_a_template_of_another_shape_has_another_name(make: Make, words: ModuleType) -> None:
    """It cannot be changed: an apply of another under its name would be refused."""
    profile = words.cluster(claimed(words, "h100", H100))
    names = {
        make("Inference", profile, gpu={"count": count}).one("ResourceClaimTemplate")["metadata"][
            "name"
        ]
        for count in (1, 2, 2)
    }
    assert len(names) == 2
    assert all(name.startswith("work-gpu-") for name in names)


def test_pods_are_bound_by_the_claim_where_no_label_is_told(make: Make, words: ModuleType) -> None:
    """A label that somebody may set would only keep them off nodes that have the GPUs."""
    gpu = {"models": [H100]}
    made = make("Training", words.cluster(claimed(words, "h100", H100)), gpu=gpu)
    assert [[each["key"] for each in term] for term in made.terms] == [["kubernetes.io/arch"]]
    labels = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
    told = make("Training", words.cluster(claimed(words, "h100", H100, labels=labels)), gpu=gpu)
    assert "nvidia.com/gpu.product" in [each["key"] for each in told.terms[0]]


def test_a_mig_partition_is_chosen_by_its_profile(make: Make, words: ModuleType) -> None:
    """C-56: several profiles of one pool, without a name of each."""
    sharing = {"mode": "mig", "profiles": {"1g.10gb": 3, "2g.20gb": 2}}
    profile = words.cluster(claimed(words, "mig", H100, sharing=sharing))
    made = make("Inference", profile, gpu={"memory": "18Gi"})
    (request,) = requests(made)
    assert request["exactly"]["deviceClassName"] == "mig.nvidia.com"
    assert expressions(request["exactly"]) == [f"{ATTRIBUTES}.profile == '2g.20gb'"]


def test_pools_by_plugin_and_by_claim_are_not_one_pods(make: Make, words: ModuleType) -> None:
    """Never both in one pod: the first choice decides."""
    profile = words.cluster(claimed(words, "h100", H100), words.pool("a100", A100))
    made = make("Training", profile, gpu={"models": [A100, H100]})
    assert made.limits["nvidia.com/gpu"] == "1"
    assert "ResourceClaimTemplate" not in made.kinds()
    assert (
        "pool h100 is left out: pods request it by a claim of gpu.nvidia.com, the "
        "first choice by a device plugin's resource"
    ) in made.notes()


def test_pods_with_claims_need_no_label_to_stay_off_a_plugins_nodes(
    make: Make, words: ModuleType
) -> None:
    """Nothing lists their devices; a driver lists those behind an extended resource too."""
    same = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
    behind = claimed(words, "new", H100, gpu={"dra": {"by": "extended-resource"}}, labels=same)
    pools = claimed(words, "h100", H100, labels=same), words.pool("old", H100, labels=same), behind
    told = [
        (note.text.partition(":")[0], note.text.partition("although ")[2])
        for note in make("Training", words.cluster(*pools), gpu={"count": 8}).rendering.notes
        if note.loud and "no label distinguishes" in note.text
    ]
    assert told == [
        (
            "no label distinguishes pool new from the chosen pools",
            (
                "pods request it by an extended resource, the first choice by a claim of "
                "gpu.nvidia.com"
            ),
        )
    ]


def test_a_name_that_a_class_stands_behind_is_asked_for_as_ever(
    make: Make, words: ModuleType
) -> None:
    gpu = {"dra": {"by": "extended-resource"}}
    made = make("Training", words.cluster(claimed(words, "h100", H100, gpu=gpu)), gpu={"count": 8})
    assert made.limits["nvidia.com/gpu"] == "8"
    assert "ResourceClaimTemplate" not in made.kinds()
    assert "resourceClaims" not in made.pod


def test_each_profile_of_mig_has_a_name_then(make: Make, words: ModuleType) -> None:
    """Whatever strategy a device plugin would have: `nvidia.com/gpu` is the class of whole GPUs."""
    sharing = {"mode": "mig", "profiles": {"1g.10gb": 7}}
    gpu = {"dra": {"by": "extended-resource"}}
    profile = words.cluster(claimed(words, "mig", H100, gpu=gpu, sharing=sharing))
    made = make("BatchInference", profile, gpu={"memory": "8Gi"})
    assert made.limits["nvidia.com/mig-1g.10gb"] == "1"


def test_amds_gpus_are_told_from_their_partitions(make: Make, words: ModuleType) -> None:
    """One class has both; the product's name is written as in the label."""
    gpu = {"resource": "amd.com/gpu"}
    profile = words.cluster(claimed(words, "mi300x", "MI300X", gpu=gpu))
    made = make("Training", profile, gpu={"models": ["MI300X"], "count": 8})
    (request,) = requests(made)
    assert request["exactly"]["deviceClassName"] == "gpu.amd.com"
    kind, product = expressions(request["exactly"])
    assert kind == "device.attributes['gpu.amd.com'].type == 'amdgpu'"
    assert product.startswith("device.attributes['gpu.amd.com'].productName in ['AMD_Instinct")


def test_a_class_of_the_platforms_own(make: Make, words: ModuleType) -> None:
    """It may have more than one kind of device: which is meant is said."""
    gpu = {"dra": {"by": "claim", "deviceClass": "h100.example.com"}}
    made = make("Training", words.cluster(claimed(words, "h100", H100, gpu=gpu)))
    (request,) = requests(made)
    assert request["exactly"]["deviceClassName"] == "h100.example.com"
    assert expressions(request["exactly"]) == [f"{ATTRIBUTES}.type == 'gpu'"]


def test_warm_room_is_held_by_a_claim(make: Make, words: ModuleType) -> None:
    profile = words.cluster(
        claimed(words, "h100", H100), priorities={"placeholder": "gpu-placeholder"}
    )
    made = make("Inference", profile, warm=1)
    pod = made.one("Deployment", "work-placeholder")["spec"]["template"]["spec"]
    assert pod["resourceClaims"] == made.pod["resourceClaims"]
    assert pod["containers"][0]["resources"]["claims"] == [{"name": "gpu"}]


def test_helpers_have_no_claim(make: Make, words: ModuleType) -> None:
    """The main container alone names it: an init container or a sidecar has none of the GPUs."""
    helper = {"name": "log", "image": "ghcr.io/example/log:1"}
    made = make(
        "Training",
        words.cluster(claimed(words, "h100", H100)),
        initContainers=[helper],
        sidecars=[helper | {"name": "ship"}],
    )
    for one in made.pod["initContainers"]:
        assert "claims" not in one["resources"]


# ------------------------------------------------------------------------------------- queues


QUEUED: Values = {"queue": "research"}


def test_a_queue_is_told_which_class_is_which_resource(make: Make, words: ModuleType) -> None:
    profile = words.cluster(
        claimed(words, "h100", H100), claimed(words, "a100", A100), installed={"kueue": "0.19"}
    )
    made = make("Training", profile, gpu={"models": [H100, A100]}, **QUEUED)
    assert (
        "Kueue admits claims only of DeviceClasses that its configuration maps: resources: "
        "{deviceClassMappings: [{name: nvidia.com/gpu, deviceClassNames: [gpu.nvidia.com]}]}"
        in made.loud()
    )
    # Kueue holds a claim with alternatives back for ever.
    assert "exactly" in requests(made)[0]
    assert "Kueue does not count alternatives of a claim" in made.loud()
    assert "nvidia.com/gpu" in made.notes()


def test_a_queue_counts_the_devices_of_claims(refused: Refused, words: ModuleType) -> None:
    queue = {"name": "research", "namespaces": ["default"], "pools": [{"pool": "h100", "gpus": 8}]}
    profile = words.cluster(
        claimed(words, "h100", H100), installed={"kueue": "0.19"}, queues=[queue]
    )
    said = refused("Training", profile, workers=2, gpu={"count": 8}, **QUEUED)
    assert "2 pods × 8 nvidia.com/gpu = 16, but queue research may use only 8 of pool h100" in said


@pytest.mark.parametrize(
    ("version", "fields", "why"),
    [
        ("0.17", {}, "Kueue 0.17 does not count devices of claims; 0.18 and later do"),
        (
            "0.19",
            {"sharing": {"mode": "mig", "profiles": {"1g.10gb": 7}}},
            "Kueue counts devices by their DeviceClass, and mig.nvidia.com is that of every MIG profile",
        ),
    ],
)
def test_what_a_queue_cannot_count_is_refused(
    refused: Refused, words: ModuleType, version: str, fields: Values, why: str
) -> None:
    profile = words.cluster(claimed(words, "p", H100, **fields), installed={"kueue": version})
    assert why in refused("BatchInference", profile, gpu={"memory": "8Gi"}, **QUEUED)


# --------------------------------------------------------------------------- NVLink across nodes


def joined(words: ModuleType, **fields: Any) -> Values:
    return claimed(words, "gb200", "GB200", 4, architecture="arm64", computeDomains=True, **fields)


def test_workers_on_one_nvlink_get_a_compute_domain(make: Make, words: ModuleType) -> None:
    """C-56: each claims a channel of it, beside its GPUs, and all keep to one clique."""
    made = make("Training", words.cluster(joined(words)), workers=2, gpu={"count": 4})
    domain = made.one("ComputeDomain")
    channel = f"{domain['metadata']['name']}-channel"
    assert domain["metadata"]["name"] == made.workload["metadata"]["name"]
    assert domain["spec"] == {
        "numNodes": 0,
        "channel": {"resourceClaimTemplate": {"name": channel}},
    }
    assert made.pod["resourceClaims"][1] == {
        "name": "channel",
        "resourceClaimTemplateName": channel,
    }
    assert made.main["resources"]["claims"] == [{"name": "gpu"}, {"name": "channel"}]
    (term,) = made.pod["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["topologyKey"] == "nvidia.com/gpu.clique"
    assert "communicate over TCP" not in made.loud()


def test_a_lone_pod_needs_no_channel(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(joined(words)), gpu={"count": 4})
    assert "ComputeDomain" not in made.kinds()
    assert [each["name"] for each in made.pod["resourceClaims"]] == ["gpu"]


def test_a_channel_goes_with_gpus_of_a_device_plugin_too(make: Make, words: ModuleType) -> None:
    pool = words.pool("gb200", "GB200", 4, architecture="arm64", computeDomains=True)
    made = make("Training", words.cluster(pool), workers=2, gpu={"count": 4})
    assert made.main["resources"]["claims"] == [{"name": "channel"}]
    assert made.limits["nvidia.com/gpu"] == "4"


@pytest.mark.parametrize(("version", "said"), [("1.14", True), ("1.15", False)])
def test_an_older_volcano_has_to_be_told(
    make: Make, words: ModuleType, version: str, said: bool
) -> None:
    profile = words.cluster(
        claimed(words, "h100", H100), installed={"volcano": version}, scheduler="volcano"
    )
    loud = make("Training", profile).loud()
    assert ("predicate.DynamicResourceAllocationEnable: true" in loud) is said


def test_a_new_model_needs_no_new_render(make: Make, words: ModuleType) -> None:
    """Products are named where another pool's GPUs would be taken that cannot carry the workload."""
    arm = claimed(words, "gh200", "GH200-96GB", 1, architecture="arm64")
    made = make("Training", words.cluster(claimed(words, "h100", H100), arm))
    assert "selectors" not in requests(made)[0]["exactly"]
    small = claimed(words, "t4", "T4")
    gpu = {"computeCapability": "8.0", "count": 2}
    made = make("Training", words.cluster(claimed(words, "h100", H100), small), gpu=gpu)
    assert "productName" in expressions(requests(made)[0]["exactly"])[0]
