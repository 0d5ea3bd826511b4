"""Any pools, profiles and specs, as strategies."""

from typing import Any

from hypothesis import strategies as st

from gpuspec import runtimes
from tests.plan.conftest import Values, image_of

MODELS = {"T4": 16, "L4": 24, "A100-80GB": 80, "H100-80GB": 80}
SLICES = {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}
SHARED = [
    {"sharing": {"mode": "mig", "profiles": {"1g.20gb": 4}}},
    {"sharing": {"mode": "mig", "strategy": "mixed", "profiles": SLICES}},
    {"sharing": {"mode": "mps", "replicas": 2}},
    {"sharing": {"mode": "time-slicing", "replicas": 3, "rename": True}},
]
# Of versions that start for others than root, and that can be told more.
VERSIONED = {
    "vllm": "vllm/vllm-openai:v0.33.0",
    "tgi": "ghcr.io/huggingface/text-generation-inference:3.0.1",
    "nim": "nvcr.io/nim/meta/llama:1.8",
}


def fits_model(shared: Values, pool: Values) -> bool:
    """MIG is for the large ones only."""
    mig = shared and shared["sharing"]["mode"] == "mig"
    return not mig or pool["gpu"]["model"] in ("A100-80GB", "H100-80GB")


def sometimes(strategy: st.SearchStrategy[Any], otherwise: object = None) -> st.SearchStrategy[Any]:
    return st.one_of(st.just(otherwise), strategy)


WHY = "the fabric asks for it"
RECIPES = [
    {
        "recipe": "gke-tcpxo",
        "waivers": dict.fromkeys(("root", "writableRoot", "hostPath", "capabilities"), WHY),
    },
    {
        "recipe": "host-network",
        "waivers": dict.fromkeys(("hostPath", "hostNetwork", "privileged"), WHY),
    },
]


@st.composite
def pools(draw: st.DrawFn) -> Values:
    """Nodes from tiny to large, some without sizes, labels or taints, some spot, some with RDMA."""
    count = draw(st.sampled_from([1, 2, 4, 8]))
    name = draw(st.sampled_from(["one", "two", "three"]))
    made: Values = {
        "name": name,
        "gpu": {"model": draw(st.sampled_from(sorted(MODELS))), "count": count},
        "labels": draw(sometimes(st.just({"example.com/pool": name}), {})),
        "taints": draw(
            st.lists(
                st.sampled_from([{"key": "nvidia.com/gpu"}, {"key": "dedicated", "value": "gpu"}]),
                unique_by=str,
                max_size=2,
            )
        ),
        "capacity": draw(st.sampled_from(["on-demand", "on-demand", "spot"])),
        "spare": draw(st.integers(0, 3)),
    }
    if draw(st.booleans()):
        made["allocatable"] = {
            "cpu": draw(st.integers(2, 32 * count)),
            "memory": f"{draw(st.integers(8, 256 * count))}Gi",
            "ephemeralStorage": f"{draw(st.integers(30, 200 * count))}Gi",
        }
    shared: st.SearchStrategy[Values] = st.sampled_from([*[{}] * 8, *SHARED])
    made |= draw(shared.filter(lambda one: fits_model(one, made)))
    if made.get("sharing", {}).get("mode", "mig") == "mig":
        how = st.sampled_from([{"by": "claim"}, {"by": "claim"}, {"by": "extended-resource"}])
        made["gpu"] |= draw(sometimes(how.map(lambda one: {"dra": one}), {}))
        made |= draw(sometimes(st.just({"computeDomains": True}), {}))
    if draw(st.booleans()):
        made["rdma"] = {
            "resource": "rdma/ib",
            "count": 4,
            "perGpu": draw(st.booleans()),
            "memlock": draw(st.sampled_from(["limited", "unlimited"])),
            "resources": draw(sometimes(st.just({"example.com/rail": 2}), {})),
            "networks": draw(sometimes(st.just(["fabric/ib"] * 4), [])),
            **draw(sometimes(st.just({"domain": "example.com/rack"}), {})),
        }
    if draw(st.sampled_from([True, *[False] * 3])):
        made["rdma"] = draw(st.sampled_from(RECIPES))
    return made


WATCHERS = {"prometheus-operator": "0.93", "kube-state-metrics": "2.20", "dcgm-exporter": "4.5"}
MONITORING = st.sampled_from(["pod-monitor", "service-monitor", "annotations"]).map(
    lambda scrape: {"monitoring": {"scrape": scrape, "dashboards": {"grafana_dashboard": "1"}}}
)


@st.composite
def profiles(draw: st.DrawFn) -> Values:
    found = draw(st.lists(pools(), min_size=1, max_size=3, unique_by=lambda pool: pool["name"]))
    kubernetes = draw(st.sampled_from(["1.33", "1.36", "1.37"]))
    if kubernetes == "1.33":
        for pool in found:
            pool["gpu"].pop("dra", None)
            pool.pop("computeDomains", None)
    of_google = any("gke" in pool.get("rdma", {}).get("recipe", "") for pool in found)
    return {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": "any"},
        "spec": {
            "kubernetes": kubernetes,
            "provider": draw(
                st.sampled_from(["none", "gke"] if of_google else ["none", "gke", "eks", "aks"])
            ),
            "pools": found,
            "installed": {"kueue": "0.19", **WATCHERS},
            "priorities": {"placeholder": "low"},
            **draw(sometimes(st.just({"metrics": {"source": "custom-metrics"}}), {})),
            **draw(sometimes(MONITORING, {})),
            **draw(sometimes(st.just({"network": {"ingress": [{"namespace": "web"}]}}), {})),
        },
    }


HELPERS = st.fixed_dictionaries(
    {
        "image": st.just("helper:1"),
        "resources": st.fixed_dictionaries(
            {"cpu": st.sampled_from(["100m", "1"]), "memory": st.sampled_from(["128Mi", "2Gi"])}
        ),
    }
)
MORE: list[Values] = [
    {"caches": {"pvc": "kept", "path": "a"}},
    {"volumes": [{"mount": "/x", "size": "1Ti", "storageClass": "fast"}]},
    {"volumes": [{"mount": "/x", "csi": {"driver": "files.csi.example.com"}}]},
    {"podLabels": {"mesh": "off"}, "podAnnotations": {"prometheus.io/scrape": "true"}},
    {"pullPolicy": "never"},
    {"metrics": {"port": 9400}},
]
SOURCES = st.sampled_from([{"pvc": "weights"}, {"hub": {}}, {"hub": {"cache": "cache"}}])
REPLICAS = st.one_of(
    st.integers(1, 9),
    st.tuples(st.integers(1, 4), st.integers(4, 9)).map(lambda b: {"min": b[0], "max": b[1]}),
)


@st.composite
def specs(draw: st.DrawFn) -> tuple[str, Values]:
    """A kind, and the fields of a spec that the rules let pass."""
    kind = draw(st.sampled_from(["Training", "FineTune", "BatchInference", "Inference"]))
    count = draw(st.sampled_from([1, 1, 2, 3, 4, 8]))
    spec: Values = {
        "gpu": {
            "count": count,
            **draw(sometimes(st.just({"models": sorted(MODELS)}), {})),
            **draw(sometimes(st.sampled_from([{"memory": "4Gi"}, {"memory": "15Gi"}]), {})),
        },
        "capacity": draw(st.sampled_from(["on-demand", "on-demand", "spot"])),
        "sidecars": draw(
            st.lists(HELPERS, max_size=2).map(
                lambda found: [{"name": f"side-{i}", **c} for i, c in enumerate(found)]
            )
        ),
        **draw(sometimes(st.sampled_from(MORE), {})),
        "initContainers": draw(
            st.lists(HELPERS, max_size=1).map(lambda found: [{"name": "first", **c} for c in found])
        ),
    }
    model: Values = {
        "id": "m",
        "size": f"{draw(st.integers(1, 12)) * count}Gi",
        "source": draw(SOURCES),
    }
    if kind == "Inference":
        runtime = draw(st.sampled_from(runtimes.names()))
        image = VERSIONED.get(runtime) or image_of(runtime)
        spec |= {"runtime": runtime, "image": image, "latency": "relaxed"}
        known = runtimes.get(runtime)
        spec |= {"replicas": draw(st.integers(1, 9) if known.metrics is None else REPLICAS)}
        spec |= {"warm": draw(st.integers(0, 2)), "model": model}
        spec["availability"] = {"zones": draw(st.sampled_from(["soft", "hard", "none"]))}
        if runtime == "custom":
            spec |= {"expose": {"port": 8080}, "probes": {"readiness": {"path": "/ready"}}}
        if known.settings.model is None:
            model["source"] = {"pvc": "weights"}
        if known.weights and known.weights.file and "pvc" in model["source"]:
            model["source"] = {"pvc": "weights", "path": f"m{known.weights.file}"}
        if known.parallel and known.parallel.alone and known.settings.tensor is None:
            spec["gpu"]["count"] = 1
            model["size"] = f"{draw(st.integers(1, 12))}Gi"
    elif kind == "BatchInference":
        spec |= {"shards": {"count": draw(st.integers(1, 2000))}, "model": model}
        spec |= draw(sometimes(st.just({"schedule": {"cron": "@daily"}}), {}))
    else:
        spec |= {"workers": draw(st.integers(1, 12)), "dataLoaders": draw(st.integers(0, 8))}
        spec |= draw(sometimes(st.just({"queue": "research"}), {}))
        spec |= draw(sometimes(st.just({"run": "first"}), {}))
        spec |= draw(sometimes(st.just({"checkpoint": {"pvc": "c", "every": "30m"}}), {}))
        launchers = ["torchrun", "accelerate", "deepspeed", "none"]
        spec |= {"launcher": draw(st.sampled_from(launchers))}
        if kind == "FineTune":
            spec |= {"baseModel": model}
    return kind, spec
