"""Rules for roles."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.numbers import is_digits
from gpuspec.spec.jobs import TrainingFields
from gpuspec.spec.roles import MOST_PODS
from gpuspec.spec.rules import amounts, helpers, metadata
from gpuspec.spec.rules.violation import SpecViolation

WORKER = "worker"


def problems(spec: TrainingFields) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the roles."""
    volumes = helpers.mountable(spec)
    owner_of_name = {WORKER: "the workers'"}
    for index, role in enumerate(spec.roles):
        path: Path = ("spec", "roles", index)
        if whose := owner_of_name.get(role.name):
            message = f"the name `{role.name}` is {whose}"
            yield SpecViolation(message, (*path, "name"), "choose another name")
        owner_of_name.setdefault(role.name, "another role's")
        if is_digits(role.name[:1]):
            message = f'"{role.name}" starts with a digit'
            why = "variables are named after it, and their names start with a letter"
            yield SpecViolation(message, (*path, "name"), why)
        yield from helpers.what_runs(role, volumes, path)
        yield from metadata.of_pods(role, path)
        yield from amounts.memory(role.resources, (*path, "resources"))
        if role.resources.gpus > spec.gpu.count:
            message = f"{role.resources.gpus} GPUs in a pod, but the workers have {spec.gpu.count}"
            yield SpecViolation(
                message,
                (*path, "resources", "gpus"),
                "pools are chosen by what a worker needs: use fewer GPUs, and more pods",
                needs=(("spec", "gpu", "count"),),
            )
    if spec.roles and spec.workers > MOST_PODS:
        message = f"{spec.workers} workers with roles, {spec.workers - MOST_PODS} too many"
        why = f"every pod gets the host names of all workers, at most {MOST_PODS}"
        yield SpecViolation(message, ("spec", "workers"), why, needs=(("spec", "roles"),))
