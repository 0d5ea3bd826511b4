"""The pods of every target are those of the usual one, in what they are and in how they are counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgspec.structs import replace

import gpuspec
from gpuspec.manifests import format_path
from gpuspec.targets import target_of
from tests.targets.carried import (
    at,
    both,
    brought,
    carried,
    equipped,
    holder,
    instead,
    is_flat,
    scalars,
    usual,
    worker,
    written,
)

# Where pods may differ by who carries them: under what their names lie, and by whose labels.
OWN = {
    "spec.subdomain",
    "spec.affinity.podAffinity",
    "spec.affinity.podAntiAffinity",
    "spec.topologySpreadConstraints",
}
# What one controller asks for: names, a restart policy, a limit; what stands beside a pod's fields; and what
# another bounds in its pods.
_OPERATOR = {"spec.restartPolicy", "spec.containers.name", "spec.containers.ports"}
# What Knative has of its own, or puts otherwise: the pause and the time to end, ports and who asks them.
_KNATIVE = {
    *("spec.restartPolicy", "spec.terminationGracePeriodSeconds", "spec.timeout"),
    *("spec.timeoutSeconds", "spec.responseStartTimeoutSeconds"),
    *("spec.containerConcurrency", "spec.initContainers"),
    *(
        "spec.securityContext.fsGroupChangePolicy",
        "spec.containers.ports",
        "spec.containers.lifecycle",
    ),
    *(f"spec.containers.{probe}Probe" for probe in ("startup", "readiness", "liveness")),
    "spec.containers.volumeMounts.readOnly",
    *(
        format_path(("metadata", "annotations", name))
        for name in (
            *(f"autoscaling.knative.dev/{bound}" for bound in ("min-scale", "max-scale")),
            *(f"autoscaling.knative.dev/{by}" for by in ("metric", "target", "scale-down-delay")),
            "autoscaling.knative.dev/target-utilization-percentage",
            "serving.knative.dev/progress-deadline",
        )
    ),
}
ASKED = {
    "pytorchjob": _OPERATOR,
    "tfjob": _OPERATOR,
    "trainjob": {"spec.containers.name"},
    "kserve": {
        *("spec.minReplicas", "spec.maxReplicas", "spec.deploymentStrategy"),
        *("spec.containers.name", "spec.containers.resources.limits.cpu"),
    },
    # What is said so that no preset of KServe's says it otherwise.
    "llminferenceservice": {
        format_path(("metadata", "annotations", "serving.kserve.io/model-based-routing-enabled")),
        *(
            f"spec.containers.{field}"
            for field in (
                *("env", "lifecycle", "securityContext.runAsNonRoot"),
                *(
                    f"{probe}Probe.{own}"
                    for probe in ("startup", "readiness", "liveness")
                    for own in ("httpGet.scheme", "failureThreshold")
                ),
            )
        ),
    },
    "kserve-knative": {
        *("spec.minReplicas", "spec.maxReplicas", "spec.scaleMetric", "spec.scaleTarget"),
        *("spec.containers.name", "spec.containers.resources.limits.cpu"),
        *_KNATIVE,
    },
    "knative": _KNATIVE,
    "volcano": {
        *("spec.activeDeadlineSeconds", "spec.schedulerName"),
        # What Kueue would be asked there, the Job asks of Volcano.
        format_path(("metadata", "annotations", "kueue.x-k8s.io/podset-required-topology")),
    },
}


# And where the target starts the processes itself, from elsewhere: what waits for them.
STARTED = {
    "spec.restartPolicy",
    "spec.volumes",
    *(
        f"spec.containers.{field}"
        for field in (
            *("command", "args", "env", "ports", "readinessProbe", "volumeMounts"),
            # It may leave room for what starts them.
            "resources",
        )
    ),
}


@instead
def test_the_pod_is_that_of_the_usual_one(target: str, profile: str) -> None:
    for made, other in usual(target, profile):
        if is_flat(made):
            continue  # the tests of such a target walk the fields of a pod
        mine, theirs = (first_pod(one) for one in (made, other))
        differ = {
            format_path(tuple(step for step in path if isinstance(step, str)))
            for path in {*scalars(mine), *scalars(theirs)}
            if at(mine, path) != at(theirs, path)
        }
        known = target_of(target)
        may = OWN | ASKED.get(target, set()) | (STARTED if known.launch else set())
        if known.ranks:
            # Some controllers label pods by it, and of others the target does.
            may = may | {format_path(("metadata", "labels", known.ranks.pods))}
        assert all(any(f"{path}.".startswith(f"{own}.") for own in may) for path in differ), differ


def first_pod(made: gpuspec.Rendering) -> Any:
    """The pod of rank 0, with neutral words for where rank 0 is and for who the pod is."""
    own = holder(made)
    target, pod = target_of(made.plan.target.value), worker(made).spec
    if pod[-1] == "spec":
        template = at(own, pod[:-1])
    else:
        spec = dict(at(own, pod))
        parts = {key: spec.pop(key) for key in ("labels", "annotations") if key in spec}
        # Or they stand beside it.
        parts = parts or {key: at(own, (*pod[:-1], key)) for key in ("labels", "annotations")}
        template = {"metadata": parts, "spec": spec}
    text = json.dumps(template)
    if (ranks := target.ranks) and ranks.variable:
        text = text.replace(ranks.first(made.plan.name.value), "FIRST")
        text = text.replace(f"$({ranks.variable})", "RANK").replace(ranks.field, "FIELD")
    return json.loads(text)


@instead
def test_the_same_pods_are_seen_by_whoever_counts(
    target: str, profile: str, tmp_path: Path
) -> None:
    """`table` sums the same, `fit` places as many, and a gang is one whoever carries it."""
    pairs = [
        pair
        for pair in usual(target, profile)
        # `fit` knows the quotas of the profile's queues, which are Kueue's.
        if target_of(target).queues == "kueue"
        or not getattr(pair[0].resolution.spec, "queue", None)
    ]
    more = {role for mine, _ in pairs for role in brought(mine)}
    seen = []
    for side in (0, 1):
        renderings = [pair[side] for pair in pairs]
        if not renderings:
            return
        file = written(tmp_path, renderings)
        table = gpuspec.table(file, profile=equipped(profile))
        table = replace(table, asks=tuple(one for one in table.asks if one.role not in more))
        fits: list[Any] = []
        if equipped(profile).spec.pools:
            report = gpuspec.fit(file, profile=equipped(profile), seeds=1)
            # They are listed by kind, in which the two sides differ.
            fits = sorted(
                (one.pods, one.gpus, one.gang, one.placed)
                for one in report.workloads
                if one.role not in more
            )
        total = table.total
        if more:
            total = {name: span for name, span in total.items() if name not in ("cpu", "memory")}
        # In apply order, which is by kind.
        seen.append((table.pods, total, sorted(fits)))
    assert seen[0] == seen[1]


@both
def test_a_gang_of_several_is_a_gang_and_has_all_its_pods(
    target: str, profile: str, tmp_path: Path
) -> None:
    for name, made in carried(target, profile).items():
        if made.resolution.workers == 1:
            continue
        table = gpuspec.table(written(tmp_path, [made]), profile=equipped(profile))
        groups = getattr(made.resolution.spec, "replicas", 1)
        beside = sum(role.count for role in made.resolution.roles)
        pods = sum(role.count.value for role in made.plan.roles.values())
        pods -= sum(made.plan.roles[role].count.value for role in brought(made))
        assert pods == made.resolution.workers + beside, name
        more = sum(one.pods.least for one in table.asks if one.pods and one.role in brought(made))
        assert table.pods.least - more == pods * (groups if isinstance(groups, int) else 1), name
