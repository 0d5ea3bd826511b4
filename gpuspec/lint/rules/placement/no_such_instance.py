"""A NodePool whose requirements or limits no machine of the families that it names meets, a priority of
a ComputeClass that no machine has, or a Workspace of KAITO whose machines have no GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.placement import compute_classes
from gpuspec.lint.analysis.placement.amount_text import shown
from gpuspec.lint.analysis.placement.instances import Fitting, fitting, impossible
from gpuspec.lint.analysis.placement.made_nodes import (
    capacity,
    is_added,
    is_on_ec2,
    is_within,
    limits_of,
)
from gpuspec.lint.analysis.placement.node_pools import is_for_gpus, requirements_of
from gpuspec.lint.analysis.placement.placing import names, required
from gpuspec.lint.analysis.placement.pool_keys import UnreadLabel, unread_labels
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import at, mapping, text
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from gpuspec.fleet.match import Requirement
    from gpuspec.objects.collection import Collection

RULE = Rule(
    "GPU421",
    "no-such-instance",
    "warning",
    "No instance type meets a NodePool's or a ComputeClass's requirements, or has a suitable GPU",
)

_CAPACITY, _RESERVED = "karpenter.sh/capacity-type", "reserved"
# Of Azure's sizes only those of the N series have GPUs (MicrosoftDocs/azure-compute-docs
# articles/virtual-machines/sizes/overview.md); kaito-project/kaito pkg/sku/azure_sku_handler.go lists no other.
_AZURE_WITHOUT_GPU = re.compile(r"Standard_[ABDEFGHLM][A-Za-z]*[0-9]+[A-Za-z0-9_-]*$")
# What a template or a person is to fill in may be anything.
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Check NodePools that name known families or instance types, or require values that labels
    never have."""
    if obj.group == "kaito.sh":
        yield from _without_gpu(obj)
        return
    if obj.is_a(compute_classes.GROUP, compute_classes.KIND):
        for priority in filter(None, compute_classes.priorities(obj)):
            yield from _of_class(priority, obj)
        return
    yield from map(_unread, unread_labels(obj))
    yield from _of_reservations(obj, context.collection)
    unlike = next(_never_met(obj), None)
    if unlike is not None:
        yield unlike
        return
    fitting_types = fitting(requirements_of(obj))
    if fitting_types is None:
        return
    if fitting_types.without is not None:
        yield _none_fits(obj, fitting_types)
    elif (limit := _below_all(obj, fitting_types)) is not None:
        yield _limited(obj, fitting_types, limit)
    elif (resource := _limited_to_others(obj, fitting_types, context.collection)) is not None:
        yield _others(obj, fitting_types, resource)
    elif _makes_no_gpu(obj, fitting_types, context.collection):
        kinds = sorted({instance.family for instance in fitting_types.instances})
        yield RawFinding(
            fitting_types.named.path,
            f"NodePool `{obj.name}` creates no node for pods that request a GPU: EC2 reports "
            f"part of a GPU for each instance of {names(kinds)}, and Karpenter counts the part "
            "as 0",
            note="use a family with whole GPUs, or set the instances' GPUs in a NodeOverlay",
        )


def _without_gpu(obj: Object) -> Iterator[RawFinding]:
    """Yield the size of Azure without a GPU that a Workspace of KAITO creates nodes of for a model's
    preset."""
    size = text(at(obj.value, ("resource", "instanceType")))
    has_preset = any(at(obj.value, (work, "preset", "name")) for work in ("inference", "tuning"))
    if not has_preset or not _AZURE_WITHOUT_GPU.match(size):
        return
    yield RawFinding(
        obj.path("resource", "instanceType"),
        (
            f"`{size}` has no GPU: KAITO creates nodes of this size, and the preset's pods stay "
            "Pending"
        ),
        note="write a size of the N series with enough GPU memory for the model, such as "
        "`Standard_NC24ads_A100_v4`",
        confidence="likely",
    )


def _of_class(priority: compute_classes.ClassPriority, obj: Object) -> Iterator[RawFinding]:
    """Yield why GKE creates no node by a priority: its GPU, its machine or the number of GPUs."""
    gpu, machine, count = priority.gpu, priority.machine, priority.count
    sold = compute_classes.machines_of(gpu)
    step, why, note = "", "", ""
    if gpu not in compute_classes.gpus():
        gpu_names = compute_classes.meant(gpu)
        if gpu_names:
            step, why, note = "type", f"GKE has no GPU `{gpu}`", f"write {choice_of(gpu_names, 8)}"
    elif machine in compute_classes.machines() and machine not in sold:
        has = compute_classes.machines()[machine]
        step, why = "type", f"`{machine}` has the GPU `{has}`, not `{gpu}`"
        note = f"write `{has}`, or another `machineType`"
    elif machine in sold and count is not None and count != sold[machine]:
        step, why = "count", f"`{machine}` has {_gpus(sold[machine])}, not {count}"
        note = f"write `count: {sold[machine]}`, or another `machineType`"
    elif compute_classes.is_family(
        priority.family
    ) and priority.family not in compute_classes.families(gpu):
        some = sorted(compute_classes.families(gpu))
        step, why = "type", f"no machine of the family `{priority.family}` has the GPU `{gpu}`"
        note = f"write `machineFamily: {some[0]}`, or remove the machine"
    elif count is not None and (count.bit_count() != 1 or (sold and count > max(sold.values()))):
        step, why = "count", f"no machine of GKE has {count} GPUs `{gpu}`"
        note = f"write {choice_of([str(gpus) for gpus in sorted({*sold.values()} or {1, 2, 4})])}"
    if step:
        yield RawFinding(
            (*priority.path, "gpu", step),
            f"ComputeClass `{obj.name}` creates no node by this priority: {why}",
            note=note,
            confidence="likely",
        )


def _gpus(count: int) -> str:
    return f"{count} {'GPU' if count == 1 else 'GPUs'}"


def _of_reservations(obj: Object, collection: Collection) -> Iterator[RawFinding]:
    """Yield a NodePool of reserved machines whose class selects no reservation, and one of other
    machines whose class selects some, if it is the only one of the class."""
    reference = at(obj.spec, ("template", "spec", "nodeClassRef", "name"))
    node_class = collection.named("karpenter.k8s.aws", "EC2NodeClass", text(reference))
    requirement = next((row for row in requirements_of(obj) if row.key == _CAPACITY), None)
    if node_class is None or requirement is None or requirement.operator != "In":
        return
    has_terms = bool(node_class.spec.get("capacityReservationSelectorTerms"))
    values = {*requirement.values}
    if values == {_RESERVED} and not has_terms:
        yield RawFinding(
            requirement.path,
            f"NodePool `{obj.name}` creates no node: it requires reserved capacity, and "
            f"EC2NodeClass `{node_class.name}` selects no reservation",
            note="add `capacityReservationSelectorTerms` to the class, or allow `on-demand`",
        )
    elif has_terms and values and _RESERVED not in values:
        name = node_class.name
        pools = collection.of("karpenter.sh", "NodePool")
        sharing = [
            pool
            for pool in pools
            if at(pool.spec, ("template", "spec", "nodeClassRef", "name")) == name
        ]
        if len(sharing) == 1:
            yield RawFinding(
                requirement.path,
                f"NodePool `{obj.name}` never uses the reservations that EC2NodeClass `{name}` "
                "selects: they are paid for while Karpenter buys other capacity",
                note=f"add `{_RESERVED}` to the values of `{_CAPACITY}`",
                confidence="likely",
            )


def _unread(label: UnreadLabel) -> RawFinding:
    """Return the finding on a label that the NodePool's Karpenter does not read."""
    key = label.requirement.key
    note = f"write `{label.replacement}`" if label.replacement else "remove the requirement"
    if label.exists:
        message = (
            f"`{key}` selects no machines: the nodes are of {label.provider}, which reads only its own "
            "labels"
        )
    else:
        message = f"the NodePool is rejected: {label.provider} has no label `{key}`"
    return RawFinding(label.requirement.path, message, note=note, confidence="likely")


def _never_met(obj: Object) -> Iterator[RawFinding]:
    """Yield requirements with no value that any machine's label has."""
    for requirement in requirements_of(obj):
        values = names(list(requirement.values))
        why = impossible(requirement) if is_on_ec2(obj) else None
        if why is not None:
            yield RawFinding(
                requirement.path,
                f"NodePool `{obj.name}` creates no node: no instance type has "
                f"`{requirement.key}` {values}",
                note=why,
            )
        label = hardware.cloud_labels().get(requirement.key)
        if why is None and label is not None and not _has_value(label.values, requirement):
            yield RawFinding(
                requirement.path,
                f"NodePool `{obj.name}` creates no node: `{requirement.key}` is never {values}",
                note=f"write {choice_of(label.values, 8)}",
            )


def _has_value(possible: tuple[str, ...], requirement: Requirement) -> bool:
    """Return whether a label can have one of the listed values; invalid values are another rule's
    subject."""
    listed = requirement.values
    return (
        not possible
        or requirement.operator != "In"
        or not listed
        or requirement.key == _CAPACITY
        or any(value in possible or not _PLAIN.fullmatch(value) for value in listed)
    )


def _none_fits(obj: Object, fitting_types: Fitting) -> RawFinding:
    assert fitting_types.without is not None
    return RawFinding(
        fitting_types.without.path,
        f"NodePool `{obj.name}` creates no node: no instance type has "
        f"{required(fitting_types.named)} and {required(fitting_types.without)}",
        note=(
            f"allow {names(list(fitting_types.had))} for `{fitting_types.without.key}`: the required instance "
            "types have no other value"
        ),
        related=(RelatedPlace(obj.number, fitting_types.named.path, "these machines"),),
    )


def _below_all(obj: Object, fit: Fitting) -> str | None:
    """Return a limit that every machine exceeds; None if one does not, or if a limit of 0 turns the
    pool off."""
    limits = limits_of(obj)
    if not all(limits.values()) or any(is_within(instance, limits) for instance in fit.instances):
        return None
    return next(
        (
            resource
            for resource, limit in limits.items()
            if all(not is_within(instance, {resource: limit}) for instance in fit.instances)
        ),
        None,
    )


def _limited(obj: Object, fit: Fitting, resource: str) -> RawFinding:
    limit = limits_of(obj)[resource]
    least = min(fit.instances, key=lambda instance: capacity(instance, resource) or 0)
    return RawFinding(
        obj.path("spec", "limits", resource),
        f"NodePool `{obj.name}` creates no node: its limit is {shown(resource, limit)}, but the "
        f"smallest instance type that it allows, `{least.name}`, has "
        f"{shown(resource, capacity(least, resource) or 0)}",
        note="raise the limit: Karpenter counts everything that a node has",
        related=(RelatedPlace(obj.number, fit.named.path, "these machines"),),
    )


def _limited_to_others(obj: Object, fit: Fitting, collection: Collection) -> str | None:
    """Return the GPUs of another maker that the limits count, and that no machine has."""
    makers = {instance.maker for instance in fit.instances}
    limits = limits_of(obj)
    if any(f"{maker}.com/gpu" in limits for maker in makers):
        return None
    return next(
        (
            resource
            for resource, limit in limits.items()
            if limit
            and hardware.is_gpu_resource(resource)
            and all(capacity(instance, resource) == 0 for instance in fit.instances)
            and not any(instance.gpus == 0 for instance in fit.instances)
            and not is_added(resource, collection)
        ),
        None,
    )


def _others(obj: Object, fit: Fitting, resource: str) -> RawFinding:
    families = names(sorted({instance.family for instance in fit.instances}))
    resources = names(sorted({f"{instance.maker}.com/gpu" for instance in fit.instances}))
    return RawFinding(
        fit.named.path,
        f"NodePool `{obj.name}` has a limit for `{resource}`, but creates no node with that "
        f"resource: instances of {families} have {resources}",
        note=f"remove the limit, or allow instances with `{resource}`",
        related=(RelatedPlace(obj.number, obj.path("spec", "limits", resource), "its limit"),),
    )


def _makes_no_gpu(obj: Object, fitting_types: Fitting, collection: Collection) -> bool:
    """Return whether pods with GPUs are meant, and Karpenter counts no GPU of any machine left."""
    if any(instance.gpus for instance in fitting_types.instances) or not is_for_gpus(obj):
        return False
    return not any(map(_adds_gpu, collection.of("karpenter.sh", "NodeOverlay"))) and not _is_auto(
        obj
    )


def _adds_gpu(overlay: Object) -> bool:
    keys = mapping(overlay.spec.get("capacity"))
    return any(hardware.is_gpu_resource(text(key)) for key in keys)


def _is_auto(obj: Object) -> bool:
    """Return whether EKS Auto Mode makes the nodes: how it counts is not known."""
    group = text(at(obj.spec, ("template", "spec", "nodeClassRef", "group")))
    return group == "eks.amazonaws.com"
