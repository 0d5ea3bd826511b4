"""What every InferenceService has, whichever controller creates its pods."""

from collections.abc import Mapping

from msgspec.structs import replace

from gpuspec.plan.decision import Decision, derived
from gpuspec.plan.facets import NodeMap, PodPlan
from gpuspec.plan.provenance import PREFIX
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.security import WAIVER_PREFIX
from gpuspec.plan.target import TargetRequirement
from gpuspec.spec.layout import LONGEST

KSERVE = "serving.kserve.io/"
API, KIND = f"{KSERVE}v1beta1", "InferenceService"
# Its modes were called RawDeployment and Serverless before.
NEEDS = TargetRequirement("kserve", since="0.16", checked="0.20")
CONTAINER = "kserve-container"


def kept(annotations: NodeMap) -> NodeMap:
    """Return the spec's annotations and the reasons. KServe copies all annotations into the pods:
    annotations of provenance would restart servers that have not changed."""
    return {
        key: value
        for key, value in annotations.items()
        if key.startswith(WAIVER_PREFIX) or not key.startswith(PREFIX)
    }


def mode(value: str, why: str) -> dict[str, Decision]:
    """Return how KServe deploys it."""
    return {f"{KSERVE}deploymentMode": derived("kserve", value, why)}


def named(pod: PodPlan) -> PodPlan:
    """Return the server's pod, with the container name that KServe looks for, and all that its
    webhook would fill in."""
    main, *others = pod.containers
    name = derived("kserve", CONTAINER, "KServe looks for a container of this name")
    return replace(
        pod, containers=(replace(main, name=name, resources=resources(main.resources)), *others)
    )


def resources(node_map: NodeMap) -> NodeMap:
    """Return those of the server, and a limit of CPUs."""
    requests, limits = (node_map[amount_kind] for amount_kind in ("requests", "limits"))
    assert isinstance(requests, Mapping)
    assert isinstance(limits, Mapping)
    cpu = requests["cpu"]
    assert isinstance(cpu, Decision)
    if "cpu" not in limits:
        why = "equal to the request: without a limit KServe writes 1"
        limits = {"cpu": derived("kserve", cpu.value, why), **limits}
    return {**node_map, "requests": requests, "limits": limits}


def too_long(resolution: Resolution, noun: str, pattern: str) -> list[RefusalReason]:
    """Return the refusal of a name that makes one of KServe's too long. `pattern`: that name, with
    `<name>` in it."""
    long_name = pattern.replace("<name>", resolution.name)
    over = len(long_name) - LONGEST
    if over <= 0:
        return []
    text = f"{noun} has {len(long_name)} characters, {over} too many"
    hint = f"it is {pattern}, {LONGEST} characters at most"
    return [RefusalReason(text, resolution.workload.place(("metadata", "name")), hint)]
