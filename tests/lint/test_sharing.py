"""Sharing and MIG beyond the rules' pages: what is known without a profile, and what stays quiet."""

import json
from pathlib import Path
from typing import Any

import pytest
from yaml import safe_load

import gpuspec
from gpuspec.lint.engine import Engine
from gpuspec.lint.model import Rename
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile, read
from gpuspec.spec import parse_profile
from tests.lint.pages import HERE, merge, raised

TIME_SLICING = {"timeSlicing": {"resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}}


def pod(limits: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """The clean pod with these devices in place of its own."""
    base = safe_load((HERE / "bases" / "pod.yaml").read_text())
    for amounts in base["spec"]["containers"][0]["resources"].values():
        amounts.pop("nvidia.com/gpu", None)
    base["spec"]["containers"][0]["resources"]["limits"] |= limits
    return merge(base, {"spec": spec})


def on(product: str, one: dict[str, Any]) -> dict[str, Any]:
    return merge(
        one, {"spec": {"affinity": None, "nodeSelector": {"nvidia.com/gpu.product": product}}}
    )


def typed(types: str, one: dict[str, Any]) -> dict[str, Any]:
    annotations = {"nvidia.com/use-gputype": types}
    return merge(one, {"metadata": {"annotations": annotations}, "spec": {"affinity": None}})


def plugin(sharing: dict[str, Any]) -> dict[str, Any]:
    """A ConfigMap of the device plugin."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "plugin", "namespace": "gpu-operator"},
        "data": {"any": "# sharing: of GPUs\n" + json.dumps({"version": "v1", "sharing": sharing})},
    }


def said(*objects: dict[str, Any], profile: str | None = None) -> list[tuple[str, str]]:
    """Codes and severities of this family's findings."""
    text = "\n---\n".join(json.dumps(one) for one in objects)
    found = [one.finding() for one in raised(text, profile)]
    return [(one.rule, one.severity) for one in found if one.rule.startswith(("GPU3", "GPU404"))]


def test_a_configuration_beside_it_says_that_a_device_is_a_share() -> None:
    """C-20: two shares are no two GPUs."""
    two = pod({"nvidia.com/gpu": 2})
    assert said(two) == []
    assert said(plugin(TIME_SLICING), two) == [("GPU301", "warning")]
    other = {"timeSlicing": {"resources": [{"name": "nvidia.com/mig-1g.10gb", "replicas": 2}]}}
    assert said(plugin(other), two) == []


_TURNS = {"resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}
_SLICES = {"resources": [{"name": "nvidia.com/mig-1g.10gb", "replicas": 2}]}


@pytest.mark.parametrize(
    ("sharing", "expected"),
    [
        ({"mps": _TURNS}, []),
        ({"timeSlicing": _SLICES}, []),
        ({"mps": {"resources": [{"name": "nvidia.com/gpu", "replicas": 1}]}}, ["error"]),
        ({"timeSlicing": _TURNS, "mps": _TURNS}, ["warning"]),
        ({"mps": _SLICES}, ["warning"]),
    ],
)
def test_what_the_plugin_refuses_and_what_it_takes_in_part(
    sharing: dict[str, Any], expected: list[str]
) -> None:
    assert said(plugin(sharing)) == [("GPU306", level) for level in expected]


_CHOSEN = [0, "1:0", "GPU-b1028956-cfa2-0990-bf4a-5da9abb51763"]


@pytest.mark.parametrize(
    ("mode", "said_there", "field", "expected"),
    [
        ("timeSlicing", {}, {"devices": ["0", "1"]}, ["warning"]),
        ("timeSlicing", {}, {"devices": 2}, ["warning"]),
        ("mps", {}, {"devices": _CHOSEN}, ["warning"]),
        ("timeSlicing", {}, {"devices": "all"}, []),
        ("timeSlicing", {}, {"devices": "half"}, ["error"]),
        ("timeSlicing", {}, {"devices": 0}, ["error"]),
        ("timeSlicing", {}, {"rename": "example.com/slice"}, ["warning"]),
        ("timeSlicing", {}, {"rename": "nvidia.com/gpu.shared"}, ["warning"]),
        ("timeSlicing", {"renameByDefault": True}, {"rename": "nvidia.com/gpu.shared"}, []),
        ("timeSlicing", {"renameByDefault": True}, {"rename": "nvidia.com/turn"}, ["warning"]),
        ("mps", {"failRequestsGreaterThanOne": False}, {}, ["warning"]),
        ("mps", {"failRequestsGreaterThanOne": True}, {}, []),
        ("timeSlicing", {"failRequestsGreaterThanOne": False}, {}, []),
    ],
)
def test_what_the_plugin_overwrites(
    mode: str, said_there: dict[str, Any], field: dict[str, Any], expected: list[str]
) -> None:
    row = {"name": "nvidia.com/gpu", "replicas": 4, **field}
    sharing = {mode: {**said_there, "resources": [row]}}
    assert said(plugin(sharing)) == [("GPU306", level) for level in expected]


def test_names_of_resources_that_the_plugin_overwrites() -> None:
    config = plugin(TIME_SLICING)
    (key,) = config["data"]
    rows = {"gpus": [{"pattern": "*A100*", "name": "a100"}]}
    whole = safe_load(config["data"][key]) | {"resources": rows}
    config["data"][key] = "# sharing: of GPUs\n" + json.dumps(whole)
    (found,) = [one.finding() for one in raised(json.dumps(config))]
    assert (found.rule, found.severity) == ("GPU306", "warning")
    assert "ignores `gpus`" in found.message


def _policy(strategy: str, config: str) -> dict[str, Any]:
    spec = {"mig": {"strategy": strategy}, "devicePlugin": {"config": {"name": config}}}
    metadata = {"name": "cluster-policy"}
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": metadata,
        "spec": spec,
    }


@pytest.mark.parametrize(
    ("own", "policies", "expected"),
    [
        ("mixed", [], ["warning"]),
        ("single", [], []),
        ("mixed", [("single", True)], []),
        ("none", [("mixed", True)], ["warning"]),
        ("none", [("mixed", False)], []),
    ],
)
def test_mps_beside_mixed_slices(
    own: str, policies: list[tuple[str, bool]], expected: list[str]
) -> None:
    """The operator tells the plugin the policy's strategy by a variable, which goes before."""
    config = plugin({"mps": _TURNS})
    (key,) = config["data"]
    whole = safe_load(config["data"][key]) | {"flags": {"migStrategy": own}}
    config["data"][key] = "# sharing: of GPUs\n" + json.dumps(whole)
    name = config["metadata"]["name"]
    beside = [_policy(strategy, name if named else "other") for strategy, named in policies]
    found = [one for one in said(config, *beside) if one[0] == "GPU306"]
    assert found == [("GPU306", level) for level in expected]


@pytest.mark.parametrize(
    ("renames", "name", "expected"),
    [
        (True, "nvidia.com/gpu", [("GPU302", "warning")]),
        (True, "nvidia.com/gpu.shared", []),
        (False, "nvidia.com/gpu", []),
        (False, "nvidia.com/gpu.shared", [("GPU302", "warning")]),
    ],
)
def test_a_name_that_the_configuration_beside_it_does_not_use(
    renames: bool, name: str, expected: list[tuple[str, str]]
) -> None:
    sharing = {"timeSlicing": {**TIME_SLICING["timeSlicing"], "renameByDefault": renames}}
    assert said(plugin(sharing), pod({name: 1})) == expected


def test_a_name_that_one_of_two_configurations_uses_is_right() -> None:
    renamed = {"timeSlicing": {**TIME_SLICING["timeSlicing"], "renameByDefault": True}}
    assert said(plugin(renamed), plugin(TIME_SLICING), pod({"nvidia.com/gpu": 1})) == []


def test_shares_by_their_name_alone() -> None:
    assert said(pod({"nvidia.com/gpu.shared": 2})) == [("GPU301", "warning")]
    assert said(pod({"nvidia.com/gpu.shared": 1})) == []


@pytest.mark.parametrize(
    ("args", "quiet"),
    [
        (["--gpu-memory-utilization=0.2"], True),
        (["--gpu-memory-utilization", "0.25"], True),
        (["--gpu-memory-utilization", "0.3"], False),
        (["--gpu_memory_utilization=0.3"], False),
        (["--gpu-memory-utilization", "$(PART)"], True),
        ([], False),
    ],
)
def test_a_server_told_its_share_is_quiet(args: list[str], quiet: bool) -> None:
    server = pod({"nvidia.com/gpu": 1}, containers=[{"name": "main", "command": ["vllm", "serve"]}])
    server["spec"]["containers"][0]["args"] = ["org/model", *args]
    found = [code for code, _ in said(server, profile="turns")]
    assert ("GPU304" not in found) is quiet


def test_a_framework_told_not_to_reserve_is_quiet() -> None:
    def with_env(env: list[dict[str, str]]) -> dict[str, Any]:
        image = "tensorflow/tensorflow:2.19.0-gpu"
        return pod({"nvidia.com/gpu": 1}, containers=[{"name": "main", "image": image, "env": env}])

    grows = {"name": "TF_FORCE_GPU_ALLOW_GROWTH", "value": "true"}
    assert said(with_env([]), profile="turns") == [("GPU304", "warning")]
    assert said(with_env([grows]), profile="turns") == []
    assert said(with_env([])) == []


def test_a_waiver_with_a_reason_lets_training_share() -> None:
    """C-17: the renderer's own refusal, and its waiver, are not said again."""
    job = safe_load((HERE / "bases" / "job.yaml").read_text())
    container = job["spec"]["template"]["spec"]["containers"][0]
    container["command"] = ["python", "train.py"]
    for amounts in container["resources"].values():
        amounts["nvidia.com/gpu"] = 1
    assert ("GPU305", "warning") in said(job, profile="turns")
    job["metadata"]["annotations"] = {"gpuspec.dev/waiver-time-slicing": "a course"}
    assert said(job, profile="turns") == []


def test_slices_that_are_called_gpus_are_slices() -> None:
    """C-15: under the strategy `single` two of `nvidia.com/gpu` are two slices."""
    assert said(pod({"nvidia.com/gpu": 2}), profile="slices-as-gpus") == [("GPU313", "warning")]
    assert said(pod({"nvidia.com/gpu": 1}), profile="slices-as-gpus") == []


def test_two_profiles_in_one_container() -> None:
    both = pod({"nvidia.com/mig-1g.10gb": 1, "nvidia.com/mig-3g.40gb": 1})
    assert said(both, profile="slices") == [("GPU313", "warning")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nvidia.com/mig-1g.10gb", None),
        ("nvidia.com/mig-1g.10gb.me", None),
        ("mig-1g.10gb", "nvidia.com/mig-1g.10gb"),
        ("nvidia.com/1g.10gb", "nvidia.com/mig-1g.10gb"),
        ("nvidia.com/MIG-1g.10gb", "nvidia.com/mig-1g.10gb"),
        ("nvidia.com/mig-1g.10gb+me", "nvidia.com/mig-1g.10gb.me"),
        ("nvidia.com/mig-3g.41gb", "nvidia.com/mig-3g.40gb"),
    ],
)
def test_names_of_slices(name: str, expected: str | None) -> None:
    found = [one for one in raised(json.dumps(pod({name: 1}))) if one.rule.code == "GPU311"]
    last = [one.found.fix.changes[-1] for one in found if one.found.fix]
    assert [isinstance(change, Rename) and change.key for change in last] == (
        [] if expected is None else [expected]
    )


def test_a_slice_asked_of_gke_by_its_profile() -> None:
    on_gke = pod(
        {"nvidia.com/mig-1g.5gb": 1},
        affinity=None,
        nodeSelector={"cloud.google.com/gke-gpu-partition-size": "1g.5gb"},
    )
    assert ("GPU312", "warning") in said(on_gke)
    on_gke["spec"]["nodeSelector"] = {}
    assert said(on_gke) == []


def _whole() -> dict[str, Any]:
    """Containers with a whole GPU."""
    return {"containers": pod({"nvidia.com/gpu": 1})["spec"]["containers"]}


def kai(value: str, **spec: Any) -> dict[str, Any]:
    """A pod that asks KAI for a part of a GPU."""
    made = pod({}, schedulerName="kai-scheduler", **spec)
    made["metadata"]["annotations"] = {"gpu-fraction": value}
    return made


def memory(value: str) -> dict[str, Any]:
    """A pod that asks KAI for some of a GPU's memory."""
    made = pod({}, schedulerName="kai-scheduler")
    made["metadata"]["annotations"] = {"gpu-memory": value}
    return made


def privileged(one: dict[str, Any]) -> dict[str, Any]:
    """Its first container as one that may do everything."""
    context = {"privileged": True, "allowPrivilegeEscalation": None, "capabilities": None}
    return merge(one, {"spec": {"containers": [{"name": "main", "securityContext": context}]}})


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (kai("0.5"), []),
        (kai("0.25"), []),
        (kai("0.6"), [("GPU404", "info")]),
        (kai("1.5"), [("GPU318", "error")]),
        (kai("half"), [("GPU318", "error")]),
        # Of other schedulers' pods KAI refuses none.
        (
            merge(
                kai("0.5"),
                {"spec": {"schedulerName": None, **_whole()}},
            ),
            [("GPU318", "warning")],
        ),
        (merge(kai("0.5"), {"spec": _whole()}), [("GPU318", "error")]),
        (merge(kai("0.5"), {"spec": {"schedulerName": None}}), [("GPU318", "warning")]),
        (pod({"nvidia.com/gpu": 1, "nvidia.com/gpumem": 4000}), []),
        (
            pod(
                {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 4000, "nvidia.com/gpumem-percentage": 50}
            ),
            [("GPU318", "warning")],
        ),
        (pod({"nvidia.com/gpumem": 4000}, schedulerName="volcano"), [("GPU318", "warning")]),
        (pod({"nvidia.com/gpumem": 4000}, schedulerName="hami-scheduler"), []),
        (pod({"nvidia.com/gpumem": "8Gi"}), [("GPU318", "warning")]),
        (pod({"nvidia.com/gpumem": 4000, "nvidia.com/gpucores": 101}), [("GPU318", "warning")]),
        (pod({"nvidia.com/gpumem": 4000, "nvidia.com/gpucores": 100}), []),
        (pod({"nvidia.com/gpumem-percentage": 150}), [("GPU318", "warning")]),
        (pod({"nvidia.com/gpumem": 4000}, nodeName="gpu-1"), [("GPU318", "warning")]),
        (on("NVIDIA-A10", pod({"nvidia.com/gpumem": 25000})), [("GPU318", "warning")]),
        (on("NVIDIA-A10", pod({"nvidia.com/gpumem": 20000})), []),
        (typed("L40S", pod({"nvidia.com/gpumem": 50000})), [("GPU318", "warning")]),
        # `L4` is a part of `L40S`, and `B7` of no name.
        (typed("L4", pod({"nvidia.com/gpumem": 25000})), []),
        (typed("L4,B7", pod({"nvidia.com/gpumem": 90000})), []),
        (privileged(pod({"nvidia.com/gpumem": 4000})), [("GPU318", "warning")]),
        (memory("8000"), []),
        (memory("8Gi"), [("GPU318", "error")]),
        (memory("0"), [("GPU318", "error")]),
    ],
)
def test_parts_of_gpus_as_hami_and_kai_know_them(
    one: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert said(one) == expected


def test_kai_reads_annotations_of_pods() -> None:
    """Among labels, or on what makes the pods, they ask for nothing."""
    label = pod({}, schedulerName="kai-scheduler")
    label["metadata"]["labels"] |= {"gpu-fraction": "0.5"}
    assert said(label) == [("GPU318", "warning")]
    text = (HERE / "bases" / "job.yaml").read_text()
    job = merge(
        safe_load(text), {"spec": {"template": {"spec": {"schedulerName": "kai-scheduler"}}}}
    )
    job["metadata"]["annotations"] = {"gpu-fraction": "0.5"}
    assert said(job) == [("GPU318", "warning")]
    job["spec"]["template"]["spec"]["schedulerName"] = "another"
    assert said(job) == []


def claim(version: str, request: dict[str, Any]) -> dict[str, Any]:
    """A template of one request."""
    return {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "gpu", "namespace": "research"},
        "spec": {"spec": {"devices": {"requests": [{"name": "gpu", **request}]}}},
    }


@pytest.mark.parametrize(
    ("version", "request_", "expected"),
    [
        ("v1", {"exactly": {"deviceClassName": "gpu.nvidia.com"}}, []),
        ("v1", {"firstAvailable": [{"name": "a", "deviceClassName": "gpu.nvidia.com"}]}, []),
        ("v1", {"deviceClassName": "gpu.nvidia.com"}, [("GPU316", "error")]),
        ("v1beta1", {"exactly": {"deviceClassName": "gpu.nvidia.com"}}, [("GPU316", "error")]),
        ("v1beta1", {"deviceClassName": "gpu.nvidia.com"}, [("GPU317", "info")]),
    ],
)
def test_claims_by_their_version(
    version: str, request_: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert said(claim(version, request_)) == expected


@pytest.mark.parametrize(("file", "number"), [("v1beta1/a.yaml", 0), ("b/a-v1beta1.yaml", 1)])
def test_a_folder_of_a_version_is_for_clusters_that_have_it(file: str, number: int) -> None:
    text = json.dumps(claim("v1beta1", {"deviceClassName": "gpu.nvidia.com"}))
    found = gpuspec.lint_text(text.encode(), file).findings
    assert [one.rule for one in found].count("GPU317") == number


def test_a_claim_of_something_else_goes_with_a_device() -> None:
    """A channel between nodes, or a network card, is claimed beside GPUs of the plugin."""
    one = pod(
        {"nvidia.com/gpu": 1}, resourceClaims=[{"name": "x", "resourceClaimTemplateName": "gpu"}]
    )
    gpu = claim("v1", {"exactly": {"deviceClassName": "gpu.nvidia.com"}})
    channel = claim(
        "v1", {"exactly": {"deviceClassName": "compute-domain-default-channel.nvidia.com"}}
    )
    assert said(gpu, one) == [("GPU315", "warning")]
    assert said(channel, one) == []


def test_a_claim_in_an_old_shape_is_said_once() -> None:
    """Its fields are unknown to the schema too: of several none is said for itself."""
    flat = {"deviceClassName": "gpu.nvidia.com", "allocationMode": "ExactCount", "count": 2}
    found = raised(json.dumps(claim("v1", flat)))
    assert [one.rule.code for one in found] == ["GPU316"]


def test_a_configuration_that_lies_elsewhere_may_be_other_nodes() -> None:
    """C-20: of the layouts of a whole tree, most are not this pod's."""
    limits = {"nvidia.com/gpu": 2}
    policy = {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "cluster-policy"},
        "spec": {"devicePlugin": {"config": {"name": "plugin", "default": "any"}}},
    }
    for folder, more, expected in (
        ("a", [], "warning"),
        ("b", [], "info"),
        ("b", [policy], "warning"),
    ):
        sources = [
            SourceFile("a/pod.yaml", json.dumps(pod(limits))),
            SourceFile(f"{folder}/plugin.yaml", json.dumps(plugin(TIME_SLICING))),
            *(SourceFile("c/policy.yaml", json.dumps(one)) for one in more),
        ]
        engine = Engine(lambda code: code == "GPU301")
        (found,) = [one.finding() for one in engine.run(TextLoader(sources))]
        assert found.severity == expected


@pytest.mark.parametrize(
    ("spec", "nodes", "expected"),
    [
        ({}, {"min": 0, "max": 8}, ["GPU303"]),
        # GKE's autoscaler counts the shares of a node that is not there yet.
        ({"provider": "gke"}, {"min": 0, "max": 8}, ["GPU301"]),
        ({}, {"min": 1, "max": 8}, ["GPU301"]),
        ({}, 8, ["GPU301"]),
        ({"pools": []}, 8, []),
    ],
)
def test_shares_of_a_pool_that_can_be_empty(
    spec: dict[str, Any], nodes: int | dict[str, int], expected: list[str]
) -> None:
    """Two shares of machines with one GPU: an autoscaler counts the GPUs of a node to come."""
    value = safe_load((HERE / "profiles" / "from-zero.yaml").read_text())
    value["spec"]["pools"][0]["nodes"] = nodes
    value["spec"] |= spec
    cluster = parse_profile(read(json.dumps(value), "profile.json")[0])
    engine = Engine(lambda code: code in ("GPU301", "GPU303"), cluster)
    loader = TextLoader([SourceFile("pod.yaml", json.dumps(pod({"nvidia.com/gpu": 2})))])
    assert [one.rule.code for one in engine.run(loader)] == expected


def test_the_second_place_is_in_the_file_that_holds_it(tmp_path: Path) -> None:
    """A runtime is judged before the objects with pods, and asks the whole set first."""
    slicing = TIME_SLICING["timeSlicing"] | {"renameByDefault": True}
    runtime = (HERE / "bases" / "trainingruntime.yaml").read_text()
    (tmp_path / "a.yaml").write_text(runtime)
    (tmp_path / "b.yaml").write_text(json.dumps(plugin({"timeSlicing": slicing})))
    (tmp_path / "c.yaml").write_text(json.dumps(pod({"nvidia.com/gpu": 1})))
    found = gpuspec.lint(str(tmp_path), select=["GPU302"]).findings
    assert {Path(place.file).name for one in found for place in one.related} == {"b.yaml"}


def booked(annotations: dict[str, str], **changes: Any) -> list[tuple[str, str]]:
    """Of the pod of a server that books a part of a GPU with KAI."""
    base = safe_load((HERE / "bases" / "deployment.yaml").read_text().partition("---")[0])
    container = base["spec"]["template"]["spec"]["containers"][0]
    for amounts in container["resources"].values():
        amounts.pop("nvidia.com/gpu", None)
    container |= changes
    base["spec"]["template"]["metadata"] = {
        "labels": {"app": "chat", "kai.scheduler/queue": "inference"},
        "annotations": annotations,
    }
    base["spec"]["template"]["spec"]["schedulerName"] = "kai-scheduler"
    return [row for row in said(base) if row[0] == "GPU304"]


GREEDY = [("GPU304", "warning")]


def test_kai_books_a_part_and_bounds_nothing() -> None:
    assert booked({"gpu-fraction": "0.5"}) == GREEDY
    assert booked({"gpu-memory": "8000"}) == GREEDY
    args = ["/models/qwen3-8b", "--gpu-memory-utilization"]
    assert booked({"gpu-fraction": "0.5"}, args=[*args, "0.8"]) == GREEDY
    assert booked({"gpu-fraction": "0.5"}, args=[*args, "0.45"]) == []
    # Of which GPU the amount is a part, nothing tells.
    assert booked({"gpu-memory": "8000"}, args=[*args, "0.4"]) == []
    sglang: dict[str, Any] = {
        "image": "lmsysorg/sglang:v0.5.3",
        "command": ["python3", "-m", "sglang.launch_server"],
    }
    assert booked({"gpu-fraction": "0.25"}, **sglang, args=["--model-path", "/m"]) == GREEDY
    assert (
        booked(
            {"gpu-fraction": "0.25"},
            image="nvidia/cuda:12.9.0-base",
            args=[],
            command=["nvidia-smi"],
        )
        == []
    )


def test_a_card_of_hami_without_an_amount_of_memory_is_a_whole_one() -> None:
    cores = said(pod({"nvidia.com/gpu": 1, "nvidia.com/gpucores": 30}))
    assert ("GPU318", "warning") in cores
    both = {"nvidia.com/gpu": 1, "nvidia.com/gpucores": 30, "nvidia.com/gpumem": 8000}
    assert "GPU318" not in dict(said(pod(both)))
    percent = {"nvidia.com/gpu": 1, "nvidia.com/gpucores": 30, "nvidia.com/gpumem-percentage": 30}
    assert "GPU318" not in dict(said(pod(percent)))
    # One pod may want the whole card.
    assert "GPU318" not in dict(said(pod({"nvidia.com/gpu": 1}, schedulerName="hami-scheduler")))
