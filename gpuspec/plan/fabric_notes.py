"""What is said about the fabric: that there is none to use, what would give one, what it rests on."""

from gpuspec import hardware
from gpuspec.plan import device_claims
from gpuspec.plan.case import Case, ChosenPool
from gpuspec.plan.devices import library, maker, pod_needs
from gpuspec.plan.fabric import LOCKING, added, taken, unusable, wants_fabric
from gpuspec.plan.leaf import Note, Origin
from gpuspec.plan.words import listed
from gpuspec.spec import Rdma
from gpuspec.spec.rules.broken import camel
from gpuspec.spec.rules.fabric import kept_off
from gpuspec.spec.words import either


def notes(case: Case) -> list[Note]:
    """What to know of the fabric of pods that talk to each other."""
    if not wants_fabric(case.spec):
        return []
    if not case.pools:
        return [_nothing_known(case)]
    first = case.pools[0]
    if reason := unusable(first.pool, case.gpus, case.permit):
        return _over_tcp(case, first, reason)
    return _rests_on(case, first)


def _nothing_known(case: Case) -> Note:
    """Without pools no fabric is asked for: loud where the spec says that TCP will not do."""
    asked = case.spec.gpu.interconnect == "rdma"
    provider = case.profile.spec.provider
    several = case.workers > 1 or case.side is not None
    who = f"{case.together} talk" if several else "the pod talks"
    text = (
        f"no fabric is asked for, since profile {case.profile.name} names no pools: {who} over TCP; "
        f"write a profile that extends it, with pools and {_fields(case, provider)}"
    )
    path = ("spec", "gpu", "interconnect") if asked else (case.workers_path or ("spec", "gpu"))
    return Note(text, Origin("spec", path), loud=asked)


def _fields(case: Case, provider: hardware.Provider | str) -> str:
    """What the pools of a provider's nodes with the acceptable GPUs would say of their fabric."""
    known = hardware.recipes_of(str(provider))
    machines = {shape.instance for model in case.models for shape in hardware.node_shapes(model)}
    fit: dict[str, list[str]] = {}
    for recipe in known:
        on = [machine for machine in recipe.machines if machine in machines]
        if on or not recipe.machines:
            fit[recipe.name] = on
    if not fit:
        return "`rdma: {resource: …}`"
    return either(
        f"`rdma: {{recipe: {name}}}`" + (f" ({', '.join(on)})" if on else "")
        for name, on in fit.items()
    )


def _over_tcp(case: Case, first: ChosenPool, reason: str) -> list[Note]:
    """Loud: the library itself says nothing when it falls back to TCP."""
    workers = f"{case.together} talk over TCP"
    known = pod_needs(case).collectives
    if known is not None and not known.tcp:
        workers = f"{known.name} does not talk over TCP: {case.together} do not come together"
    rdma, own = first.pool.rdma, pod_needs(case).network
    if rdma is None and device_claims.is_joined(case):
        text = f"{case.together} talk over NVLink: one ComputeDomain has the channels between them"
        return [Note(text, Origin("profile", first.path("computeDomains")))]
    if rdma is None and own is not None:
        text = (
            f"pool {first.pool.name} has no fabric that pods ask for: {library(case)} goes over the "
            f"accelerators' own ports where they are cabled, since {own.why}"
        )
        return [Note(text, Origin("table", row=f"hardware/vendors {maker(case)}"))]
    if rdma is None:
        missing = reason.removeprefix("it ")
        text = f"pool {first.pool.name} {missing}: {workers}"
        return [Note(text, Origin("profile", first.path()), loud=True)]
    text = f"pool {first.pool.name}: {reason}: its RDMA fabric is not used, and {workers}"
    return [Note(text, Origin("profile", first.path("rdma", _field(rdma))), loud=True)]


def _field(rdma: Rdma) -> str:
    """The field that a reason not to use a fabric is about."""
    if rdma.memlock != "unlimited":
        return "memlock"
    return "recipe" if rdma.resource is None else "resource"


def _rests_on(case: Case, first: ChosenPool) -> list[Note]:
    rdma = first.pool.rdma
    assert rdma is not None
    found: list[Note] = []
    plain = {k: v for k, v in case.spec.env.items() if isinstance(v, str | int | bool)}
    if name := kept_off(rdma.known_fabric, plain, maker(case)):
        text = f"{name}={plain[name]} keeps {library(case)} off the {rdma.title} that each pod asks for"
        found.append(Note(text, Origin("spec", ("spec", "env", name)), loud=True))
    if LOCKING not in added(rdma, case.permit):
        text = (
            "IPC_LOCK is not added: restricted forbids it and it gives nothing to a user that is "
            "not root; RDMA rests on the node's lock limit, which the profile says is unlimited"
        )
        found.append(Note(text, Origin("profile", first.path("rdma", "memlock"))))
    found += _needed(case, rdma)
    return [*found, *_taken(case, first, rdma)]


def _needed(case: Case, rdma: Rdma) -> list[Note]:
    """What has to be on the nodes, or in the image."""
    recipe, known = rdma.known_recipe, rdma.known_fabric
    if recipe is not None and recipe.on_nodes is not None:
        text = f"{recipe.title} needs {recipe.on_nodes}; without, {library(case)} {_without(case)}"
        return [Note(text, Origin("table", row=f"hardware/recipes {recipe.name}"))]
    if known is None:
        return []
    text = (
        f"{known.title}: the image needs {known.needs_of.get(maker(case), known.needs)}; without, "
        f"{library(case)} {_without(case)}"
    )
    return [Note(text, Origin("table", row=f"hardware/fabrics {known.name}"))]


def _without(case: Case) -> str:
    """What the library does where nothing leads it to the fabric."""
    known = pod_needs(case).collectives
    return "goes over TCP unasked" if known is None or known.tcp else "reaches no other node"


def _taken(case: Case, first: ChosenPool, rdma: Rdma) -> list[Note]:
    """What the fabric takes of Pod Security, and what nobody has tried."""
    recipe, fields = rdma.known_recipe, taken(rdma, case.permit)
    found: list[Note] = []
    if fields and case.permit.level is None:
        names = listed(camel(field) for field in fields)
        text = (
            f"fabric {rdma.title} takes {names}: namespace {case.permit.namespace} must enforce "
            "neither Pod Security restricted nor baseline"
        )
        found.append(Note(text, Origin("profile", first.path("rdma", _field(rdma))), loud=True))
    if recipe is not None and recipe.unproved is not None and not case.permit.as_root:
        text = f"{recipe.title}: {recipe.unproved}; waivers.root makes it root"
        found.append(Note(text, Origin("table", row=f"hardware/recipes {recipe.name}"), loud=True))
    return found
