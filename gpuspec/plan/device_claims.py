"""Devices by claim: what a claim asks of the DRA driver's slices, who has it, and whom it joins.

Each pod has a claim of its own, made from a template. The template cannot be changed, so its name has a
digest of what it asks for. Sources: kubernetes/api v0.37 resource/v1/types.go; of the drivers' attributes
the table of makers; of ComputeDomains kubernetes-sigs/dra-driver-nvidia-gpu v0.4.1.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from gpuspec import hardware
from gpuspec.hardware import ClaimDriver
from gpuspec.manifests.digests import sha256
from gpuspec.numbers import read_version
from gpuspec.plan import gangs
from gpuspec.plan.case import Case, ChosenPool, Refused
from gpuspec.plan.devices import maker
from gpuspec.plan.facets import NodeMap, Nodes, ObjectPlan
from gpuspec.plan.fit import MEMORY_SLACK, architecture, least_memory
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_profile, from_spec
from gpuspec.plan.products import exact_names
from gpuspec.plan.selectors import among, product, products_of
from gpuspec.plan.target import Target
from gpuspec.plan.words import MIB
from gpuspec.spec.layout import DIGEST_LENGTH
from gpuspec.spec.words import either

GPUS, CHANNEL = "gpu", "channel"
"""What claims are called in a pod."""
CLIQUE = "nvidia.com/gpu.clique"
"""The node label of those that NVLink joins."""
MOST_ALTERNATIVES = 8
"""Of one request, as the API takes them."""
# The first releases that count, and allocate, devices of claims as they come.
KUEUE_SINCE = (0, 18)
VOLCANO_SINCE = (1, 15)
_NAMES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


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
        driver = _driver(case).driver
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
            if _is_ordered(case):
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


def _driver(case: Case) -> ClaimDriver:
    driver = hardware.claim_driver(maker(case))
    assert driver is not None  # see spec/rules/claiming.py
    return driver


def _template(case: Case, gpus: int) -> ClaimTemplatePlan:
    request = _request(case, gpus)
    constraints = _alike(case, gpus)
    asked = json.dumps(_plain([request, constraints]), sort_keys=True)
    digest = sha256(asked.encode())[:DIGEST_LENGTH]
    words = "the claim of each pod is made from it; it cannot be changed, so its name has a digest"
    name = derived("claim-template", f"{case.name}-{GPUS}-{digest}", words)
    return ClaimTemplatePlan(name, (request,), constraints)


def _plain(node: Node) -> object:
    if isinstance(node, Leaf):
        return node.value
    if isinstance(node, Mapping):
        return {key: _plain(one) for key, one in node.items()}
    return None if node is None else [_plain(one) for one in node]


def _request(case: Case, gpus: int) -> NodeMap:
    """One request for all GPUs of a pod: of what suits, or of the first that is there of several."""
    named = derived("claim-template", GPUS, "all GPUs of the pod")
    if not _is_ordered(case) or gangs.is_kueues(case):
        return {"name": named, "exactly": _asked(case, case.pools, gpus)}
    path = ("spec", "gpu", "models")
    alternatives = [
        {
            "name": from_spec(
                path, _NAMES[at], f"tried when there is none of those before it: {words}"
            )
            if at
            else from_spec(path, _NAMES[at], f"tried first: {words}"),
            **_asked(case, group, gpus),
        }
        for at, group in enumerate(_groups(case))
        if (words := either([chosen.model.name for chosen in group]))
    ]
    return {"name": named, "firstAvailable": alternatives}


def _is_ordered(case: Case) -> bool:
    """Whether the spec says which GPUs it would rather have, and there are several."""
    return len(case.spec.gpu.models) > 1 and len(_groups(case)) > 1


def _groups(case: Case) -> list[tuple[ChosenPool, ...]]:
    """The pools by what they give, best first; the last has all that is beyond the most alternatives."""
    found: dict[tuple[str, str | None], list[ChosenPool]] = {}
    for chosen in case.pools:
        key = (chosen.model.name, chosen.offer.profile)
        if key not in found and len(found) == MOST_ALTERNATIVES:
            key = list(found)[-1]
        found.setdefault(key, []).append(chosen)
    return [tuple(group) for group in found.values()]


def _asked(case: Case, pools: Sequence[ChosenPool], gpus: int) -> dict[str, Node]:
    """Class, number and selectors."""
    first = case.pools[0]
    own = first.pool.gpu.dra and first.pool.gpu.dra.device_class
    path = first.path("gpu", "dra", "deviceClass" if own else "by")
    words = (
        "the platform's class" if own else f"the class of {first.offer} that the driver comes with"
    )
    selectors = [{"cel": {"expression": leaf}} for leaf in _selectors(case, pools)]
    return {
        "deviceClassName": from_profile(path, first.offer.claimed, words),
        "allocationMode": derived("claim-template", "ExactCount", "so many, and all of one node"),
        "count": from_spec(("spec", "gpu", "count"), gpus, f"{first.offer.unit}s of the pod"),
        "selectors": selectors or None,
    }


def _selectors(case: Case, pools: Sequence[ChosenPool]) -> Iterator[Leaf]:
    """Expressions that a device must all meet, in the attributes of its driver."""
    driver, gpu = _driver(case), case.spec.gpu
    attributes = f"device.attributes['{driver.driver}']"
    capacity = f"device.capacity['{driver.driver}']"
    kind = "whole" if pools[0].offer.kind == "whole" else "partition"
    shared = driver.partition in (None, driver.whole) or pools[0].offer.claimed not in (
        driver.whole,
        driver.partition,
    )
    if driver.type and kind in driver.types and shared:
        words = "its class has whole devices and parts of them"
        yield derived(
            "claim-template", f"{attributes}.{driver.type} == '{driver.types[kind]}'", words
        )
    if products := _products(case, driver, pools):
        models = either(dict.fromkeys(chosen.model.name for chosen in pools))
        path = ("spec", "gpu", "models") if gpu.models else ("spec", "gpu")
        yield from_spec(
            path, among(product(driver), products), f"{models}, by the name that the driver tells"
        )
    profiles = [chosen.offer.profile for chosen in pools if chosen.offer.profile]
    if profiles and driver.profile:
        words = f"each has the memory that is needed: {either(dict.fromkeys(profiles))}"
        yield from_spec(
            ("spec", "gpu", "memory"), among(f"{attributes}.{driver.profile}", profiles), words
        )
    least = least_memory(case.spec)
    if least and not profiles and driver.memory:
        size = f"{least * (100 - MEMORY_SLACK) // 100 // MIB}Mi"
        words = (
            f"{MEMORY_SLACK}% below what is asked for: a driver reports a little less than a GPU is "
            "sold with. A GPU that tells no memory is passed over"
        )
        told = f"'{driver.memory}' in {capacity}"
        enough = f"{capacity}.{driver.memory}.compareTo(quantity('{size}')) >= 0"
        yield from_spec(("spec", "gpu", "memory"), f"{told} && {enough}", words)
    if gpu.compute_capability and driver.capability:
        version = ".".join(map(str, (*read_version(gpu.compute_capability), 0, 0)[:3]))
        tells = f"{attributes}.{driver.capability}.compareTo(semver('{version}')) >= 0"
        words = "the least that the spec asks for"
        yield from_spec(("spec", "gpu", "computeCapability"), tells, words)


def _products(case: Case, driver: ClaimDriver, pools: Sequence[ChosenPool]) -> tuple[str, ...]:
    """What the driver calls the GPUs of these pools, as labels write it.

    Empty where any of its class will do, and where nothing tells the name of one of them.
    """
    arch = architecture(case.spec, case.models)
    others = [
        out
        for out in case.left_out
        if out.pool.claimed and out.pool.architecture == arch and out.model not in case.models
    ]
    if not driver.product or not (case.spec.gpu.models or others):
        return ()
    each = [_product(case, chosen) for chosen in pools]
    return tuple(dict.fromkeys(name for names in each for name in names)) if all(each) else ()


def _product(case: Case, chosen: ChosenPool) -> tuple[str, ...]:
    model = chosen.model.whole or chosen.model
    known = hardware.vendor(model.vendor)
    labeller = hardware.labellers()[str(known and known.labeller)]
    return products_of(chosen.pool, model, exact_names(case.spec, labeller, model))


def _alike(case: Case, gpus: int) -> Nodes:
    """That all GPUs of a pod are of one product, where the request alone does not say so."""
    driver = _driver(case)
    if gpus < 2 or not driver.product or len(_products(case, driver, case.pools)) == 1:
        return ()
    words = "a node may have several models, and the slowest would set the pace"
    made = {"requests": [GPUS], "matchAttribute": f"{driver.driver}/{driver.product}"}
    return (derived("claim-template", made, words),)
