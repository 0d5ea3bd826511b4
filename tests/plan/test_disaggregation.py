"""Prefill and decode apart: who is told what, and who finds whom."""

from urllib.parse import urlsplit

import pytest

import gpuspec
from tests.plan.conftest import Made, Make, Refused, Values, cluster, env, pool
from tests.plan.sides import after, containers, labels, selected

SGLANG: Values = {"runtime": "sglang", "image": "lmsysorg/sglang:v0.5.23"}
LWS = {"lws": "0.10"}
RDMA = {"resource": "rdma/ib", "memlock": "unlimited"}
CLOSED: Values = {
    "network": {"ingress": [{"namespace": "gateway"}], "metrics": [{"namespace": "monitoring"}]}
}
METRICS: Values = {"metrics": {"source": "custom-metrics"}}


def test_one_side_computes_prompts_and_the_other_goes_on(make: Make) -> None:
    made = make("Inference", replicas=2, prefill={"replicas": 3})
    both = containers(made)
    config = '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'
    for name in ("work", "work-prefill"):
        assert after(both[name]["args"], "--kv-transfer-config") == [config]
        here = {"fieldRef": {"fieldPath": "status.podIP"}}
        assert env(both[name])["VLLM_NIXL_SIDE_CHANNEL_HOST"] == here
    replicas = {name: made.one("Deployment", name)["spec"]["replicas"] for name in both}
    assert replicas == {"work": 2, "work-prefill": 3, "work-router": 2}


def test_what_prefill_says_takes_the_place_of_the_servers(make: Make) -> None:
    made = make(
        "Inference",
        gpu={"count": 4},
        args=["--max-num-seqs=64"],
        env={"BOTH": "1", "ONE": "server"},
        prefill={
            "gpu": {"count": 2},
            "args": ["--max-num-batched-tokens=16384"],
            "env": {"ONE": "prefill"},
            "resources": {"cpu": 7},
        },
    )
    decode, prefill = (containers(made)[name] for name in ("work", "work-prefill"))
    assert after(decode["args"], "--tensor-parallel-size") == ["4"]
    assert after(prefill["args"], "--tensor-parallel-size") == ["2"]
    assert decode["args"][-1] == "--max-num-seqs=64"
    assert prefill["args"][-1] == "--max-num-batched-tokens=16384"
    assert (env(prefill)["ONE"], env(prefill)["BOTH"], env(decode)["ONE"]) == (
        "prefill",
        "1",
        "server",
    )
    assert (
        prefill["resources"]["requests"]["cpu"],
        prefill["resources"]["limits"]["nvidia.com/gpu"],
    ) == ("7", "2")


def test_a_decision_names_the_field_that_it_came_from(make: Make) -> None:
    made = make(
        "Inference", replicas=2, gpu={"count": 2}, prefill={"replicas": 3, "gpu": {"count": 1}}
    )
    origins = {
        (one.object, one.path): one.origin
        for one in made.rendering.explanations()
        if one.object.startswith("Deployment")
    }
    at = 'spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]'
    assert origins["Deployment work-prefill", "spec.replicas"] == "spec spec.prefill.replicas"
    assert origins["Deployment work", "spec.replicas"] == "spec spec.replicas"
    assert origins["Deployment work-prefill", at] == "spec spec.prefill.gpu.count"
    image = "spec.template.spec.containers[0].image"
    assert origins["Deployment work-prefill", image] == "spec spec.image"


def test_each_side_goes_to_nodes_of_its_own(make: Make) -> None:
    profile = cluster(pool("a100"), pool("h100", "H100-80GB"))
    made = make(
        "Inference",
        profile,
        gpu={"models": ["A100-80GB"]},
        prefill={"gpu": {"models": ["H100-80GB"]}},
    )

    def products(name: str) -> str:
        return str(made.one("Deployment", name)["spec"]["template"]["spec"]["affinity"])

    assert "A100" in products("work") and "H100" not in products("work")
    assert "H100" in products("work-prefill") and "A100" not in products("work-prefill")
    assert "gpu" not in products("work-router")


def test_addresses_are_of_services_that_lead_to_the_right_pods(make: Make) -> None:
    made = make("Inference", prefill={}, expose={"name": "chat-api"})
    pods = labels(made)
    args = containers(made)["work-router"]["args"]
    for option, name in (("--prefill", "work-prefill"), ("--decode", "work")):
        ((url),) = after(args, option)
        where = urlsplit(url)
        service = made.one("Service", where.hostname)["spec"]
        (port,) = (one for one in service["ports"] if one["port"] == where.port)
        assert selected(service["selector"], pods) == [name]
        ports = {one["name"]: one["containerPort"] for one in containers(made)[name]["ports"]}
        assert port["targetPort"] in ports
    front = made.one("Service", "chat-api")["spec"]
    assert selected(front["selector"], pods) == ["work-router"]
    assert [one["port"] for one in front["ports"]] == [8000]


def test_no_pods_are_selected_by_the_objects_of_others(make: Make) -> None:
    made = make("Inference", cluster(**CLOSED), prefill={"replicas": 2})
    pods = labels(made)
    for kind, field in (("PodDisruptionBudget", "selector"), ("NetworkPolicy", "podSelector")):
        chosen = {
            one["metadata"]["name"]: selected(one["spec"][field]["matchLabels"], pods)
            for one in made.objects
            if one["kind"] == kind
        }
        assert chosen == {name: [name] for name in pods}


def reached(made: Made, name: str, direction: str) -> list[str]:
    """The workload's own pods that a policy lets through."""
    rules = made.one("NetworkPolicy", name)["spec"].get(direction, [])
    side = "from" if direction == "ingress" else "to"
    peers = [peer for rule in rules for peer in rule.get(side, [])]
    chosen = [one["podSelector"]["matchLabels"] for one in peers if one.get("podSelector")]
    return sorted(name for each in chosen for name in selected(each, labels(made)))


def test_policies_let_through_what_belongs_together_and_nothing_else(make: Make) -> None:
    made = make("Inference", cluster(**CLOSED), prefill={})
    assert reached(made, "work", "ingress") == ["work-prefill", "work-router"]
    assert reached(made, "work", "egress") == ["work-prefill"]
    assert reached(made, "work-prefill", "ingress") == ["work", "work-router"]
    assert reached(made, "work-prefill", "egress") == ["work"]
    assert reached(made, "work-router", "ingress") == []
    assert reached(made, "work-router", "egress") == ["work", "work-prefill"]
    callers = {
        name: "gateway" in str(made.one("NetworkPolicy", name)["spec"]["ingress"])
        for name in ("work", "work-prefill", "work-router")
    }
    assert callers == {"work": False, "work-prefill": False, "work-router": True}
    (partners,) = (
        rule
        for rule in made.one("NetworkPolicy", "work")["spec"]["ingress"]
        if "work-prefill" in str(rule)
    )
    assert "ports" not in partners
    assert "closes them" not in made.loud()


def test_each_side_scales_by_itself(make: Make) -> None:
    made = make(
        "Inference",
        cluster(**METRICS),
        replicas={"min": 2, "max": 4, "signal": "cache"},
        prefill={"replicas": {"min": 1, "max": 6}},
    )
    scaled = {
        one["metadata"]["name"]: (one["spec"]["scaleTargetRef"]["name"], one["spec"]["maxReplicas"])
        for one in made.objects
        if one["kind"] == "HorizontalPodAutoscaler"
    }
    assert scaled == {"work": ("work", 4), "work-prefill": ("work-prefill", 6)}
    for name in scaled:
        assert "replicas" not in made.one("Deployment", name)["spec"]
    assert made.one("Deployment", "work-router")["spec"]["replicas"] == 2


def test_pods_of_both_sides_ask_for_the_fabric(make: Make) -> None:
    made = make("Inference", cluster(pool(rdma=RDMA)), prefill={}, gpu={"count": 8})
    for name in ("work", "work-prefill"):
        assert containers(made)[name]["resources"]["limits"]["rdma/ib"] == "1"
    assert "rdma/ib" not in containers(made)["work-router"]["resources"]["limits"]
    plain = make("Inference", cluster(pool()), prefill={}, gpu={"count": 8})
    assert (
        "pool a100 has no RDMA fabric: prefill and decode pods communicate over TCP" in plain.loud()
    )


def test_a_note_of_prefill_alone_says_so(make: Make) -> None:
    wider: Values = {"gpu": {"count": 2}, "prefill": {"gpu": {"count": 4}}}
    old = make("Inference", image="vllm/vllm-openai:v0.11.2", **wider)
    assert (
        "prefill is divided by 4, decode by 2: before 0.12.0, NIXL cannot transfer the cache"
        in old.loud()
    )
    new = make("Inference", **wider).loud()
    assert "hands no cache" not in new
    assert "only if the model has more than 4 key-value heads" in new
    assert (
        "key-value heads"
        not in make("Inference", prefill={"gpu": {"count": 4}}, gpu={"count": 4}).loud()
    )
    few = make("Inference", cluster(pool(nodes=1)), prefill={"replicas": 9})
    assert "prefill: 9 pods × 1 GPU = 9, and a100 has 8" in few.loud()


def test_a_claim_is_mounted_by_the_pods_of_both_sides(make: Make) -> None:
    storage = {
        "classes": {"disk": {"accessModes": ["ReadWriteOnce"]}},
        "claims": {"weights": "disk"},
    }
    made = make("Inference", cluster(storage=storage), prefill={})
    assert "2 pods mount it" in made.loud()


def test_sglang_is_told_which_side_it_is_and_where_it_is_asked(make: Make) -> None:
    made = make("Inference", **SGLANG, connector="mooncake", prefill={})
    both = containers(made)
    for name, side in (("work", "decode"), ("work-prefill", "prefill")):
        assert after(both[name]["args"], "--disaggregation-mode") == [side]
        assert after(both[name]["args"], "--disaggregation-transfer-backend") == ["mooncake"]
    args = both["work-router"]["args"]
    at = args.index("--prefill")
    assert args[at + 1 : at + 3] == ["http://work-prefill:30000", "8998"]
    ports = {
        one["name"]: one["port"] for one in made.one("Service", "work-prefill")["spec"]["ports"]
    }
    assert ports == {"http": 30000, "bootstrap": 8998}
    assert [one["name"] for one in made.one("Service", "work-decode")["spec"]["ports"]] == ["http"]


def test_a_bootstrap_port_of_the_specs_own(make: Make) -> None:
    words = ["--disaggregation-bootstrap-port", "9001"]
    made = make("Inference", **SGLANG, prefill={"args": words})
    args = containers(made)["work-router"]["args"]
    assert args[args.index("--prefill") + 2] == "9001"
    assert {"name": "bootstrap", "containerPort": 9001} in containers(made)["work-prefill"]["ports"]


def test_replicas_that_are_asked_by_name_have_names_on_lws(make: Make) -> None:
    made = make(
        "Inference",
        cluster(installed=LWS),
        namespace="serving",
        target="lws",
        nodes=2,
        gpu={"count": 8},
        prefill={"replicas": 2, "nodes": 1},
        **SGLANG,
    )
    args = containers(made)["work-router"]["args"]
    assert after(args, "--prefill") == [
        "http://work-prefill-0.work-prefill-0.serving:30000",
        "http://work-prefill-1.work-prefill-1.serving:30000",
    ]
    assert after(args, "--decode") == ["http://work-decode:30000"]
    groups = {
        one["metadata"]["name"]: one["spec"]["leaderWorkerTemplate"]["size"]
        for one in made.objects
        if one["kind"] == "LeaderWorkerSet"
    }
    assert groups == {"work": 2, "work-prefill": 1}


def test_vllm_divides_no_cache_into_stages(make: Make) -> None:
    made = make(
        "Inference",
        cluster(installed=LWS),
        target="lws",
        nodes=2,
        gpu={"count": 8},
        prefill={"nodes": 1},
    )
    both = containers(made, "LeaderWorkerSet")
    assert after(both["work"]["args"], "--tensor-parallel-size") == ["16"]
    assert after(both["work-prefill"]["args"], "--tensor-parallel-size") == ["8"]
    assert "--pipeline-parallel-size" not in both["work"]["args"]


@pytest.mark.parametrize(
    ("spec", "profile", "said"),
    [
        (
            {**SGLANG, "prefill": {"replicas": 2}},
            {},
            "decode pods call the prefill pod that computed a prompt by its name",
        ),
        (
            {**SGLANG, "target": "lws", "prefill": {"replicas": {"min": 1, "max": 2}}},
            {"installed": LWS},
            "so their number is fixed",
        ),
        (
            {"gpu": {"count": 8}, "prefill": {"nodes": 2}},
            {},
            "`nodes: 2` makes one replica of 2 pods",
        ),
        (
            {"target": "kserve", "prefill": {}},
            {"installed": {"kserve": "0.20"}},
            "target kserve does not support `prefill`: all its pods do the same",
        ),
        (
            {"prefill": {"gpu": {"models": ["H100-80GB"]}}},
            {"pools": [pool()]},
            "prefill: pool a100: `gpu.models` does not list A100-80GB",
        ),
    ],
)
def test_refused(refused: Refused, spec: Values, profile: Values, said: str) -> None:
    assert said in refused("Inference", cluster(**profile), **spec)


def test_a_refusal_of_prefill_stands_at_its_field(make: Make) -> None:
    with pytest.raises(gpuspec.Refusal) as caught:
        make("Inference", cluster(pool()), prefill={"gpu": {"models": ["H100-80GB"]}})
    (reason,) = caught.value.reasons
    assert reason.place is not None
    text = (reason.place.line, reason.place.column)
    with pytest.raises(gpuspec.Refusal) as other:
        make("Inference", cluster(pool()), gpu={"models": ["H100-80GB"]}, prefill={})
    assert other.value.reasons[0].place is not None
    assert text != (other.value.reasons[0].place.line, other.value.reasons[0].place.column)
