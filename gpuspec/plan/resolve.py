"""Turn a workload and a profile into a plan."""

from gpuspec.plan import (
    claims,
    constraints,
    device_claims,
    lasting,
    local_disk,
    names,
    placeholder,
    policy,
    pool_terms,
    queueing,
    recipe,
    scalable,
    security,
    slices,
    storage,
    weakened,
)
from gpuspec.plan.common_facets import CommonFacets
from gpuspec.plan.facets import Plan
from gpuspec.plan.finite import batch, training
from gpuspec.plan.resolution import Refusal, RefusalReason, Resolution
from gpuspec.plan.serving import serving
from gpuspec.plan.target import ChosenTarget
from gpuspec.spec import BatchInferenceSpec, InferenceSpec, TrainingFields

# Facets that the profile may lack something for; their reasons are given all at once.
_REFUSING = (
    storage,
    local_disk,
    claims,
    device_claims,
    security,
    constraints,
    weakened,
    recipe,
    placeholder,
    policy,
    slices,
    pool_terms,
)


def resolve(
    resolution: Resolution,
    choice: ChosenTarget,
    templates_digest: str,
    template_digest: str | None = None,
) -> Plan:
    """Return all decisions for one workload on one profile, with the chosen target.

    `templates_digest` is kept as provenance; `template_digest` names an object without a `run` (see
    `names.object_name`).

    Raises:
        Refusal: the profile cannot run the workload.
    """
    reasons = _refused(resolution, choice)
    prefill: Resolution | None = None
    if resolution.side is not None:
        # Imported only for specs that have some: start-up counts.
        from gpuspec.plan import disaggregation

        prefill = disaggregation.prefill_case(resolution)
        texts = {reason.text for reason in reasons}
        own_reasons = [*disaggregation.refused(prefill, choice.target), *_refused(prefill, choice)]
        reasons += [reason for reason in own_reasons if reason.text not in texts]
    if reasons:
        raise Refusal(resolution.name, resolution.profile.name, reasons)
    parts = CommonFacets(resolution, choice, templates_digest, template_digest)
    name = names.object_name(resolution, choice.target, template_digest)
    spec = resolution.spec
    match spec:
        case InferenceSpec():
            if prefill is None:
                return serving(parts, spec, name)
            beside = CommonFacets(prefill, choice, templates_digest, template_digest)
            return disaggregation.disaggregated(parts, spec, name, beside)
        case TrainingFields():
            return training(parts, spec, name)
        case BatchInferenceSpec():
            return batch(parts, spec, name)


def _refused(resolution: Resolution, choice: ChosenTarget) -> list[RefusalReason]:
    """Return why the profile, or the target, cannot run the pods of a resolution."""
    reasons = choice.refused(resolution)
    reasons += slices.unnumbered(resolution, choice.target)
    reasons += queueing.refused(resolution, choice.target)
    if resolution.wrapped:
        # Imported only for specs that are: start-up counts.
        from gpuspec.plan import wrapping

        reasons += wrapping.refused(resolution)
    reasons += [reason for facet in _REFUSING for reason in facet.refused(resolution)]
    if isinstance(resolution.spec, InferenceSpec) and resolution.spec.route is not None:
        # Imported only for specs that have one: start-up counts.
        from gpuspec.plan import traffic

        reasons += traffic.refused(resolution, resolution.spec)
    reasons += scalable.refused(resolution, choice.target)
    return reasons + lasting.refused(resolution, choice.target)
