"""Resolve: a workload and a profile become a plan."""

from gpuspec.plan import (
    bound,
    claims,
    constraints,
    device_claims,
    lasting,
    local_disk,
    names,
    placeholder,
    policy,
    queueing,
    recipe,
    scalable,
    security,
    slices,
    storage,
    weakened,
)
from gpuspec.plan.case import Case, Refusal, Refused
from gpuspec.plan.facets import Plan
from gpuspec.plan.finite import batch, training
from gpuspec.plan.parts import Parts
from gpuspec.plan.serving import serving
from gpuspec.plan.target import Choice
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
    bound,
)


def resolve(
    case: Case, choice: Choice, templates_digest: str, template_digest: str | None = None
) -> Plan:
    """All decisions for one workload on one profile, with the target that was chosen.

    `templates_digest` is kept as provenance; `template_digest` names an object without a `run` (see
    `names.object_name`). Raises `Refusal` when the profile cannot carry the workload.
    """
    reasons = _refused(case, choice)
    prefill: Case | None = None
    if case.side is not None:
        # Imported only for specs that have some: start-up counts.
        from gpuspec.plan import disaggregation

        prefill = disaggregation.prefill_case(case)
        told = {one.text for one in reasons}
        own = [*disaggregation.refused(prefill, choice.target), *_refused(prefill, choice)]
        reasons += [one for one in own if one.text not in told]
    if reasons:
        raise Refusal(case.name, case.profile.name, reasons)
    parts = Parts(case, choice, templates_digest, template_digest)
    name = names.object_name(case, choice.target, template_digest)
    spec = case.spec
    match spec:
        case InferenceSpec():
            if prefill is None:
                return serving(parts, spec, name)
            beside = Parts(prefill, choice, templates_digest, template_digest)
            return disaggregation.disaggregated(parts, spec, name, beside)
        case TrainingFields():
            return training(parts, spec, name)
        case BatchInferenceSpec():
            return batch(parts, spec, name)


def _refused(case: Case, choice: Choice) -> list[Refused]:
    """Why the profile, or the target, cannot carry the pods of a case."""
    reasons = choice.refused(case)
    reasons += slices.unnumbered(case, choice.target)
    reasons += queueing.refused(case, choice.target)
    if case.wrapped:
        # Imported only for specs that are: start-up counts.
        from gpuspec.plan import wrapping

        reasons += wrapping.refused(case)
    reasons += [reason for facet in _REFUSING for reason in facet.refused(case)]
    if isinstance(case.spec, InferenceSpec) and case.spec.route is not None:
        # Imported only for specs that have one: start-up counts.
        from gpuspec.plan import traffic

        reasons += traffic.refused(case, case.spec)
    reasons += scalable.refused(case, choice.target)
    return reasons + lasting.refused(case, choice.target)
