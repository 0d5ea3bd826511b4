"""Notes on the fabric: why none is used, what would provide one, and what it depends on."""

from gpuspec import hardware
from gpuspec.enumeration import listed
from gpuspec.plan import device_claims
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.devices import library, maker, pod_needs
from gpuspec.plan.fabric import LOCKING, added, taken, unusable, wants_fabric
from gpuspec.plan.resolution import ChosenPool, Resolution
from gpuspec.spec import Rdma
from gpuspec.spec.quoting import either
from gpuspec.spec.rules.fabric import kept_off
from gpuspec.spec.rules.violation import camel


def notes(resolution: Resolution) -> list[Note]:
    """Return notes on the fabric of pods that communicate."""
    if not wants_fabric(resolution.spec):
        return []
    if not resolution.pools:
        return [_nothing_known(resolution)]
    first = resolution.pools[0]
    if reason := unusable(first.pool, resolution.gpus, resolution.permit):
        return _over_tcp(resolution, first, reason)
    return _rests_on(resolution, first)


def _nothing_known(resolution: Resolution) -> Note:
    """Return a note that without pools no fabric is requested: loud if the spec excludes TCP."""
    wants_rdma = resolution.spec.gpu.interconnect == "rdma"
    provider = resolution.profile.spec.provider
    several = resolution.workers > 1 or resolution.side is not None
    who = f"{resolution.together} communicate" if several else "the pod communicates"
    text = (
        f"no fabric is requested, because profile {resolution.profile.name} has no "
        f"pools: {who} over TCP; write a profile that extends it, with pools and "
        f"{_fields(resolution, provider)}"
    )
    path = (
        ("spec", "gpu", "interconnect")
        if wants_rdma
        else (resolution.workers_path or ("spec", "gpu"))
    )
    return Note(text, Origin("spec", path), loud=wants_rdma)


def _fields(resolution: Resolution, provider: hardware.Provider | str) -> str:
    """Return the fabric fields that the pools of a provider's nodes with the acceptable GPUs would
    have."""
    recipes = hardware.recipes_of(str(provider))
    machines = {
        shape.instance for model in resolution.models for shape in hardware.node_shapes(model)
    }
    fit: dict[str, list[str]] = {}
    for recipe in recipes:
        on = [machine for machine in recipe.machines if machine in machines]
        if on or not recipe.machines:
            fit[recipe.name] = on
    if not fit:
        return "`rdma: {resource: …}`"
    return either(
        f"`rdma: {{recipe: {name}}}`" + (f" ({', '.join(on)})" if on else "")
        for name, on in fit.items()
    )


def _over_tcp(resolution: Resolution, first: ChosenPool, reason: str) -> list[Note]:
    """Return a loud note on TCP: the library itself reports nothing when it falls back to it."""
    workers = f"{resolution.together} communicate over TCP"
    collectives = pod_needs(resolution).collectives
    if collectives is not None and not collectives.tcp:
        workers = f"{collectives.name} cannot use TCP: {resolution.together} do not find each other"
    rdma, network = first.pool.rdma, pod_needs(resolution).network
    if rdma is None and device_claims.is_joined(resolution):
        text = (
            f"{resolution.together} communicate over NVLink: one ComputeDomain has the "
            "channels between them"
        )
        return [Note(text, Origin("profile", first.path("computeDomains")))]
    if rdma is None and network is not None:
        text = (
            f"pool {first.pool.name} has no fabric that pods request: {library(resolution)} "
            f"uses the accelerators' own ports where they are cabled, since {network.why}"
        )
        return [Note(text, Origin("table", row=f"hardware/vendors {maker(resolution)}"))]
    if rdma is None:
        missing = reason.removeprefix("it ")
        text = f"pool {first.pool.name} {missing}: {workers}"
        return [Note(text, Origin("profile", first.path()), loud=True)]
    text = f"pool {first.pool.name}: {reason}: its RDMA fabric is not used, and {workers}"
    return [Note(text, Origin("profile", first.path("rdma", _field(rdma))), loud=True)]


def _field(rdma: Rdma) -> str:
    """Return the field behind a reason not to use a fabric."""
    if rdma.memlock != "unlimited":
        return "memlock"
    return "recipe" if rdma.resource is None else "resource"


def _rests_on(resolution: Resolution, first: ChosenPool) -> list[Note]:
    rdma = first.pool.rdma
    assert rdma is not None
    fabric_notes: list[Note] = []
    plain = {k: v for k, v in resolution.spec.env.items() if isinstance(v, str | int | bool)}
    if name := kept_off(rdma.known_fabric, plain, maker(resolution)):
        text = (
            f"{name}={plain[name]} disables {rdma.title} for {library(resolution)}, "
            "although each pod requests it"
        )
        fabric_notes.append(Note(text, Origin("spec", ("spec", "env", name)), loud=True))
    if LOCKING not in added(rdma, resolution.permit):
        text = (
            "IPC_LOCK is not added: restricted forbids it, and it has no effect for a "
            "non-root user; RDMA depends on the node's lock limit, which is unlimited by "
            "the profile"
        )
        fabric_notes.append(Note(text, Origin("profile", first.path("rdma", "memlock"))))
    fabric_notes += _needed(resolution, rdma)
    return [*fabric_notes, *_taken(resolution, first, rdma)]


def _needed(resolution: Resolution, rdma: Rdma) -> list[Note]:
    """Return what the nodes or the image must have."""
    recipe, fabric = rdma.known_recipe, rdma.known_fabric
    if recipe is not None and recipe.on_nodes is not None:
        text = f"{recipe.title} needs {recipe.on_nodes}; without, {library(resolution)} {_without(resolution)}"
        return [Note(text, Origin("table", row=f"hardware/recipes {recipe.name}"))]
    if fabric is None:
        return []
    text = (
        f"{fabric.title}: the image needs {fabric.needs_of.get(maker(resolution), fabric.needs)}; without, "
        f"{library(resolution)} {_without(resolution)}"
    )
    return [Note(text, Origin("table", row=f"hardware/fabrics {fabric.name}"))]


def _without(resolution: Resolution) -> str:
    """Return the library's behaviour if nothing points it to the fabric."""
    collectives = pod_needs(resolution).collectives
    return (
        "silently uses TCP" if collectives is None or collectives.tcp else "reaches no other node"
    )


def _taken(resolution: Resolution, first: ChosenPool, rdma: Rdma) -> list[Note]:
    """Return the exceptions from Pod Security that the fabric needs, and what is untested."""
    recipe, fields = rdma.known_recipe, taken(rdma, resolution.permit)
    taken_notes: list[Note] = []
    if fields and resolution.permit.level is None:
        names = listed(camel(field) for field in fields)
        text = (
            f"fabric {rdma.title} takes {names}: namespace {resolution.permit.namespace} must enforce "
            "neither Pod Security restricted nor baseline"
        )
        taken_notes.append(
            Note(text, Origin("profile", first.path("rdma", _field(rdma))), loud=True)
        )
    if recipe is not None and recipe.unproved is not None and not resolution.permit.as_root:
        text = f"{recipe.title}: {recipe.unproved}; waivers.root makes it root"
        taken_notes.append(
            Note(text, Origin("table", row=f"hardware/recipes {recipe.name}"), loud=True)
        )
    return taken_notes
