"""Whatever the spec and the profile: what is rendered starts, and fits where it is meant to go."""

from collections.abc import Iterator
from fractions import Fraction
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, note, settings

import gpuspec
from gpuspec.spec import InferenceSpec
from tests.plan.conftest import Made, Make, Values
from tests.plan.strategies import profiles, specs


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(specs(), profiles())
def test_what_is_rendered_fits_and_starts(
    make: Make,
    words: ModuleType,
    pod_security: ModuleType,
    asked: tuple[str, Values],
    profile: Values,
) -> None:
    """C-13, C-22, C-27, C-29, C-49, whatever is asked for."""
    kind, spec = asked
    try:
        made = make(kind, profile, **spec)
    except gpuspec.Refusal as refusal:
        note(str(refusal))
        return
    for template in templates(made):
        annotations = template["metadata"].get("annotations", {})
        waived = any(key.startswith("gpuspec.dev/waiver-") for key in annotations)
        assert bool(pod_security.restricted(template)) is waived
        devices_are_equal(template)
        shared_memory_is_inside_the_limit(template, words)
        mounts_have_volumes(template)
        claims_have_templates(made, template["spec"])
        if "stay idle" not in made.loud():
            the_last_gpu_finds_room(made, template["spec"], words)
        the_last_gpu_finds_a_fabric(made, template["spec"])
    names_are_legal(made)
    if kind == "Inference":
        selectors_match(made)
        ports_resolve(made)
        rollouts_move(made)


def templates(made: Made) -> Iterator[Values]:
    yield made.template
    for item in made.objects:
        if item["kind"] == "Deployment" and item is not made.workload:
            yield item["spec"]["template"]


def devices_are_equal(template: Values) -> None:
    for container in template["spec"]["containers"]:
        requests, limits = (container["resources"][key] for key in ("requests", "limits"))
        devices = {name for name in limits if "/" in name or name.startswith("hugepages-")}
        assert devices or container["resources"]["claims"]
        for name in devices | {"memory", "ephemeral-storage"}:
            assert requests[name] == limits[name]


def shared_memory_is_inside_the_limit(template: Values, words: ModuleType) -> None:
    for volume in template["spec"].get("volumes", []):
        if volume.get("emptyDir", {}).get("medium") == "Memory":
            limit = template["spec"]["containers"][0]["resources"]["limits"]["memory"]
            assert words.number(volume["emptyDir"]["sizeLimit"]) < words.number(limit)


def claims_have_templates(made: Made, pod: Values) -> None:
    """Each claim is made of a template that is there or that a ComputeDomain's controller makes, and is used."""
    there = [o["metadata"]["name"] for o in made.objects if o["kind"] == "ResourceClaimTemplate"]
    there += [
        o["spec"]["channel"]["resourceClaimTemplate"]["name"]
        for o in made.objects
        if o["kind"] == "ComputeDomain"
    ]
    held = pod.get("resourceClaims", [])
    assert {one["resourceClaimTemplateName"] for one in held} <= set(there)
    used = pod["containers"][0]["resources"].get("claims", [])
    assert [one["name"] for one in used] == [one["name"] for one in held]


def gpus_of(made: Made, pod: Values, resource: str) -> int:
    """How many a pod asks for, by the resource or by its claim."""
    limits = pod["containers"][0]["resources"]["limits"]
    if resource in limits:
        return int(limits[resource])
    (claim,) = (one for one in pod["resourceClaims"] if one["name"] == "gpu")
    template = made.one("ResourceClaimTemplate", claim["resourceClaimTemplateName"])
    (request,) = template["spec"]["spec"]["devices"]["requests"]
    counts = {each["count"] for each in request.get("firstAvailable", [request.get("exactly")])}
    (count,) = counts
    return int(count)


def mounts_have_volumes(template: Values) -> None:
    spec = template["spec"]
    names = [volume["name"] for volume in spec.get("volumes", [])]
    assert len(set(names)) == len(names)
    claims = [v["persistentVolumeClaim"]["claimName"] for v in spec.get("volumes", [])
              if "persistentVolumeClaim" in v]  # fmt: skip
    assert len(set(claims)) == len(claims)
    for container in (*spec.get("initContainers", []), *spec["containers"]):
        places = [mount["mountPath"] for mount in container.get("volumeMounts", [])]
        assert len(set(places)) == len(places)
        assert {m["name"] for m in container.get("volumeMounts", [])} <= set(names)


def the_last_gpu_finds_room(made: Made, pod: Values, words: ModuleType) -> None:
    """As many pods fit on an empty node, by every resource, as its GPUs are enough for.

    Counted as the scheduler counts: the main container and sidecars together, or an init container
    alone if that is more.
    """
    for chosen in made.rendering.resolution.pools:
        pool = chosen.pool
        if pool.allocatable is None:
            continue
        device_option = chosen.device_option
        gpus = Fraction(gpus_of(made, pod, device_option.resource))
        wanted = int(pool.gpu.count * device_option.per_gpu // gpus)
        for name, field in (
            ("cpu", "cpu"),
            ("memory", "memory"),
            ("ephemeral-storage", "ephemeral_storage"),
        ):
            have = getattr(pool.allocatable, field).value - getattr(pool.reserved, field).value
            assert whole_pod(pod, name, words) * wanted <= float(have) + 1e-6, (pool.name, name)


def the_last_gpu_finds_a_fabric(made: Made, pod: Values) -> None:
    """Devices that are counted by the node are enough for as many pods as its GPUs are."""
    limits = pod["containers"][0]["resources"]["limits"]
    for chosen in made.rendering.resolution.pools:
        pool = chosen.pool
        if pool.rdma is None or not pool.rdma.per_gpu or chosen.device_option.kind != "whole":
            continue
        fit = pool.gpu.count // gpus_of(made, pod, "nvidia.com/gpu")
        for name, have in pool.rdma.devices.items():
            assert int(limits.get(name, 0)) * fit <= have, (pool.name, name)


def whole_pod(pod: Values, name: str, words: ModuleType) -> float:
    def asked(container: Values) -> float:
        return words.number(container["resources"]["requests"][name])

    helpers = pod.get("initContainers", [])
    together = sum(asked(c) for c in helpers if c.get("restartPolicy") == "Always")
    together += sum(map(asked, pod["containers"]))
    alone = [asked(c) for c in helpers if c.get("restartPolicy") != "Always"]
    return max([together, *alone])


def names_are_legal(made: Made) -> None:
    for item in made.objects:
        name = item["metadata"]["name"]
        longest = 52 if item["kind"] == "CronJob" else 63
        assert len(name) <= longest and name == name.lower() and name[0].isalpha()
    completions = made.job.get("completions")
    if completions and made.workload["kind"] == "Job":
        assert len(f"{made.workload['metadata']['name']}-{completions - 1}") <= 63


def selectors_match(made: Made) -> None:
    labels = made.template["metadata"]["labels"].items()
    assert made.workload["spec"]["selector"]["matchLabels"].items() <= labels
    assert made.one("Service")["spec"]["selector"].items() <= labels
    assert made.one("PodDisruptionBudget")["spec"]["selector"]["matchLabels"].items() <= labels


def ports_resolve(made: Made) -> None:
    known = {port["name"] for port in made.main["ports"]}
    numbers = {port["containerPort"] for port in made.main["ports"]}
    assert min(numbers) >= 1024
    for port in made.one("Service")["spec"]["ports"]:
        assert port["targetPort"] in known
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        asked = made.main.get(probe, {}).get("httpGet")
        assert asked is None or asked["port"] in known


def rollouts_move(made: Made) -> None:
    """Some pod may come or go; and no budget forbids every eviction."""
    strategy = made.workload["spec"]["strategy"]
    if strategy["type"] == "RollingUpdate":
        assert sum(strategy["rollingUpdate"].values()) > 0
        spare = sum(chosen.pool.spare for chosen in made.rendering.resolution.pools)
        # A warm placeholder is a slot too.
        spec = made.rendering.resolution.spec
        assert isinstance(spec, InferenceSpec)
        spare = spec.warm or spare
        assert strategy["rollingUpdate"]["maxSurge"] <= spare
    assert made.one("PodDisruptionBudget")["spec"]["maxUnavailable"] >= 1


def test_the_property_is_not_vacuous(make: Make) -> None:
    """Enough of what is drawn is rendered."""
    rendered = 0

    @settings(max_examples=80, deadline=None, derandomize=True, database=None)
    @given(specs(), profiles())
    def count(asked: tuple[str, Values], profile: Values) -> None:
        nonlocal rendered
        try:
            make(asked[0], profile, **asked[1])
        except gpuspec.Refusal:
            return
        rendered += 1

    count()
    assert rendered >= 20, pytest.fail(f"only {rendered} of 80 were rendered")
