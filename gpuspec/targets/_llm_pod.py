"""A server's pod that KServe merges over its presets for LLMInferenceServices (0.20).

It is a strategic merge: the pod's fields win, list by list, and the preset fills in the others. So
the pod sets every field that a preset would set differently. Sources: `config/llmisvcconfig`,
`mergeSpecs` of `pkg/controller/v1alpha2/llmisvc/config_merge.go`.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from gpuspec.plan.decision import Decision, PlanPart, derived
from gpuspec.plan.facets import ContainerPlan, NodeMap, PodPlan
from gpuspec.plan.probes import DEFAULT_FAILURES

PART_OF = "app.kubernetes.io/part-of"
"""KServe's own label, which its Service and its controller select pods by."""
HUB_CACHE, HUB_HOME = "HF_HUB_CACHE", "HF_HOME"
"""The folder of the hub's files, which a preset moves; and the variable that sets it."""
SLEEP = "/bin/sleep"
_UNTAGGED = "latest"


def beneath(pod: PodPlan) -> PodPlan:
    """Return the pod with every field that a preset would set differently."""
    main, *others = pod.containers
    return replace(pod, containers=(_main(main, pod.security), *others))


def labels(pod: PodPlan) -> NodeMap:
    """Return the pod's labels, but for the one that KServe finds its pods by."""
    return {key: value for key, value in pod.labels.items() if key != PART_OF}


def respread(pod: PodPlan, revision: str) -> PodPlan:
    """Return the pod with another label for its revisions."""
    if not isinstance(pod.spread, Decision) or not pod.spread.value:
        return pod
    spread = [{**constraint, "matchLabelKeys": [revision]} for constraint in pod.spread.value]
    return replace(pod, spread=Decision(spread, pod.spread.reason, pod.spread.origin))


def _main(main: ContainerPlan, security: PlanPart) -> ContainerPlan:
    return replace(
        main,
        pull_policy=main.pull_policy or _pull_policy(main.image),
        env=(*main.env, *_hub_cache(main)),
        startup_probe=_probe(main.startup_probe),
        readiness_probe=_probe(main.readiness_probe),
        liveness_probe=_probe(main.liveness_probe),
        lifecycle=_lifecycle(main.lifecycle),
        security=_security(main.security, security),
    )


def _pull_policy(image: PlanPart) -> Decision | None:
    """Return Kubernetes' own pull policy for a tag that moves; a preset has `IfNotPresent` for all."""
    assert isinstance(image, Decision)
    tag = image.value.rpartition("/")[2].partition(":")[2] or _UNTAGGED
    if "@" in image.value or tag != _UNTAGGED:
        return None
    return derived(
        "llminferenceservice",
        "Always",
        "the tag moves; with KServe's preset the kubelet would never pull it again",
    )


def _hub_cache(main: ContainerPlan) -> tuple[Decision, ...]:
    """Return the plan's folder for files of the hub: a preset would put them on a disk of the pod."""
    decisions = {
        variable.value["name"]: variable for variable in main.env if isinstance(variable, Decision)
    }
    home = decisions.get(HUB_HOME)
    if home is None or HUB_CACHE in decisions or "value" not in home.value:
        return ()
    value = {"name": HUB_CACHE, "value": f"{home.value['value']}/hub"}
    return (
        derived(
            "llminferenceservice", value, f"follows from {HUB_HOME}; KServe's preset would move it"
        ),
    )


def _probe(probe: PlanPart) -> PlanPart:
    """Return an HTTP probe with its scheme and failure threshold."""
    if not isinstance(probe, Decision) or "httpGet" not in probe.value:
        return probe
    value = {"failureThreshold": DEFAULT_FAILURES, **probe.value}
    value["httpGet"] = {**value["httpGet"], "scheme": "HTTP"}
    return Decision(value, probe.reason, probe.origin)


def _lifecycle(lifecycle: PlanPart) -> PlanPart:
    """Return the pause before the end as a command: the API server refuses any other next to the
    preset's."""
    if not isinstance(lifecycle, Decision):
        return lifecycle
    seconds = lifecycle.value["preStop"]["sleep"]["seconds"]
    value = {"preStop": {"exec": {"command": [SLEEP, str(seconds)]}}}
    return Decision(value, lifecycle.reason, lifecycle.origin)


def _security(plan_part: PlanPart, pods: PlanPart) -> PlanPart:
    """Return the container's security context, with those of the pod's fields that a preset sets
    for containers."""
    assert isinstance(plan_part, Decision)
    assert isinstance(pods, Decision)
    pod_fields: Mapping[str, Any] = pods.value
    value = {"runAsNonRoot": pod_fields["runAsNonRoot"], **plan_part.value}
    return Decision(value, plan_part.reason, plan_part.origin)
