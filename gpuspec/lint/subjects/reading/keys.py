"""Keys of labels and annotations that schedulers, queues and autoscalers act on, and where they do.

A key that is misspelled, or lies where nobody looks, has no effect and says nothing.

Sources: Kueue 0.19, site/data/labels_and_annotations.yaml and pkg/controller/constants; KubeRay 1.7,
controllers/ray/utils/constant.go and batchscheduler; Volcano 1.15,
staging/.../scheduling/v1beta1/labels.go and pkg/scheduler/plugins; KAI Scheduler, pkg/common/constants
and podgrouper; the api packages of the workloads named in the table of kinds; Karpenter v1;
Cluster Autoscaler FAQ; Argo CD, sync options and resource hooks.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import msgspec

Field = Literal["labels", "annotations"]
Level = Literal["object", "pod", "any"]
FIELDS: tuple[Field, ...] = ("labels", "annotations")


class Home(msgspec.Struct, frozen=True):
    """Where a key has an effect, on a kind that makes pods."""

    field: Field
    level: Level
    """`any`: on the object as on its pods."""


# Keys that people write. With one home only, they have no effect elsewhere.
_HOMES: dict[str, Home] = {
    "kueue.x-k8s.io/queue-name": Home("labels", "object"),
    "kueue.x-k8s.io/priority-class": Home("labels", "object"),
    "kueue.x-k8s.io/max-exec-time-seconds": Home("labels", "object"),
    "kueue.x-k8s.io/job-min-parallelism": Home("annotations", "object"),
    "kueue.x-k8s.io/job-completions-equal-parallelism": Home("annotations", "object"),
    "kueue.x-k8s.io/podset-required-topology": Home("annotations", "pod"),
    "kueue.x-k8s.io/podset-preferred-topology": Home("annotations", "pod"),
    "kueue.x-k8s.io/podset-unconstrained-topology": Home("annotations", "pod"),
    "kueue.x-k8s.io/podset-slice-required-topology": Home("annotations", "pod"),
    "kueue.x-k8s.io/podset-slice-size": Home("annotations", "pod"),
    "kueue.x-k8s.io/podset-group-name": Home("annotations", "pod"),
    "karpenter.sh/do-not-disrupt": Home("annotations", "pod"),
    "cluster-autoscaler.kubernetes.io/safe-to-evict": Home("annotations", "pod"),
    "controller.kubernetes.io/pod-deletion-cost": Home("annotations", "pod"),
    "k8s.v1.cni.cncf.io/networks": Home("annotations", "pod"),
    "kai.scheduler/queue": Home("labels", "any"),
    "runai/queue": Home("labels", "any"),
    "scheduling.volcano.sh/group-name": Home("annotations", "any"),
    "ray.io/gang-scheduling-enabled": Home("labels", "object"),
    "leaderworkerset.sigs.k8s.io/exclusive-topology": Home("annotations", "object"),
}

_KNOWN: dict[str, str] = {
    "kueue.x-k8s.io": "admission admission-gated-by cluster-queue-name component-workload-index "
    "elastic-job is-group-workload job-completions-equal-parallelism job-min-parallelism "
    "job-owner-gvk job-owner-name job-uid local-queue-name managed max-exec-time-seconds "
    "multikueue-origin node-to-replace parent-workload pod-group-fast-admission pod-group-name "
    "pod-group-pod-index pod-group-pod-index-label pod-group-serving pod-group-total-count "
    "pod-index-offset pod-suspending-parent podset podset-group-name podset-preferred-topology "
    "podset-required-topology podset-slice-required-topology "
    "podset-slice-required-topology-constraints podset-slice-size podset-unconstrained-topology "
    "prebuilt-workload-name priority-boost priority-class queue-name queue-weight "
    "raycluster-generation retriable-in-group role-hash safe-to-forcefully-delete workload "
    "workload-slice-name workload-slice-replacement-for",
    "ray.io": "cluster cronjob-name disable-provisioned-head-restart enable-serve-service "
    "external-storage-namespace ft-enabled gang-scheduling-enabled group identifier "
    "initializing-timeout is-ray-node job-submission-mode node-group node-type "
    "num-worker-groups originated-from-cr-name originated-from-crd overwrite-container-cmd "
    "priority-class-name scheduler-name serve",
    "volcano.sh": "queue-name job-name job-namespace job-version job-retry-count task-spec task-index "
    "task-priority preemptable cooldown-time revocable-zone jdb-min-available jdb-max-unavailable "
    "network-topology-mode network-topology-highest-tier network-topology-highest-tier-allowed "
    "numa-topology-policy qos-level sla-waiting-time vgpu-mode vgpu-number vgpu-memory vgpu-cores "
    "gpu-index gpu-memory gpu-number hierarchy hierarchy-weights partition-id scheduling-priority",
    "scheduling.volcano.sh": "queue-name group-name group-min-member group-min-resources",
    "scheduling.x-k8s.io": "pod-group",
    "kai.scheduler": "queue node-pool preemptibility preemption-delay batch-min-member topology "
    "topology-preferred-placement topology-required-placement subgroup-name skip-podgrouper "
    "segment-size task-priority accounting",
    "yunikorn.apache.org": "app-id queue task-group-name task-groups schedulingPolicyParameters "
    "allow-preemption placeholder user.info parentqueue",
    "alpha.jobset.sigs.k8s.io": "exclusive-topology namespaced-job no-schedule node-selector",
    "jobset.sigs.k8s.io": "coordinator jobset-name jobset-uid job-index job-key job-global-index "
    "job-group-index group-name group-replicas global-replicas replicatedjob-name "
    "replicatedjob-replicas restart-attempt priority disable-in-place-restart",
    "leaderworkerset.sigs.k8s.io": "exclusive-topology subgroup-exclusive-topology group-index "
    "group-key name replicas size worker-index leader-name subgroup-index subgroup-key "
    "subgroup-size subgroup-policy-type subdomainPolicy template-revision-hash "
    "leader-requests-tpus",
    "trainer.kubeflow.org": "trainjob-ancestor-step framework support",
    "karpenter.sh": "capacity-type do-not-disrupt nodepool nodeclaim discovery disrupted registered "
    "initialized nodepool-hash nodepool-hash-version nodeclaim-termination-timestamp managed-by "
    "termination unregistered do-not-sync-taints provisioner-name",
    "cluster-autoscaler.kubernetes.io": "enable-ds-eviction pod-scale-up-delay safe-to-evict "
    "safe-to-evict-local-volumes scale-down-disabled consume-provisioning-request",
    "argocd.argoproj.io": "hook hook-delete-policy sync-wave sync-options compare-options instance "
    "tracking-id refresh manifest-generate-paths ignore-resource-updates skip-reconcile "
    "secret-type application-set-name ignore-healthcheck managed-by installation-id",
}

_OLD = {
    "karpenter.sh/do-not-evict": "karpenter.sh/do-not-disrupt",
    "karpenter.sh/do-not-consolidate": "karpenter.sh/do-not-disrupt",
    "pod-group.scheduling.sigs.k8s.io/name": "scheduling.x-k8s.io/pod-group",
}
"""Keys that once had an effect, and those that have it now."""


class Meant(msgspec.Struct, frozen=True):
    """The key that was meant by another one."""

    key: str
    old: bool
    """The other one is no slip: it had an effect once."""


def home(key: str) -> Home | None:
    """The one place where a key has an effect; None for those that are not known, or have several."""
    return _HOMES.get(key)


def has_home(metadata: dict[str, Any]) -> bool:
    """Whether any key of an object's metadata has one place."""
    for field in FIELDS:
        written = metadata.get(field)
        if isinstance(written, dict) and not _HOMES.keys().isdisjoint(written):
            return True
    return False


@cache
def meant(key: str) -> Meant | None:
    """The key that was meant by one that has no effect, or None."""
    if key in _OLD:
        return Meant(_OLD[key], old=True)
    domain, slash, name = key.rpartition("/")
    if not slash or name in _names(domain):
        return None
    if domain in _KNOWN:
        close = _closest(name, _names(domain))
        return Meant(f"{domain}/{close}", old=False) if close else None
    # A slip in the domain: the name must be right, since other domains have keys of their own, and
    # the domain long, since short ones are close to each other by chance.
    for other in _KNOWN:
        if len(other) >= 10 and _distance(domain, other, 2) <= 2 and name in _names(other):
            return Meant(f"{other}/{name}", old=False)
    return None


@cache
def _names(domain: str) -> frozenset[str]:
    return frozenset(_KNOWN.get(domain, "").split())


def _closest(name: str, known: frozenset[str]) -> str | None:
    for other in (f"{name}-name", name.removesuffix("-name")):
        if other in known:
            return other
    # Short names are close to each other by chance.
    most = 1 if len(name) < 8 else 2 if len(name) < 14 else 3
    found = [(_distance(name, other, most), other) for other in sorted(known)]
    best = min(found, default=(most + 1, ""))
    if best[0] <= most:
        return best[1]
    # In the domains whose keys are few and all known, the words in another order are a slip too.
    folded = {"".join(sorted(other.split("-"))): other for other in known}
    return folded.get("".join(sorted(name.replace("_", "-").split("-"))))


def _distance(one: str, other: str, most: int) -> int:
    """Letters put in, left out, changed or swapped; more than `most` where there are more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, right in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
