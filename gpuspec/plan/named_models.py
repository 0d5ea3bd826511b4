"""The GPU models that a spec names: of the hardware table, or of the profile."""

from gpuspec import hardware
from gpuspec.hardware import GpuModel
from gpuspec.manifests import InputError, Problem
from gpuspec.manifests.limits import MAX_PROBLEMS
from gpuspec.plan.resolution import Refusal, RefusalReason
from gpuspec.spec import Profile, Workload, model_of
from gpuspec.spec.rules.devices import bounds, find, unknown


def acceptable_models(workload: Workload, profile: Profile) -> tuple[GpuModel, ...]:
    """Return the models that the spec's names mean on this profile, best first; empty means any.

    Raises `Refusal` if a name means several models and the profile does not narrow it, `InputError`
    if neither the hardware table nor the profile has it, or if no GPU at all meets the spec.
    """
    spec = workload.model.spec
    models_by_name = [meant(name, profile) for name in spec.gpu.models]
    if not all(models_by_name):
        raise InputError(_unknown(workload, profile))
    # The spec's own rules know the hardware table alone.
    gpu_models = [model for models in models_by_name for model in models]
    any_model = gpu_models or [*hardware.models(), *described_models(profile)]
    if broken := list(bounds(spec, any_model)):
        raise InputError(
            [
                Problem(violation.message, workload.place(violation.path), violation.hint)
                for violation in broken
            ]
        )
    pools = [model_of(pool) for pool in profile.spec.pools]
    offered = {(model.whole or model).name for model in pools}
    acceptable: list[GpuModel] = []
    unclear: list[RefusalReason] = []
    for index, (name, models) in enumerate(zip(spec.gpu.models, models_by_name, strict=True)):
        remaining = models
        if len(models) > 1 and offered:
            remaining = tuple(model for model in models if model.name in offered) or models
        elif len(models) > 1:
            choices = ", ".join(model.name for model in models)
            unclear.append(
                RefusalReason(
                    f'"{name}" can mean {choices}',
                    workload.place(("spec", "gpu", "models", index)),
                    "name one of them, or list several",
                )
            )
        acceptable += [model for model in remaining if model not in acceptable]
    if unclear:
        raise Refusal(workload.name, profile.name, unclear)
    return tuple(acceptable)


def described_models(profile: Profile) -> tuple[GpuModel, ...]:
    """Return the models that the profile defines itself, in the order of its pools."""
    pools = (pool for pool in profile.spec.pools if pool.gpu.memory is not None)
    return tuple(dict.fromkeys(model_of(pool) for pool in pools))


def meant(name: str, profile: Profile) -> tuple[GpuModel, ...]:
    """Return the models that a name can mean on this profile."""
    described = described_models(profile)
    return find(name) or tuple(
        gpu_model for gpu_model in described if hardware.same_name(name, gpu_model.name)
    )


def _unknown(workload: Workload, profile: Profile) -> list[Problem]:
    described = [model.name for model in described_models(profile)]
    problems: list[Problem] = []
    for index, name in enumerate(workload.model.spec.gpu.models):
        if len(problems) == MAX_PROBLEMS:
            message = f"more unknown names; these are the first {MAX_PROBLEMS}"
            return [*problems, Problem(message, workload.place(("spec", "gpu", "models")))]
        if not meant(name, profile):
            broken = unknown(name, ("spec", "gpu", "models", index), described)
            problems.append(Problem(broken.message, workload.place(broken.path), broken.hint))
    return problems
