"""The plan of a server whose prompts pods of their own compute: decode, prefill, and a router.

Prefill pods are planned as a server of their own would be, from the spec as they have it. What is
decided of them is told of the place where the spec says it.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from gpuspec.manifests import Path
from gpuspec.plan import probes, sides
from gpuspec.plan.case import Case, Refusal, Refused
from gpuspec.plan.facets import Plan
from gpuspec.plan.leaf import Leaf, Note, Origin
from gpuspec.plan.names import object_name
from gpuspec.plan.parts import Parts
from gpuspec.plan.pools import examine
from gpuspec.plan.router import router
from gpuspec.plan.serving import servers
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, Workload, at_least, degrees
from gpuspec.spec.disaggregation import PREFILL, PREFILL_SUFFIX, place_of, prefill_of
from gpuspec.spec.inference import Inference, connector_of

_Part = TypeVar("_Part")


def prefill_case(case: Case) -> Case:
    """The case of the pods that compute a server's prompts. Raises `Refusal` where no pool has room."""
    model, spec = case.workload.model, case.spec
    assert isinstance(model, Inference) and isinstance(spec, InferenceSpec)
    named = replace(model.metadata, name=f"{case.name}{PREFILL_SUFFIX}")
    workload = Workload(
        replace(model, metadata=named, spec=prefill_of(spec)),
        case.workload.document,
        partial(place_of, spec),
    )
    try:
        return replace(examine(workload, case.profile), server=case)
    except Refusal as error:
        reasons = [Refused(f"prefill: {one.text}", one.place, one.hint) for one in error.reasons]
        raise Refusal(case.name, case.profile.name, reasons) from None


def refused(case: Case, target: Target) -> list[Refused]:
    """Prefill pods that have to be asked one by one, and have no names of their own."""
    spec = case.spec
    if not isinstance(spec, InferenceSpec) or case.server is None:
        return []
    connector = connector_of(spec)
    if connector is None or connector.bootstrap is None or spec.replicas == 1:
        return []
    path = (*PREFILL, "replicas")
    place = case.workload.place(path)
    title = f"{case.runtime.title} by {connector.title}"
    if not isinstance(spec.replicas, int):
        text = f"{title}: the router is told of each prefill replica at its start, so that their number is fixed"
        return [Refused(text, place, "write a number of replicas")]
    if target.replica is None:
        text = (
            f"{title}: decode pods ask the prefill pod that computed a prompt by its name, and several "
            f"of target {target.name} have none"
        )
        return [Refused(text, place, "write target: lws, or one replica")]
    return []


def disaggregated(parts: Parts, spec: InferenceSpec, name: Leaf, prefill: Parts) -> Plan:
    """The plan of the server's own pods, and beside it those of prefill and of the router."""
    target = parts.choice.target
    decode, told = servers(parts, spec, name)
    own = prefill.case.spec
    assert isinstance(own, InferenceSpec)
    its_name = object_name(prefill.case, target, None)
    made, _ = servers(prefill, own, its_name)
    made = _placed(made, partial(place_of, spec))
    startup = max(
        probes.budget(each.case, one).seconds for each, one in ((parts, spec), (prefill, own))
    )
    before = router(parts, spec, sides.urls(prefill.case, told, target), startup)
    said = {note.text for note in decode.notes}
    notes = [
        replace(note, text=f"prefill: {note.text}") for note in made.notes if note.text not in said
    ]
    return replace(
        decode,
        beside=(replace(made, notes=()), before),
        notes=(*decode.notes, *_divided(spec, own), *notes),
    )


def _divided(spec: InferenceSpec, prefill: InferenceSpec) -> list[Note]:
    """A loud word where a cache would go to fewer GPUs than it comes from."""
    connector = connector_of(spec)
    (tensor, _), (wide, _) = degrees(spec), degrees(prefill)
    since = connector.narrows_since if connector else None
    if connector is None or since is None or wide <= tensor:
        return []
    text = f"prefill is divided by {wide}, decode by {tensor}: "
    if at_least(spec, since) is False:
        text += (
            f"before {since} {connector.title} hands no cache of most models to fewer GPUs than it "
            "comes from; take a newer image, or give prefill no more by `parallelism.tensor`"
        )
    else:
        text += (
            f"{connector.title} hands a cache to fewer GPUs than it comes from only if the model has "
            f"more than {wide} key-value heads, and else the transfer fails"
        )
    return [Note(text, Origin("spec", PREFILL), loud=True, doubt=True)]


def _placed(value: _Part, moves: Callable[[Path], Path]) -> _Part:
    """A part of a plan, with what came from the spec as the prefill pods have it at its real place."""

    def moved(one: object) -> object:
        match one:
            case Origin(kind="spec"):
                return Origin("spec", moves(one.path))
            case Case() | Origin():
                return one
            case Leaf():
                return replace(one, origin=moved(one.origin))
            case msgspec.Struct():
                fields = {name: moved(getattr(one, name)) for name in one.__struct_fields__}
                return replace(one, **fields)
            case Mapping():
                return {key: moved(each) for key, each in one.items()}
            case list() | tuple():
                return type(one)(moved(each) for each in one)
        return one

    result = moved(value)
    assert isinstance(result, type(value))
    return result
