"""Devices by claim: what a claim asks of the DRA driver's slices, who has it, and whom it joins.

Each pod has a claim of its own, made from a template. The template cannot be changed, so its name has a
digest of what it asks for. Sources: kubernetes/api v0.37 resource/v1/types.go; of the drivers' attributes
the table of makers; of ComputeDomains kubernetes-sigs/dra-driver-nvidia-gpu v0.4.1.
"""

import json
from collections.abc import Mapping

import msgspec

from gpuspec.manifests.digests import sha256
from gpuspec.numbers import read_version
from gpuspec.plan import claim_requests, gangs
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.claim_requests import GPUS
from gpuspec.plan.facets import Nodes, ObjectPlan
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_profile
from gpuspec.plan.target import Target
from gpuspec.spec.layout import DIGEST_LENGTH

CHANNEL = "channel"
"""What a pod's claim of a channel is called."""
CLIQUE = "nvidia.com/gpu.clique"
"""The node label of those that NVLink joins."""
# The first releases that count, and allocate, devices of claims as they come.
KUEUE_SINCE = (0, 18)
VOLCANO_SINCE = (1, 15)


class ClaimTemplatePlan(msgspec.Struct, frozen=True):
    """A ResourceClaimTemplate."""

    name: Node
    requests: Nodes
    constraints: Nodes


class ComputeDomainPlan(msgspec.Struct, frozen=True):
    """A ComputeDomain, whose controller makes the template of channels."""

    name: Node
    nodes: Node
    template: Node


def is_claimed(case: Case) -> bool:
    """Whether the pods ask for their GPUs by claims."""
    return case.offer is not None and case.offer.claimed is not None


def is_joined(case: Case) -> bool:
    """Whether NVLink joins the pods of a workload across nodes."""
    return case.workers > 1 and bool(case.pools) and case.pools[0].pool.compute_domains


def uses(case: Case, gpus: int, *, joined: bool = False) -> dict[str, Node]:
    """What a container with so many GPUs says of claims in its resources; empty where it has none."""
    names = [
        *([_claim(case, GPUS, "its GPUs")] if gpus and is_claimed(case) else ()),
        *([_claim(case, CHANNEL, "NVLink to the others")] if joined and is_joined(case) else ()),
    ]
    return {"claims": tuple(names)} if names else {}


def of_pod(case: Case, gpus: int, joins: Leaf | None = None) -> Nodes:
    """The claims of a pod with so many GPUs. `joins`: the name of the object whose workers it is one of."""
    found: list[Leaf] = []
    if gpus and is_claimed(case):
        template = _template(case, gpus).name
        assert isinstance(template, Leaf)
        made = {"name": GPUS, "resourceClaimTemplateName": template.value}
        found.append(Leaf(made, "each pod has a claim of its own", template.origin))
    if joins is not None and is_joined(case):
        made = {"name": CHANNEL, "resourceClaimTemplateName": _channel(joins)}
        words = (
            "made by the controller of the ComputeDomain: the pod waits until its node has joined"
        )
        found.append(from_profile(_joining(case), made, words))
    return tuple(found)


def objects(case: Case, name: Leaf) -> tuple[ObjectPlan, ...]:
    """What the pods of an object of this name have their claims of."""
    found: list[ObjectPlan] = []
    if is_claimed(case):
        sizes = dict.fromkeys((case.gpus, *(role.resources.gpus for role in case.roles)))
        found += [
            ObjectPlan("resource-claim-template", {"claim": _template(case, gpus)})
            for gpus in sizes
            if gpus
        ]
    if is_joined(case):
        path, own = _joining(case), str(name.value)
        domain = ComputeDomainPlan(
            name=Leaf(own, f"NVLink between {case.together}", name.origin),
            nodes=derived(
                "compute-domain", 0, "as many as have pods of it: the driver counts them"
            ),
            template=from_profile(path, _channel(name), "what its controller is to make"),
        )
        found.append(ObjectPlan("compute-domain", {"domain": domain}))
    return tuple(found)


def refused(case: Case) -> list[Refused]:
    """Claims that a queue of Kueue's cannot count."""
    if not is_claimed(case) or not gangs.is_kueues(case):
        return []
    place = case.workload.place(("spec", "queue"))
    version = case.profile.spec.installed.get(gangs.KUEUE.component)
    found: list[Refused] = []
    if version is not None and read_version(version)[:2] < KUEUE_SINCE:
        text = f"Kueue {version} does not count devices of claims; 0.18 and later do"
        found.append(Refused(text, place, "write gpu.dra: {by: extended-resource}, or no `queue`"))
    if case.offer is not None and case.offer.profile is not None:
        text = (
            f"Kueue counts devices by their DeviceClass, and {case.offer.claimed} is that of every "
            "MIG profile"
        )
        hint = "write gpu.dra: {by: extended-resource} in the profile, or no `queue`"
        found.append(Refused(text, place, hint))
    return found


def notes(case: Case, target: Target) -> list[Note]:
    """What must be on the cluster for claims, and what a queue or a scheduler has to be told of them."""
    found: list[Note] = []
    if is_claimed(case):
        by = case.pools[0].path("gpu", "dra")
        driver = claim_requests.driver_of(case).driver
        text = f"GPUs are had by claims of the DRA driver {driver}: its kubelet plugin runs on the nodes"
        found.append(Note(text, Origin("profile", by)))
        found += _of_volcano(case, target)
        if gangs.is_kueues(case):
            assert case.offer is not None
            mapping = (
                f"resources: {{deviceClassMappings: [{{name: {case.offer.resource}, "
                f"deviceClassNames: [{case.offer.claimed}]}}]}}"
            )
            text = (
                f"Kueue admits claims only of DeviceClasses that its configuration maps: {mapping}"
            )
            found.append(Note(text, Origin("spec", ("spec", "queue")), loud=True))
            if claim_requests.is_ordered(case):
                text = (
                    "Kueue counts no alternatives of a claim: any of the models will do, and the order "
                    "is left to the nodes' labels"
                )
                found.append(Note(text, Origin("spec", ("spec", "gpu", "models")), loud=True))
    if is_joined(case):
        text = (
            f"{case.together} keep to one `{CLIQUE}`, which the first of them chooses: where that has "
            "no room for all, the others pend"
        )
        found.append(Note(text, Origin("profile", _joining(case))))
    return found


def _of_volcano(case: Case, target: Target) -> list[Note]:
    """What Volcano has to be told, before the release that allocates claims as it comes.

    Source: volcano-sh/volcano v1.15.0, release notes: on since then.
    """
    volcano = gangs.VOLCANO
    version = case.profile.spec.installed.get(volcano.component)
    if target.queues != "volcano" and gangs.scheduler(case) is not volcano:
        return []
    if version is None or read_version(version)[:2] >= VOLCANO_SINCE:
        return []
    text = (
        f"Volcano {version} allocates claims only with predicate.DynamicResourceAllocationEnable: true "
        "among the arguments of its plugin predicates"
    )
    return [Note(text, Origin("profile", ("spec", "installed", volcano.component)), loud=True)]


def _claim(case: Case, name: str, why: str) -> Leaf:
    path = _joining(case) if name == CHANNEL else case.pools[0].path("gpu", "dra", "by")
    return from_profile(path, {"name": name}, f"{why}, by the pod's claim of this name")


def _channel(name: Leaf) -> str:
    """The template of channels, which the controller of a ComputeDomain makes."""
    return f"{name.value}-{CHANNEL}"


def _joining(case: Case) -> tuple[str | int, ...]:
    return case.pools[0].path("computeDomains")


def _template(case: Case, gpus: int) -> ClaimTemplatePlan:
    asking = claim_requests.request(case, gpus)
    constraints = claim_requests.alike(case, gpus)
    asked = json.dumps(_plain([asking, constraints]), sort_keys=True)
    digest = sha256(asked.encode())[:DIGEST_LENGTH]
    words = "the claim of each pod is made from it; it cannot be changed, so its name has a digest"
    name = derived("claim-template", f"{case.name}-{GPUS}-{digest}", words)
    return ClaimTemplatePlan(name, (asking,), constraints)


def _plain(node: Node) -> object:
    if isinstance(node, Leaf):
        return node.value
    if isinstance(node, Mapping):
        return {key: _plain(one) for key, one in node.items()}
    return None if node is None else [_plain(one) for one in node]
