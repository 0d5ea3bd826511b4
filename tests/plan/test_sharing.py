"""Who is given a share of a GPU, which one, and what is said of it."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpuspec
from gpuspec import hardware, runtimes
from gpuspec.plan import offers

SMALL_MODEL = {"id": "m", "size": "1Gi", "source": {"pvc": "weights"}}
OWN = {
    "runtime": "custom",
    "image": "ghcr.io/example/own:1",
    "model": SMALL_MODEL,
    "expose": {"port": 8080},
    "probes": {"readiness": {"path": "/ready"}},
    "latency": "relaxed",
}
SMALL = {"memory": "4Gi"}
MIG = {"mode": "mig", "strategy": "mixed", "profiles": {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}}
SINGLE = {"mode": "mig", "profiles": {"1g.10gb": 7}}
MPS = {"mode": "mps", "replicas": 4}
TURNS = {"mode": "time-slicing", "replicas": 4}
RENAMED = {**TURNS, "rename": True}


@pytest.fixture
def cluster(words):
    """A profile whose pools are shared as said, by name: `a` A100, `l` L4, `t` T4."""

    def built(provider="none", **pools):
        models = {"a": "A100-80GB", "l": "L4", "t": "T4"}
        made = [
            words.pool(name, models[name[0]], 4, **({"sharing": how} if how else {}))
            for name, how in pools.items()
        ]
        return words.cluster(*made, provider=provider)

    return built


def devices(made):
    return {name: value for name, value in made.limits.items() if "/" in name}


def chosen(made):
    return [pool.pool.name for pool in made.rendering.case.pools]


def expression(made, key):
    return [e for term in made.terms for e in term if e["key"] == key]


# Which share.


@pytest.mark.parametrize(
    ("memory", "resource"),
    [
        ("9Gi", "nvidia.com/mig-1g.10gb"),
        ("10Gi", "nvidia.com/mig-2g.20gb"),
        ("30Gi", "nvidia.com/mig-3g.40gb"),
        ("60Gi", "nvidia.com/gpu"),
    ],
)
def test_the_smallest_slice_that_is_large_enough(make, cluster, memory, resource) -> None:
    """C-14, C-15: `10gb` has 9.5Gi, so 10Gi take the next."""
    made = make("Training", cluster(aw=None, am=MIG), gpu={"memory": memory})
    assert devices(made) == {resource: "1"}


def test_the_least_of_all_pools_comes_first(make, cluster) -> None:
    """C-14: 4Gi on a quarter of an L4 (5.6Gi), not on a slice of 9.5Gi nor on a whole T4."""
    made = make("BatchInference", cluster(am=MIG, t=None, l=MPS), gpu=SMALL)
    assert chosen(made) == ["l"]
    assert "pool am is left out: it offers MIG slices 1g.10gb, the first choice GPUs shared by" in (
        made.notes()
    )
    assert "pool t is left out: it offers whole GPUs" in made.notes()


def test_the_specs_order_of_models_comes_before_the_size(make, cluster) -> None:
    gpu = {**SMALL, "models": ["A100-80GB", "L4"]}
    assert chosen(make("BatchInference", cluster(am=MIG, l=MPS), gpu=gpu)) == ["am"]


def test_pools_that_agree_on_the_slice_serve_together(make, cluster) -> None:
    other = {"mode": "mig", "strategy": "mixed", "profiles": {"1g.10gb": 7}}
    made = make("Training", cluster(am=MIG, an=other, aw=None), gpu={"memory": "8Gi"})
    assert chosen(made) == ["am", "an"]
    assert devices(made) == {"nvidia.com/mig-1g.10gb": "1"}


def test_pools_whose_smallest_differ_agree_on_what_both_have(make, cluster) -> None:
    """The first choice's slice decides; a pool that has it among others takes part."""
    small = {"mode": "mig", "strategy": "mixed", "profiles": {"2g.20gb": 3}}
    made = make("Training", cluster(an=small, am=MIG), gpu={"memory": "15Gi"})
    assert chosen(made) == ["an", "am"]


@pytest.mark.parametrize("resource", ["nvidia.com/gpu", "nvidia.com/gpu.shared"])
def test_renamed_shares_are_asked_for_by_their_name(make, words, resource) -> None:
    """C-17: the profile may name the renamed resource itself, or leave that to `rename`."""
    pool = words.pool("t", "T4", sharing=RENAMED)
    pool["gpu"]["resource"] = resource
    made = make("BatchInference", words.cluster(pool), gpu={"memory": "3Gi"})
    assert devices(made) == {"nvidia.com/gpu.shared": "1"}


def test_without_memory_only_whole_gpus_are_given(make, refused, cluster) -> None:
    """C-14: a share must be declared; the reason says how."""
    made = make("BatchInference", cluster(am=MIG, aw=None))
    assert chosen(made) == ["aw"]
    text = refused("BatchInference", cluster(am=MIG))
    assert "the workload does not declare gpu.memory: to get one, declare what it needs" in text


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"gpu": {**SMALL, "count": 2}}, "several shares do not add up to 2 GPUs"),
        ({"gpu": SMALL, "workers": 2}, "NCCL does not join 2 workers over shares"),
        ({"gpu": {**SMALL, "count": 2, "interconnect": "nvlink"}}, "several shares do not add up"),
        (
            {"gpu": {"memory": "50Gi"}},
            "a MIG slice 3g.40gb has 39.2Gi, a pod asks for 50Gi",
        ),
    ],
)
def test_what_takes_whole_gpus_says_why(refused, cluster, spec, reason) -> None:
    """C-15, C-20: several slices are no larger GPU."""
    assert reason in refused("Training", cluster(am=MIG), launcher="none", **spec)


def test_weights_that_a_slice_does_not_hold_leave_it_out(make, cluster) -> None:
    """C-53: whatever gpu.memory says, the weights must fit."""
    model = {"id": "m", "size": "16Gi", "source": {"pvc": "weights"}}
    made = make("Inference", cluster(am=MIG), gpu=SMALL, model=model)
    assert devices(made) == {"nvidia.com/mig-2g.20gb": "1"}


# Who may share.


@pytest.mark.parametrize("kind", ["Training", "FineTune", "BatchInference", "Inference"])
@pytest.mark.parametrize("tenancy", ["trusted", "untrusted"])
def test_mig_is_for_everybody(make, cluster, kind, tenancy) -> None:
    """C-15: hardware keeps slices apart, under strict latency and for strangers too."""
    made = make(kind, cluster(am=MIG), gpu={"memory": "20Gi"}, tenancy=tenancy)
    assert devices(made) == {"nvidia.com/mig-3g.40gb": "1"}


REFUSALS = [
    ("Training", {}, "training fills a GPU"),
    (
        "FineTune",
        {"baseModel": {"id": "b", "size": "1Gi", "source": {"pvc": "w"}}},
        "training fills",
    ),
    ("BatchInference", {"tenancy": "untrusted"}, "its tenancy is untrusted"),
    ("Inference", {**OWN, "latency": "strict"}, "its latency is strict"),
    ("Inference", {**OWN, "tenancy": "untrusted"}, "its tenancy is untrusted"),
]


@pytest.mark.parametrize("how", [MPS, TURNS])
@pytest.mark.parametrize(("kind", "spec", "reason"), REFUSALS)
def test_what_must_not_share_is_refused_with_the_alternative(
    refused, cluster, how, kind, spec, reason
) -> None:
    """C-17, C-18."""
    text = refused(kind, cluster(l=how), gpu=SMALL, **spec)
    assert reason in text and "a MIG slice or whole GPUs" in text
    assert ("waivers.timeSlicing" in text) == (how is TURNS)


@pytest.mark.parametrize(("kind", "spec", "reason"), REFUSALS)
def test_a_waiver_lets_it_take_turns_and_stands_on_the_object(
    make, refused, cluster, kind, spec, reason
) -> None:
    """C-17: the written reason is an annotation of the object, never of a pod template."""
    said = {**spec, "gpu": SMALL, "waivers": {"timeSlicing": "short experiments"}}
    made = make(kind, cluster(l=TURNS), **said)
    key = "gpuspec.dev/waiver-time-slicing"
    assert made.workload["metadata"]["annotations"][key] == "short experiments"
    assert key not in str(made.template)
    # It is for time-slicing alone.
    assert reason in refused(kind, cluster(l=MPS), **said)


def test_a_waiver_that_is_not_made_use_of_is_no_annotation(make, cluster) -> None:
    """C-17: a MIG slice needs none."""
    waivers = {"timeSlicing": "short experiments"}
    made = make("Training", cluster(am=MIG), gpu=SMALL, waivers=waivers)
    assert "waiver" not in str(made.workload["metadata"]["annotations"])
    assert "the waiver for time-slicing is not made use of: MIG slices 1g.10gb" in made.notes()


def test_trusted_work_that_nobody_waits_for_shares(make, cluster) -> None:
    """C-17, C-18."""
    for how in (MPS, TURNS):
        assert chosen(make("BatchInference", cluster(l=how), gpu=SMALL)) == ["l"]
        assert chosen(make("Inference", cluster(l=how), gpu=SMALL, **OWN)) == ["l"]


def test_servers_that_fill_the_gpu_are_not_time_sliced(make, refused, cluster) -> None:
    """C-17: vLLM and its like take a fraction of the whole GPU; MPS holds them to their part."""
    spec = {"gpu": SMALL, "latency": "relaxed", "model": SMALL_MODEL}
    assert "vLLM fills the memory that it is given" in refused(
        "Inference", cluster(l=TURNS), **spec
    )
    assert chosen(make("Inference", cluster(l=MPS), **spec)) == ["l"]


def test_mps_on_gke_is_not_for_restricted_pods(refused, cluster) -> None:
    """C-18: its pods need hostIPC, which Pod Security forbids."""
    assert "hostIPC" in refused("BatchInference", cluster("gke", l=MPS), gpu=SMALL)


def test_mps_brings_its_own_shared_memory(refused, make, cluster) -> None:
    """C-18: the device plugin mounts /dev/shm; a second mount there does not start."""
    spec = {"gpu": SMALL, "resources": {"shm": "1Gi"}}
    assert "delete resources.shm" in refused("BatchInference", cluster(l=MPS), **spec)
    assert chosen(make("BatchInference", cluster(l=TURNS), **spec)) == ["l"]


# What a server is told.

WAIVED = {"timeSlicing": "its share is told"}


@pytest.mark.parametrize(
    ("runtime", "image", "said"),
    [
        ("vllm", "vllm/vllm-openai:v0.33.0", ["--gpu-memory-utilization", "0.225"]),
        ("sglang", "lmsysorg/sglang:v0.5.9", ["--mem-fraction-static", "0.2"]),
        ("tgi", "ghcr.io/huggingface/text-generation-inference:3.0.1", ["--cuda-memory-fraction", "0.225"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("how", [MPS, TURNS])
def test_a_server_is_told_its_share(make, cluster, runtime, image, said, how) -> None:
    """C-17, C-18: a quarter of the GPU, less what the server does not count."""
    spec = {"runtime": runtime, "image": image, "model": SMALL_MODEL, "latency": "relaxed"}
    waivers = WAIVED if how is TURNS else {}
    made = make("Inference", cluster(l=how), gpu=SMALL, waivers=waivers, **spec)
    args = made.main["args"]
    assert args[args.index(said[0]) :][:2] == said
    assert "1/4 of a GPU shared by" in made.reason("spec.template.spec.containers[0].args")


def test_nim_hands_its_share_on_to_vllm(make, refused, cluster) -> None:
    """C-18: from 2.0 on; an older or unknown image would take all it can."""
    spec = {"runtime": "nim", "gpu": SMALL, "model": SMALL_MODEL, "latency": "relaxed"}
    made = make("Inference", cluster(l=MPS), image="nvcr.io/nim/nvidia/llm:2.1.6", **spec)
    assert made.env["NIM_PASSTHROUGH_ARGS"] == "--gpu-memory-utilization 0.225"
    for image in ("nvcr.io/nim/meta/llama:1.8.0", "nvcr.io/nim/meta/llama:latest"):
        text = refused("Inference", cluster(l=MPS), image=image, **spec)
        assert "takes more than a share unless told" in text and "2.0.0 or newer" in text
    waived = {**spec, "image": "nvcr.io/nim/meta/llama:1.8.0", "waivers": WAIVED}
    assert "nothing tells NVIDIA NIM for LLMs its share" in (
        make("Inference", cluster(l=TURNS), **waived).loud()
    )


@pytest.mark.parametrize("how", [MIG, None])
def test_a_slice_looks_like_a_small_gpu(make, cluster, how) -> None:
    """C-15: there the server's own fraction is right."""
    made = make("Inference", cluster(a=how), gpu=SMALL, model=SMALL_MODEL)
    assert "--gpu-memory-utilization" not in made.main["args"]


@pytest.mark.parametrize(
    "args", [["--gpu-memory-utilization=0.2"], ["--gpu_memory_utilization", "0.2"]]
)
def test_the_specs_own_fraction_wins_and_is_said(make, cluster, args) -> None:
    spec = {"gpu": SMALL, "model": SMALL_MODEL, "latency": "relaxed", "args": args}
    made = make("Inference", cluster(l=MPS), **spec)
    assert "0.225" not in made.main["args"]
    assert "it must keep vLLM within 1/4 of a GPU by mps" in made.loud()


def test_what_neighbours_do_to_a_server_is_said(make, cluster) -> None:
    spec = {"runtime": "sglang", "image": "lmsysorg/sglang:v0.5.9", "model": SMALL_MODEL}
    made = make("Inference", cluster(l=MPS), gpu=SMALL, latency="relaxed", **spec)
    assert "its fraction is of the memory that is free when it starts" in made.loud()


def test_pools_that_share_otherwise_are_told_another_fraction(make, cluster) -> None:
    spec = {"gpu": SMALL, "model": SMALL_MODEL, "latency": "relaxed"}
    profile = cluster(l=MPS, lb={"mode": "mps", "replicas": 3})
    assert chosen(make("Inference", profile, **spec)) == ["l"]
    assert chosen(make("Inference", profile, gpu=SMALL, **OWN)) == ["l", "lb"]


# Where the pods go.


def test_slices_that_look_like_gpus_are_told_by_the_product(make, cluster) -> None:
    """C-15: `single` advertises nvidia.com/gpu; the suffix of the label tells."""
    made = make("Training", cluster(a=SINGLE, aw=None), gpu={"memory": "8Gi"})
    assert devices(made) == {"nvidia.com/gpu": "1"}
    (product,) = expression(made, "nvidia.com/gpu.product")
    assert product["operator"] == "In"
    assert all(value.endswith("-MIG-1g.10gb") for value in product["values"])


def test_shares_that_look_like_gpus_are_told_by_the_product(make, cluster) -> None:
    made = make("BatchInference", cluster(t=TURNS), gpu={"memory": "3Gi"})
    assert expression(made, "nvidia.com/gpu.product")[0]["values"] == ["Tesla-T4-SHARED"]
    renamed = make("BatchInference", cluster(t=RENAMED), gpu={"memory": "3Gi"})
    assert not expression(renamed, "nvidia.com/gpu.product")


def test_the_pools_own_label_is_used_as_it_stands(make, words) -> None:
    labels = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"}
    pool = words.pool("a", sharing=SINGLE, labels=labels)
    made = make("Training", words.cluster(pool), gpu={"memory": "8Gi"})
    assert expression(made, "nvidia.com/gpu.product")[0]["values"] == [*labels.values()]


@pytest.mark.parametrize(
    ("pool", "labels"),
    [
        ({"a": SINGLE}, {"gke-gpu-partition-size": "1g.10gb"}),
        ({"t": TURNS}, {"gke-gpu-sharing-strategy": "time-sharing", "gke-max-shared-clients-per-gpu": "4"}),
    ],
)  # fmt: skip
def test_gke_tells_by_labels_of_its_own(make, cluster, pool, labels) -> None:
    """C-15: GKE's partition label; the accelerator's is the same for whole GPUs."""
    made = make("BatchInference", cluster("gke", **pool), gpu={"memory": "3Gi"})
    for key, value in labels.items():
        (found,) = expression(made, f"cloud.google.com/{key}")
        assert (found["operator"], found["values"]) == ("In", [value])
    assert devices(made) == {"nvidia.com/gpu": "1"}


@pytest.mark.parametrize("provider", ["none", "gke"])
@pytest.mark.parametrize("how", [SINGLE, TURNS])
def test_whole_gpus_are_kept_off_shared_nodes(make, words, provider, how) -> None:
    """C-15, C-17: nvidia.com/gpu is not a GPU everywhere."""
    pools = [words.pool("w"), words.pool("s", sharing=how, labels={})]
    made = make("Training", words.cluster(*pools, provider=provider))
    assert chosen(made) == ["w"]
    away = [e for e in made.terms[0] if e["operator"] == "NotIn"]
    product = expression(made, "nvidia.com/gpu.product")
    if provider == "gke":
        assert away and away[0]["key"].startswith("cloud.google.com/gke-")
    else:
        assert (
            not away and product and "-MIG-" not in str(product) and "-SHARED" not in str(product)
        )


def test_a_pod_of_two_gpus_is_kept_off_a_node_with_two_shares(make, words) -> None:
    """C-20: one GPU in four shares advertises four."""
    pools = [words.pool("w"), words.pool("s", count=1, sharing=TURNS)]
    made = make("Training", words.cluster(*pools), gpu={"count": 2}, launcher="none")
    assert {"key": "example.com/pool", "operator": "NotIn", "values": ["s"]} in made.terms[0]


def test_more_pods_than_shares_are_said(make, words) -> None:
    pool = words.pool("l", "L4", 1, sharing=MPS, nodes=1)
    made = make("Inference", words.cluster(pool), gpu=SMALL, replicas=5, **OWN)
    assert "5 pods × 1 GPU share = 5, and l has 4" in made.loud()


# What goes with a share, and what stays unused.


def test_a_share_takes_its_part_of_the_host(make, words) -> None:
    """C-13: 16 CPUs and 128Gi for a GPU; a quarter of them."""
    made = make("BatchInference", words.cluster(words.pool("l", "L4", 4, sharing=MPS)), gpu=SMALL)
    assert made.requests["cpu"] == "4"
    assert made.requests["memory"] == "32Gi"
    assert "1/16 of the 64 CPUs" in made.reason(
        "spec.template.spec.containers[0].resources.requests.cpu"
    )


def test_an_uneven_layout_divides_the_host_by_memory(make, words) -> None:
    """C-13: of 2 × 9.5Gi, 19.5Gi and 39.5Gi the middle one has a quarter."""
    pool = words.pool("a", sharing=MIG)
    made = make("BatchInference", words.cluster(pool), gpu={"memory": "15Gi"})
    assert made.requests["cpu"] in ("3", "4")
    assert words.number(made.requests["memory"]) == pytest.approx(32 * 2**30, rel=0.05)
    assert "with MIG slices 2g.20gb, by their memory" in made.notes() + made.reason(
        "spec.template.spec.containers[0].resources.requests.cpu"
    )


def test_a_pod_that_takes_more_than_its_part_strands_shares(make, words) -> None:
    pool = words.pool("l", "L4", 4, sharing=MPS)
    made = make("BatchInference", words.cluster(pool), gpu=SMALL, resources={"cpu": 16})
    assert "room for 4 such pods, not 16" in made.loud()
    assert "12 GPU shares of it stay idle" in made.loud()


def test_a_whole_gpu_for_a_small_need_is_said_loudly(make, words, cluster) -> None:
    """C-14: 2 of 80Gi; a slice would do."""
    made = make("BatchInference", cluster(a=None), gpu={"memory": "2Gi"})
    assert "a whole A100-80GB for 2Gi: 78Gi of its 80Gi stay unused" in made.loud()
    assert "a MIG slice 1g.10gb (9.5Gi, 7 on a GPU) would do" in made.loud()
    t4 = make("BatchInference", cluster(t=None), gpu={"memory": "2Gi"}).loud()
    assert "shared by mps it would serve 7 such pods" in t4
    gke = make("BatchInference", cluster("gke", t=None), gpu={"memory": "2Gi"}).loud()
    assert "shared by time-slicing it would serve 7 such pods" in gke


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("BatchInference", {"gpu": {"memory": "8Gi"}}),
        ("BatchInference", {}),
        ("Training", {"gpu": {"memory": "2Gi"}}),
        ("Training", {"gpu": {"memory": "2Gi", "count": 2}, "launcher": "none"}),
    ],
)
def test_a_gpu_that_nobody_else_could_use_is_not_called_waste(make, cluster, kind, spec) -> None:
    """C-14: most of a T4; nothing declared; training, which shares nothing but MIG."""
    assert "stay unused" not in make(kind, cluster(t=None), **spec).notes()


def test_a_server_uses_all_that_it_is_given(make, cluster) -> None:
    """C-14: vLLM fills a GPU with its cache, so the word is a quiet one."""
    made = make("Inference", cluster(a=None), gpu=SMALL, model=SMALL_MODEL)
    assert "vLLM takes for itself" in made.notes()
    assert "vLLM takes for itself" not in made.loud()


# Whatever is asked.

HOW = st.sampled_from([None, MIG, SINGLE, MPS, TURNS, RENAMED])


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    how=st.dictionaries(st.sampled_from(["a", "ab", "ac"]), HOW, min_size=1),
    memory=st.sampled_from([None, "2Gi", "9Gi", "10Gi", "19Gi", "39Gi", "79Gi"]),
    kind=st.sampled_from(["Training", "BatchInference", "Inference"]),
    tenancy=st.sampled_from(["trusted", "untrusted"]),
    strict=st.booleans(),
)
def test_every_device_asked_for_is_offered_and_allowed(
    make, cluster, how, memory, kind, tenancy, strict
) -> None:
    """C-15, C-17, C-18: it exists in every chosen pool, is large enough, and isolates enough."""
    spec = {"tenancy": tenancy, "gpu": {"memory": memory} if memory else {}}
    if kind == "Inference":
        spec |= {**OWN, "latency": "strict" if strict else "relaxed"}
    try:
        made = make(kind, cluster(**how), **spec)
    except gpuspec.Refusal:
        return
    ((resource, amount),) = devices(made).items()
    assert amount == "1"
    for pool in made.rendering.case.pools:
        assert pool.offer in offers(pool.pool, hardware.model(pool.pool.gpu.model))
        assert pool.offer.resource == resource
        if memory:
            assert pool.offer.memory * 100 >= int(memory[:-2]) * 2**30 * 99
        if pool.offer.kind != "whole":
            assert memory
        if pool.offer.kind in ("mps", "time-slicing"):
            assert tenancy == "trusted" and kind != "Training"
            assert not (kind == "Inference" and strict)


def test_the_page_says_of_each_server_what_the_table_says() -> None:
    """C-18: docs/sharing.md, and the parts of a share that servers are told."""
    page = (Path(__file__).parents[2] / "docs/sharing.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[a-z]+`(?:, `[a-z]+`)*) \| (.*?) \| ([0-9.]*) \|", page, re.MULTILINE)
    said = {
        name.strip("`"): (told, part) for names, told, part in rows for name in names.split(", ")
    }
    assert set(said) == set(runtimes.names())
    for name, (told, part) in said.items():
        known = runtimes.get(name)
        assert bool(part) == known.gpu_memory.greedy
        if part:
            assert float(part) == known.gpu_memory.part
            setting = known.settings.memory_fraction
            words = setting.arguments or [setting.environment[0].partition("=")[0]]
            assert f"`{words[0]}`" in told
