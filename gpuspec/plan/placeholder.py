"""Warm capacity: pods of the same shape that do nothing and are preempted at once."""

import math
from collections.abc import Mapping

from gpuspec.manifests import Quantity
from gpuspec.plan import metadata
from gpuspec.plan.decision import Decision, derived, from_profile, from_spec
from gpuspec.plan.facets import ContainerPlan, NodeMap, PlaceholderPlan, PodPlan
from gpuspec.plan.needs import needs
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.security import unnamed
from gpuspec.plan.wording import exact
from gpuspec.spec import InferenceSpec
from gpuspec.spec.layout import PLACEHOLDER_SUFFIX

PAUSE_IMAGE = "registry.k8s.io/pause:3.10"


def placeholder(
    resolution: Resolution, spec: InferenceSpec, pod: PodPlan, security: Decision
) -> PlaceholderPlan | None:
    """Return the placeholders of a service's pods; None if no capacity is reserved."""
    if not spec.warm:
        return None
    path = ("spec", "priorities", "placeholder")
    name = resolution.profile.spec.priorities.placeholder
    priority = from_profile(path, name, "lower than any pod that may take the slot")
    labels = metadata.labels(resolution, "placeholder")
    main = pod.containers[0]
    sleeper = ContainerPlan(
        name=derived("placeholder", "pause", "does nothing"),
        image=derived("placeholder", PAUSE_IMAGE, "does nothing, and is pulled quickly"),
        security=security,
        resources=_whole_pod(resolution, main.resources),
    )
    return PlaceholderPlan(
        name=derived("placeholder", f"{resolution.name}{PLACEHOLDER_SUFFIX}", "keeps room warm"),
        replicas=from_spec(("spec", "warm"), spec.warm, "slots that are kept free"),
        strategy=derived(
            "placeholder", {"type": "Recreate"}, "a surge would take the slots that are kept free"
        ),
        selector={key: labels[key] for key in metadata.selector(resolution)},
        pod=PodPlan(
            labels=labels,
            annotations={},
            restart_policy=pod.restart_policy,
            service_account=derived("restricted", "default", "no identity is needed"),
            automount_token=derived("restricted", False, "nothing in the pod calls the API"),
            service_links=pod.service_links,
            security=unnamed(resolution) or pod.security,
            containers=(sleeper,),
            scheduler=pod.scheduler,
            priority_class=priority,
            runtime_class=pod.runtime_class,
            grace=derived("placeholder", 0, "gives up its slot at once"),
            pull_secrets=pod.pull_secrets,
            affinity=pod.affinity,
            tolerations=pod.tolerations,
            resource_claims=pod.resource_claims,
        ),
    )


def _whole_pod(resolution: Resolution, main: NodeMap) -> NodeMap:
    """Return the main container's resources plus those of its init and sidecar containers.

    Capacity for the main container alone would not be enough for the pod.
    """
    others = needs(resolution)
    if not (resolution.spec.sidecars or resolution.spec.init_containers or others.beside.cpu):
        return main
    requests = main["requests"]
    assert isinstance(requests, Mapping)

    def amount(name: str, unit: int = 1) -> int:
        decision = requests[name]
        assert isinstance(decision, Decision)
        return math.floor(Quantity.parse(decision.value).value * unit)

    pod = others.pod(
        amount("cpu", 1000), amount("memory"), amount("ephemeral-storage"), resolution.gpus
    )
    why = "of the whole pod, init containers and sidecars too"
    whole = {
        "cpu": f"{pod.cpu}m" if pod.cpu % 1000 else str(pod.cpu // 1000),
        "memory": exact(pod.memory),
        "ephemeral-storage": exact(pod.disk or 0),
    }
    decisions = {name: derived("placeholder", value, why) for name, value in whole.items()}
    return {
        name: {key: decisions.get(key, decision) for key, decision in group.items()}
        if isinstance(group, Mapping)
        else group
        for name, group in main.items()
    }


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return a refusal for warm capacity without a priority class below that of the service's
    pods."""
    if (
        not getattr(resolution.spec, "warm", 0)
        or resolution.profile.spec.priorities.placeholder is not None
    ):
        return []
    return [
        RefusalReason(
            "warm placeholders need a PriorityClass of a negative value",
            resolution.workload.place(("spec", "warm")),
            "name it in the profile: priorities.placeholder",
        )
    ]
