"""Devices by claim: requests for the DRA driver's devices, and channels between nodes.

Each pod has a claim of its own, created from a template. The template is immutable, so its name has
a digest of its contents. Sources: kubernetes/api v0.37 resource/v1/types.go; for the drivers'
attributes, the table of vendors; for ComputeDomains, kubernetes-sigs/dra-driver-nvidia-gpu v0.4.1.
"""

import json
from collections.abc import Mapping

import msgspec

from gpuspec.manifests.digests import sha256
from gpuspec.numbers import read_version
from gpuspec.plan import claim_requests, gangs
from gpuspec.plan.claim_requests import GPUS
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_profile
from gpuspec.plan.facets import Nodes, ObjectPlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target
from gpuspec.spec.layout import DIGEST_LENGTH

CHANNEL = "channel"
"""The name of a pod's claim for a channel."""
CLIQUE = "nvidia.com/gpu.clique"
"""The label of nodes that NVLink connects."""
# The first releases that count, and allocate, devices of claims as they come.
KUEUE_SINCE = (0, 18)
VOLCANO_SINCE = (1, 15)


class ClaimTemplatePlan(msgspec.Struct, frozen=True):
    """A ResourceClaimTemplate."""

    name: PlanPart
    requests: Nodes
    constraints: Nodes


class ComputeDomainPlan(msgspec.Struct, frozen=True):
    """A ComputeDomain, whose controller creates the template of channels."""

    name: PlanPart
    nodes: PlanPart
    template: PlanPart


def is_claimed(resolution: Resolution) -> bool:
    """Return whether the pods request their GPUs by claims."""
    return resolution.device_option is not None and resolution.device_option.claimed is not None


def is_joined(resolution: Resolution) -> bool:
    """Return whether NVLink connects the pods of a workload across nodes."""
    return (
        resolution.workers > 1
        and bool(resolution.pools)
        and resolution.pools[0].pool.compute_domains
    )


def uses(resolution: Resolution, gpus: int, *, joined: bool = False) -> dict[str, PlanPart]:
    """Return the claims in a container's resources for this number of GPUs; empty without
    claims."""
    names = [
        *([_claim(resolution, GPUS, "its GPUs")] if gpus and is_claimed(resolution) else ()),
        *(
            [_claim(resolution, CHANNEL, "NVLink to the others")]
            if joined and is_joined(resolution)
            else ()
        ),
    ]
    return {"claims": tuple(names)} if names else {}


def of_pod(resolution: Resolution, gpus: int, joins: Decision | None = None) -> Nodes:
    """Return the claims of a pod with this number of GPUs. `joins`: the name of the object whose
    worker it is."""
    decisions: list[Decision] = []
    if gpus and is_claimed(resolution):
        template = _template(resolution, gpus).name
        assert isinstance(template, Decision)
        pod_claim = {"name": GPUS, "resourceClaimTemplateName": template.value}
        decisions.append(Decision(pod_claim, "each pod has a claim of its own", template.origin))
    if joins is not None and is_joined(resolution):
        pod_claim = {"name": CHANNEL, "resourceClaimTemplateName": _channel(joins)}
        words = (
            "created by the controller of the ComputeDomain: the pod waits until its node "
            "has joined"
        )
        decisions.append(from_profile(_joining(resolution), pod_claim, words))
    return tuple(decisions)


def objects(resolution: Resolution, name: Decision) -> tuple[ObjectPlan, ...]:
    """Return the claim templates of an object with this name."""
    object_plans: list[ObjectPlan] = []
    if is_claimed(resolution):
        sizes = dict.fromkeys(
            (resolution.gpus, *(role.resources.gpus for role in resolution.roles))
        )
        object_plans += [
            ObjectPlan("resource-claim-template", {"claim": _template(resolution, gpus)})
            for gpus in sizes
            if gpus
        ]
    if is_joined(resolution):
        path, template_name = _joining(resolution), str(name.value)
        domain = ComputeDomainPlan(
            name=Decision(template_name, f"NVLink between {resolution.together}", name.origin),
            nodes=derived("compute-domain", 0, "the nodes with pods of it: the driver counts them"),
            template=from_profile(path, _channel(name), "what its controller creates"),
        )
        object_plans.append(ObjectPlan("compute-domain", {"domain": domain}))
    return tuple(object_plans)


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for claims that a Kueue queue cannot count."""
    if not is_claimed(resolution) or not gangs.is_kueues(resolution):
        return []
    place = resolution.workload.place(("spec", "queue"))
    version = resolution.profile.spec.installed.get(gangs.KUEUE.component)
    refusal_reasons: list[RefusalReason] = []
    if version is not None and read_version(version)[:2] < KUEUE_SINCE:
        text = f"Kueue {version} does not count devices of claims; 0.18 and later do"
        refusal_reasons.append(
            RefusalReason(text, place, "write gpu.dra: {by: extended-resource}, or delete `queue`")
        )
    if resolution.device_option is not None and resolution.device_option.profile is not None:
        text = (
            f"Kueue counts devices by their DeviceClass, and {resolution.device_option.claimed} is that of every "
            "MIG profile"
        )
        hint = "write gpu.dra: {by: extended-resource} in the profile, or delete `queue`"
        refusal_reasons.append(RefusalReason(text, place, hint))
    return refusal_reasons


def notes(resolution: Resolution, target: Target) -> list[Note]:
    """Return notes on the cluster's requirements for claims, and on settings of a queue or
    scheduler."""
    claim_notes: list[Note] = []
    if is_claimed(resolution):
        by = resolution.pools[0].path("gpu", "dra")
        driver = claim_requests.driver_of(resolution).driver
        text = (
            f"pods get GPUs by claims of the DRA driver {driver}: its kubelet plugin has to "
            "run on the nodes"
        )
        claim_notes.append(Note(text, Origin("profile", by)))
        claim_notes += _of_volcano(resolution, target)
        if gangs.is_kueues(resolution):
            assert resolution.device_option is not None
            mapping = (
                f"resources: {{deviceClassMappings: [{{name: {resolution.device_option.resource}, "
                f"deviceClassNames: [{resolution.device_option.claimed}]}}]}}"
            )
            text = (
                f"Kueue admits claims only of DeviceClasses that its configuration maps: {mapping}"
            )
            claim_notes.append(Note(text, Origin("spec", ("spec", "queue")), loud=True))
            if claim_requests.is_ordered(resolution):
                text = (
                    "Kueue does not count alternatives of a claim: the claim accepts any of the "
                    "models, and the nodes' labels decide the order"
                )
                claim_notes.append(Note(text, Origin("spec", ("spec", "gpu", "models")), loud=True))
    if is_joined(resolution):
        text = (
            f"{resolution.together} run in one `{CLIQUE}`, which the first pod chooses: if "
            "not all fit there, the others stay Pending"
        )
        claim_notes.append(Note(text, Origin("profile", _joining(resolution))))
    return claim_notes


def _of_volcano(resolution: Resolution, target: Target) -> list[Note]:
    """Return the setting that Volcano needs before the release that allocates claims by default.

    Source: volcano-sh/volcano v1.15.0, release notes: on since then.
    """
    volcano = gangs.VOLCANO
    version = resolution.profile.spec.installed.get(volcano.component)
    if target.queues != "volcano" and gangs.scheduler(resolution) is not volcano:
        return []
    if version is None or read_version(version)[:2] >= VOLCANO_SINCE:
        return []
    text = (
        f"Volcano {version} allocates claims only with predicate.DynamicResourceAllocationEnable: true "
        "among the arguments of its plugin predicates"
    )
    return [Note(text, Origin("profile", ("spec", "installed", volcano.component)), loud=True)]


def _claim(resolution: Resolution, name: str, why: str) -> Decision:
    path = _joining(resolution) if name == CHANNEL else resolution.pools[0].path("gpu", "dra", "by")
    return from_profile(path, {"name": name}, f"{why}, by the pod's claim of this name")


def _channel(name: Decision) -> str:
    """Return the reference to the template of channels, which the controller of a ComputeDomain
    creates."""
    return f"{name.value}-{CHANNEL}"


def _joining(resolution: Resolution) -> tuple[str | int, ...]:
    return resolution.pools[0].path("computeDomains")


def _template(resolution: Resolution, gpus: int) -> ClaimTemplatePlan:
    asking = claim_requests.request(resolution, gpus)
    constraints = claim_requests.alike(resolution, gpus)
    requests_text = json.dumps(_plain([asking, constraints]), sort_keys=True)
    digest = sha256(requests_text.encode())[:DIGEST_LENGTH]
    words = "the template for each pod's claim; it is immutable, so its name has a digest"
    name = derived("claim-template", f"{resolution.name}-{GPUS}-{digest}", words)
    return ClaimTemplatePlan(name, (asking,), constraints)


def _plain(node: PlanPart) -> object:
    if isinstance(node, Decision):
        return node.value
    if isinstance(node, Mapping):
        return {key: _plain(value) for key, value in node.items()}
    return None if node is None else [_plain(item) for item in node]
