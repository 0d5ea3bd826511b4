"""Whatever the spec and the profile: both sides and the router are whole, and find each other."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpuspec
from tests.plan.conftest import Made, Make, Values
from tests.plan.strategies import REPLICAS, profiles, sometimes
from tests.plan.test_any_spec import (
    devices_are_equal,
    mounts_have_volumes,
    names_are_legal,
    shared_memory_is_inside_the_limit,
)

IMAGES = {"vllm": "vllm/vllm-openai:v0.33.0", "sglang": "lmsysorg/sglang:v0.5.23"}
COUNTS = st.sampled_from([1, 2, 4, 8])
PREFILL: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "replicas": REPLICAS,
        "nodes": st.integers(1, 3),
        "gpu": st.fixed_dictionaries({"count": COUNTS}),
        "args": st.just([]),
        "env": st.just({"A": "1"}),
        "resources": st.just({"cpu": "2"}),
    },
)


@st.composite
def specs(draw: st.DrawFn) -> Values:
    """A server with prefill pods; over several nodes on `lws` alone."""
    runtime = draw(st.sampled_from(sorted(IMAGES)))
    target = draw(st.sampled_from(["deployment", "lws"]))
    prefill = draw(PREFILL)
    if target == "deployment":
        prefill.pop("nodes", None)
    return {
        "runtime": runtime,
        "image": IMAGES[runtime],
        "model": {"id": "m", "size": f"{draw(st.integers(1, 12))}Gi", "source": {"pvc": "weights"}},
        "gpu": {"count": draw(COUNTS)},
        "nodes": 1 if target == "deployment" else draw(st.integers(1, 2)),
        "target": target,
        "replicas": draw(REPLICAS),
        "prefill": prefill,
        "latency": "relaxed",
        **draw(sometimes(st.just({"connector": "mooncake"}), {})),
        **draw(sometimes(st.just({"router": {"replicas": 1}}), {})),
    }


def rendered(make: Make, spec: Values, profile: Values) -> Made | None:
    profile["spec"]["installed"] = {**profile["spec"]["installed"], "lws": "0.10"}
    try:
        return make("Inference", profile, namespace="serving", **spec)
    except (gpuspec.InputError, gpuspec.Refusal):
        return None


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(specs(), profiles())
def test_both_sides_start_and_are_found(
    make: Make, words: ModuleType, pod_security: ModuleType, spec: Values, profile: Values
) -> None:
    made = rendered(make, spec, profile)
    if made is None:
        return
    templates = dict(pods(made))
    for name, template in templates.items():
        annotations = template["metadata"].get("annotations", {})
        waived = any(key.startswith("gpuspec.dev/waiver-") for key in annotations)
        assert bool(pod_security.restricted(template)) is waived
        mounts_have_volumes(template)
        if not name.startswith("work-router"):
            devices_are_equal(template)
            shared_memory_is_inside_the_limit(template, words)
    services_lead_to_one_kind_of_pods(made, templates)
    the_router_finds_both(made, templates)
    numbers_have_one_owner(made)
    if made.workload["kind"] == "Deployment":
        names_are_legal(made)


def test_the_property_is_not_vacuous(make: Make) -> None:
    """Enough of what is drawn is rendered, with either server and on either target."""
    seen: list[tuple[str, str]] = []

    @settings(max_examples=100, deadline=None, derandomize=True, database=None)
    @given(specs(), profiles())
    def count(spec: Values, profile: Values) -> None:
        if rendered(make, spec, profile) is not None:
            seen.append((spec["runtime"], spec["target"]))

    count()
    assert len(seen) >= 20, f"only {len(seen)} of 100 were rendered"
    assert len({*seen}) == 4


def pods(made: Made) -> Iterator[tuple[str, Values]]:
    """Each kind of pod, by the name of its object, of groups also the role."""
    for one in made.objects:
        name = one["metadata"]["name"]
        if one["kind"] == "Deployment":
            yield name, one["spec"]["template"]
        elif one["kind"] == "LeaderWorkerSet":
            for role, template in one["spec"]["leaderWorkerTemplate"].items():
                if role.endswith("Template"):
                    yield f"{name} {role}", template


def selected(selector: Values, templates: dict[str, Values]) -> set[str]:
    # What LeaderWorkerSet adds tells leaders from workers, which no template says.
    own = {key: value for key, value in selector.items() if "leaderworkerset" not in key}
    return {
        name.partition(" ")[0]
        for name, one in templates.items()
        if own.items() <= one["metadata"]["labels"].items()
    }


def services_lead_to_one_kind_of_pods(made: Made, templates: dict[str, Values]) -> None:
    leads = {
        one["metadata"]["name"]: selected(one["spec"]["selector"], templates)
        for one in made.objects
        if one["kind"] == "Service"
    }
    assert leads == {
        "work": {"work-router"},
        "work-decode": {"work"},
        "work-prefill": {"work-prefill"},
    }


def the_router_finds_both(made: Made, templates: dict[str, Values]) -> None:
    args = templates["work-router"]["spec"]["containers"][0]["args"]
    replicas = {
        one["metadata"]["name"]: one["spec"].get("replicas")
        for one in made.objects
        if one["kind"] in ("Deployment", "LeaderWorkerSet")
    }
    told = [urlsplit(args[at + 1]) for at, word in enumerate(args) if word == "--prefill"]
    hosts = [str(url.hostname) for url in told]
    if hosts != ["work-prefill"]:
        assert hosts == [f"work-prefill-{n}.work-prefill-{n}.serving" for n in range(len(hosts))]
        assert len(hosts) == replicas["work-prefill"]
    (decode,) = (urlsplit(args[at + 1]) for at, word in enumerate(args) if word == "--decode")
    ports = {
        one["metadata"]["name"]: {port["port"] for port in one["spec"]["ports"]}
        for one in made.objects
        if one["kind"] == "Service"
    }
    assert decode.port in ports[str(decode.hostname)]
    assert all(url.port in ports["work-prefill"] for url in told)


def numbers_have_one_owner(made: Made) -> None:
    scaled = [
        one["spec"]["scaleTargetRef"]["name"]
        for one in made.objects
        if one["kind"] == "HorizontalPodAutoscaler"
    ]
    assert len({*scaled}) == len(scaled)
    for one in made.objects:
        if one["kind"] in ("Deployment", "LeaderWorkerSet"):
            assert ("replicas" in one["spec"]) is (one["metadata"]["name"] not in scaled)
