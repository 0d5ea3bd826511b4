"""Recipes of fabrics: a pool names its provider's, and its pods have all that it asks for."""

import json
from types import ModuleType
from typing import get_args

import pytest

from gpuspec import hardware
from gpuspec.spec.fabric import Recipe
from gpuspec.spec.rules.violation import camel
from tests.plan.conftest import Made, Make, Refused, Values
from tests.plan.recipe_pools import INSTANCE, WHOLE, cluster, pool

MACHINES = [
    (known.name, machine)
    for known in hardware.recipes().values()
    for machine in (tuple(known.machines) or (None,))
]


def test_the_spec_knows_the_recipes_of_the_table() -> None:
    assert sorted(get_args(Recipe)) == sorted(hardware.recipes())


@pytest.mark.parametrize(("recipe", "machine"), MACHINES)
def test_a_pod_has_all_that_the_recipe_asks_for_and_says_what_it_takes(
    make: Make, words: ModuleType, pod_security: ModuleType, recipe: str, machine: str | None
) -> None:
    """C-52: every recipe renders on every machine that it knows, or on any."""
    known = hardware.recipes()[recipe]
    made = make("Training", cluster(words, pool(words, recipe, machine)), **WHOLE)
    taken = {camel(field) for field in known.takes}
    waived = [
        key.removeprefix("gpuspec.dev/waiver-")
        for key in made.template["metadata"]["annotations"]
        if key.startswith("gpuspec.dev/waiver-")
    ]
    assert sorted(waived) == sorted(field.replace("_", "-") for field in known.takes)
    assert bool(pod_security.restricted(made.template)) is bool(taken)
    names = {volume["name"] for volume in made.pod["volumes"]}
    for one in (*made.pod.get("initContainers", ()), *made.pod["containers"]):
        assert {mount["name"] for mount in one["volumeMounts"]} <= names
    assert "communicate over TCP" not in made.notes()


@pytest.mark.parametrize(
    ("recipe", "machine", "asked"),
    [
        ("efa", "p5.48xlarge", {"vpc.amazonaws.com/efa": "32", "hugepages-2Mi": "5Gi"}),
        ("efa", "p4d.24xlarge", {"vpc.amazonaws.com/efa": "4", "hugepages-2Mi": "5Gi"}),
        ("efa", "p6-b200.48xlarge", {"vpc.amazonaws.com/efa": "8", "hugepages-2Mi": "5Gi"}),
        ("aks-ib", "Standard_ND96isr_H100_v5", {"rdma/ib": "8"}),
        ("aks-shared-ib", "Standard_ND96isr_H100_v5", {"rdma/shared_ib": "1"}),
        ("coreweave-ib", None, {"rdma/ib": "1"}),
        ("oke-vf", "BM.GPU.H100.8", {"nvidia.com/rdma-vf": "16"}),
        ("oke-vf", "BM.GPU.H200.8", {"nvidia.com/rdma-vf": "8"}),
    ],
)
def test_devices_by_machine(
    make: Make, words: ModuleType, recipe: str, machine: str | None, asked: Values
) -> None:
    made = make("Training", cluster(words, pool(words, recipe, machine)), **WHOLE)
    beside = ("cpu", "memory", "ephemeral-storage", "nvidia.com/gpu")
    assert {k: v for k, v in made.limits.items() if k not in beside} == asked
    assert asked.items() <= made.requests.items()


def test_the_half_of_a_machine_has_the_half_of_its_adapters(make: Make, words: ModuleType) -> None:
    half: Values = {"workers": 2, "gpu": {"count": 4, "interconnect": "rdma"}}
    made = make("Training", cluster(words, pool(words, "oke-vf", "BM.GPU.H100.8")), **half)
    assert made.limits["nvidia.com/rdma-vf"] == "8"
    networks = made.template["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"]
    assert networks.split(",") == ["default/rdma-vf"] * 8
    assert made.env["NCCL_IB_HCA"] == "mlx5", "inside a pod there are only its own functions"


def interfaces(made: Made) -> dict[str, str]:
    written = made.template["metadata"]["annotations"]["networking.gke.io/interfaces"]
    return {row["interfaceName"]: row["network"] for row in json.loads(written)}


@pytest.mark.parametrize(
    ("recipe", "machine", "first", "last", "accelerator"),
    [
        ("gke-tcpx", "a3-highgpu-8g", "eth1 vpc1", "eth4 vpc4", "nvidia-h100-80gb"),
        ("gke-tcpxo", "a3-megagpu-8g", "eth1 vpc1", "eth8 vpc8", "nvidia-h100-mega-80gb"),
        ("gke-rdma", "a3-ultragpu-8g", "eth2 rdma-0", "eth9 rdma-7", None),
        ("gke-rdma-image", "a4x-highgpu-4g", "eth2 rdma-0", "eth5 rdma-3", None),
    ],
)
def test_gke_attaches_each_machine_to_its_own_networks(
    make: Make,
    words: ModuleType,
    recipe: str,
    machine: str,
    first: str,
    last: str,
    accelerator: str | None,
) -> None:
    """A3 High and A3 Mega have one GPU and two fabrics: their nodes are told apart."""
    profile = cluster(words, pool(words, recipe, machine), provider="gke")
    asked = {**WHOLE, "gpu": {**WHOLE["gpu"], "models": ["H100-80GB"]}}
    made = make("Training", profile, **asked)
    found = interfaces(made)
    assert next(iter(found.items())) == ("eth0", "default")
    (_, *fabric) = (" ".join(pair) for pair in found.items())
    assert (fabric[0], fabric[-1]) == (first, last)
    assert made.env["NCCL_SOCKET_IFNAME"] == "eth0"
    if accelerator:
        (term,) = made.terms
        labels = {each["key"]: each["values"] for each in term}
        assert labels["cloud.google.com/gke-accelerator"] == [accelerator]


@pytest.mark.parametrize(
    ("recipe", "daemon", "adds", "devices"),
    [
        ("gke-tcpx", "tcpx-daemon", ["NET_ADMIN"], 10),
        ("gke-tcpxo", "tcpxo-daemon", ["NET_ADMIN", "NET_BIND_SERVICE"], 11),
    ],
)
def test_the_daemon_is_a_native_sidecar_that_its_annotation_names(
    make: Make, words: ModuleType, recipe: str, daemon: str, adds: list[str], devices: int
) -> None:
    """A plain container would keep the Job from ending; devices go to the container so called."""
    made = make("Training", cluster(words, pool(words, recipe)), **WHOLE)
    one = made.helper(daemon)
    assert one["restartPolicy"] == "Always"
    assert [each["name"] for each in made.pod["containers"]] == ["main"]
    context = one["securityContext"]
    assert (context["runAsUser"], context["capabilities"]) == (0, {"add": adds})
    key = f"devices.gke.io/container.{daemon}"
    handed = made.template["metadata"]["annotations"][key].splitlines()
    assert len(handed) == devices and handed[0] == "- path: /dev/nvidia0"
    assert "limits" not in one["resources"], "nobody says how much it needs at most"
    assert "nvidia.com/gpu" not in one["resources"]["requests"]
    assert made.main["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_main_container_and_daemon_of_tcpx_share_the_folder_of_its_sockets(
    make: Make, words: ModuleType
) -> None:
    made = make("Training", cluster(words, pool(words, "gke-tcpx")), **WHOLE)
    where = made.env["NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX"]
    there = {
        mount["mountPath"]: mount["name"] for mount in made.helper("tcpx-daemon")["volumeMounts"]
    }
    assert made.mounts[where]["name"] == there[where]
    assert "emptyDir" in made.volumes[there[where]]
    assert where in made.helper("tcpx-daemon")["command"]


def test_what_the_daemon_asks_for_is_taken_off_the_main_container(
    make: Make, words: ModuleType
) -> None:
    """The node has no more than before: together they fit."""
    plain = make(
        "Training", cluster(words, words.pool(model="H100-80GB")), workers=2, gpu={"count": 8}
    )
    made = make("Training", cluster(words, pool(words, "gke-tcpxo")), **WHOLE)
    asked = made.helper("tcpxo-daemon")["resources"]["requests"]
    for name in ("cpu", "memory"):
        together = words.number(made.requests[name]) + words.number(asked[name])
        assert together <= words.number(plain.requests[name])


def test_a_spec_that_asks_for_a_whole_node_leaves_no_room_for_the_daemon(
    refused: Refused, words: ModuleType
) -> None:
    profile = cluster(words, pool(words, "gke-tcpxo"))
    asked = {**WHOLE, "resources": {"cpu": 128}}
    assert "a pod requests 129" in refused("Training", profile, **asked)


def test_the_image_of_the_daemon_is_the_profiles(make: Make, words: ModuleType) -> None:
    own = pool(words, "gke-tcpxo", daemonImage="eu.example.com/rxdm@sha256:" + "0" * 64)
    made = make("Training", cluster(words, own), **WHOLE)
    assert made.helper("tcpxo-daemon")["image"].startswith("eu.example.com/rxdm@")
    made = make("Training", cluster(words, pool(words, "gke-tcpxo")), **WHOLE)
    assert made.helper("tcpxo-daemon")["image"].endswith("tcpgpudmarxd-dev:v1.0.21")


def test_a_single_pod_has_no_daemon(make: Make, words: ModuleType) -> None:
    made = make("Training", cluster(words, pool(words, "gke-tcpxo")), gpu={"count": 8})
    assert "initContainers" not in made.pod
    assert not [volume for volume in made.pod["volumes"] if "hostPath" in volume]


def test_the_profile_wins_over_the_recipe(make: Make, words: ModuleType) -> None:
    own = pool(
        words,
        "gke-rdma-image",
        interfaces={"eth1": "rail-0", "eth2": "rail-1"},
        env={"NCCL_NET": "gIB-next"},
    )
    made = make("Training", cluster(words, own), **WHOLE)
    assert interfaces(made) == {"eth0": "default", "eth1": "rail-0", "eth2": "rail-1"}
    assert made.env["NCCL_NET"] == "gIB-next"
    assert made.env["LD_LIBRARY_PATH"].startswith("/usr/local/gib/lib64"), (
        "what it leaves out stays"
    )


def test_what_the_recipe_brings_the_spec_does_not(refused: Refused, words: ModuleType) -> None:
    profile = cluster(words, pool(words, "gke-tcpxo"))
    daemon = {"name": "tcpxo-daemon", "image": "ghcr.io/example/rxdm:1"}
    text = refused("Training", profile, **WHOLE, sidecars=[daemon])
    assert "container tcpxo-daemon: pool h100 sets by its recipe gke-tcpxo" in text
    own = {"mount": "/usr/local/gib", "size": "1Gi"}
    gib = cluster(words, pool(words, "gke-rdma"))
    text = refused("Training", gib, **WHOLE, volumes=[own])
    assert "the mount /usr/local/gib: pool h100 sets" in text
    named = {"mount": "/scratch", "name": "fabric-sys", "size": "1Gi"}
    assert "volume fabric-sys: pool" in refused("Training", profile, **WHOLE, volumes=[named])


def test_pools_with_another_recipe_are_left_out(make: Make, words: ModuleType) -> None:
    other = {**pool(words, "gke-tcpx"), "name": "high"}
    made = make("Training", cluster(words, pool(words, "gke-tcpxo"), other), **WHOLE)
    assert "pool high is left out: its RDMA fabric is not that of the first choice" in made.notes()


def test_a_machine_that_has_a_fabric_says_what_to_write(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    """Until a profile says so, nobody knows that its daemon sets are installed."""
    bare = words.pool("h100", model="H100-80GB", labels={INSTANCE: "a3-megagpu-8g"})
    said = "a3-megagpu-8g machines have one: write `rdma: {recipe: gke-tcpxo}`"
    assert said in refused("Training", words.cluster(bare), **WHOLE)
    made = make("Training", words.cluster(bare), workers=2, gpu={"count": 8})
    assert said in made.loud() and "the 2 workers communicate over TCP" in made.loud()


@pytest.mark.parametrize(
    ("preset", "model", "said"),
    [
        (
            "gke",
            "H100-80GB",
            "`rdma: {recipe: gke-tcpx}` (a3-highgpu-8g) or `rdma: {recipe: gke-tcpxo}`",
        ),
        ("gke", "H200-141GB", "`rdma: {recipe: gke-rdma}` (a3-ultragpu-8g) or"),
        ("eks", "H200-141GB", "`rdma: {recipe: efa}` (p5e.48xlarge, p5en.48xlarge)"),
        ("aks", "H100-80GB", "`rdma: {recipe: aks-ib}` (Standard_ND96isr_H100_v5) or"),
        ("coreweave", "H100-80GB", "`rdma: {recipe: coreweave-ib}` or"),
        ("generic", "H100-80GB", "`rdma: {resource: …}`"),
    ],
)
def test_a_built_in_profile_says_that_it_knows_no_fabric(
    make: Make, words: ModuleType, preset: str, model: str, said: str
) -> None:
    """It rendered before and still does; what the spec asked for and did not get is said."""
    profile: Values = words.cluster(extends=preset)
    del profile["spec"]["pools"]
    asked: Values = {"models": [model], "count": 8}
    made = make("Training", profile, workers=2, gpu={**asked, "interconnect": "rdma"})
    assert "no fabric is requested" in made.loud() and said in made.loud()
    assert "the 2 workers communicate over TCP" in made.loud()
    quiet = make("Training", profile, workers=2, gpu=asked)
    assert "no fabric is requested" in quiet.notes()
    assert "no fabric is requested" not in quiet.loud()


def test_what_a_recipe_decides_says_the_recipe_and_its_source(
    make: Make, words: ModuleType
) -> None:
    made = make("Training", cluster(words, pool(words, "gke-tcpxo")), **WHOLE)
    by_path = {explanation.path: explanation for explanation in made.rendering.explanations()}
    main = "spec.template.spec.containers[0]"
    (env,) = (
        explanation
        for path, explanation in by_path.items()
        if path.startswith(f"{main}.env[") and "NCCL_FASTRAK_CTRL_DEV" in str(explanation.value)
    )
    assert str(env.place).startswith("recipe gke-tcpxo: GoogleCloudPlatform/")
    image = by_path["spec.template.spec.initContainers[0].image"]
    assert image.origin == "table hardware/recipes gke-tcpxo"


def test_a_server_on_several_nodes_has_the_daemon_too(make: Make, words: ModuleType) -> None:
    made = make("Inference", cluster(words, pool(words, "gke-tcpxo")), gpu=WHOLE["gpu"])
    assert made.helper("tcpxo-daemon")["restartPolicy"] == "Always"
