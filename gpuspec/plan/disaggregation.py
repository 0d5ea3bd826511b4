"""The plan of disaggregated serving: decode pods, prefill pods, and a router.

Prefill pods are planned like a separate server, from the spec with the fields for prefill. The
origin of each decision is the real place in the spec.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from gpuspec.manifests import Path
from gpuspec.plan import probes, sides
from gpuspec.plan.common_facets import CommonFacets
from gpuspec.plan.decision import Decision, Note, Origin
from gpuspec.plan.facets import Plan
from gpuspec.plan.names import object_name
from gpuspec.plan.pools import examine
from gpuspec.plan.resolution import Refusal, RefusalReason, Resolution
from gpuspec.plan.router import router
from gpuspec.plan.serving import servers
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, Workload, at_least, degrees
from gpuspec.spec.disaggregation import PREFILL, PREFILL_SUFFIX, place_of, prefill_of
from gpuspec.spec.inference import Inference, connector_of

_Part = TypeVar("_Part")


def prefill_case(resolution: Resolution) -> Resolution:
    """Return the resolution of a server's prefill pods. Raises `Refusal` if no pool fits."""
    model, spec = resolution.workload.model, resolution.spec
    assert isinstance(model, Inference) and isinstance(spec, InferenceSpec)
    metadata = replace(model.metadata, name=f"{resolution.name}{PREFILL_SUFFIX}")
    workload = Workload(
        replace(model, metadata=metadata, spec=prefill_of(spec)),
        resolution.workload.document,
        partial(place_of, spec),
    )
    try:
        return replace(examine(workload, resolution.profile), server=resolution)
    except Refusal as error:
        reasons = [
            RefusalReason(f"prefill: {reason.text}", reason.place, reason.hint)
            for reason in error.reasons
        ]
        raise Refusal(resolution.name, resolution.profile.name, reasons) from None


def refused(resolution: Resolution, target: Target) -> list[RefusalReason]:
    """Return refusals for prefill pods that must be addressed one by one and have no stable
    names."""
    spec = resolution.spec
    if not isinstance(spec, InferenceSpec) or resolution.server is None:
        return []
    connector = connector_of(spec)
    if connector is None or connector.bootstrap is None or spec.replicas == 1:
        return []
    path = (*PREFILL, "replicas")
    place = resolution.workload.place(path)
    title = f"{resolution.runtime.title} by {connector.title}"
    if not isinstance(spec.replicas, int):
        text = (
            f"{title}: the router gets the list of prefill replicas when it starts, so "
            "their number is fixed"
        )
        return [RefusalReason(text, place, "write a number of replicas")]
    if target.replica is None:
        text = (
            f"{title}: decode pods call the prefill pod that computed a prompt by its name, "
            f"and pods of target {target.name} have no names"
        )
        return [RefusalReason(text, place, "write target: lws, or one replica")]
    return []


def disaggregated(
    parts: CommonFacets, spec: InferenceSpec, name: Decision, prefill: CommonFacets
) -> Plan:
    """Return the plan of the server's own pods, with those of prefill and of the router in
    `beside`."""
    target = parts.choice.target
    decode, server_plan = servers(parts, spec, name)
    prefill_spec = prefill.resolution.spec
    assert isinstance(prefill_spec, InferenceSpec)
    its_name = object_name(prefill.resolution, target, None)
    plan, _ = servers(prefill, prefill_spec, its_name)
    plan = _placed(plan, partial(place_of, spec))
    startup = max(
        probes.budget(common_facets.resolution, side_spec).seconds
        for common_facets, side_spec in ((parts, spec), (prefill, prefill_spec))
    )
    before = router(parts, spec, sides.urls(prefill.resolution, server_plan, target), startup)
    texts = {note.text for note in decode.notes}
    notes = [
        replace(note, text=f"prefill: {note.text}") for note in plan.notes if note.text not in texts
    ]
    return replace(
        decode,
        beside=(replace(plan, notes=()), before),
        notes=(*decode.notes, *_divided(spec, prefill_spec), *notes),
    )


def _divided(spec: InferenceSpec, prefill: InferenceSpec) -> list[Note]:
    """Return a loud note if the decode side has fewer GPUs than the KV cache needs."""
    connector = connector_of(spec)
    (tensor, _), (wide, _) = degrees(spec), degrees(prefill)
    since = connector.narrows_since if connector else None
    if connector is None or since is None or wide <= tensor:
        return []
    text = f"prefill is divided by {wide}, decode by {tensor}: "
    if at_least(spec, since) is False:
        text += (
            f"before {since}, {connector.title} cannot transfer the cache of most models to "
            "fewer GPUs than it comes from; use a newer image, or give prefill no more "
            "GPUs by `parallelism.tensor`"
        )
    else:
        text += (
            f"{connector.title} transfers a cache to fewer GPUs only if the model has more than "
            f"{wide} key-value heads; if it has not, set `parallelism.tensor` of prefill to {tensor}"
        )
    return [Note(text, Origin("spec", PREFILL), loud=True, doubt=True)]


def _placed(value: _Part, moves: Callable[[Path], Path]) -> _Part:
    """Return a part of the plan with the origins in the prefill spec moved to their real places."""

    def moved(value: object) -> object:
        match value:
            case Origin(kind="spec"):
                return Origin("spec", moves(value.path))
            case Resolution() | Origin():
                return value
            case Decision():
                return replace(value, origin=moved(value.origin))
            case msgspec.Struct():
                fields = {name: moved(getattr(value, name)) for name in value.__struct_fields__}
                return replace(value, **fields)
            case Mapping():
                return {key: moved(item) for key, item in value.items()}
            case list() | tuple():
                return type(value)(moved(item) for item in value)
        return value

    result = moved(value)
    assert isinstance(result, type(value))
    return result
