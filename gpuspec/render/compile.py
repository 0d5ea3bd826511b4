"""The whole way from a workload and a profile to valid objects."""

import json

from gpuspec.manifests.digests import sha256
from gpuspec.plan import Case, Leaf, Plan, resolve
from gpuspec.render.check import check
from gpuspec.render.layout import Rendered, lay_out, lay_out_one
from gpuspec.render.rendering import Rendering
from gpuspec.render.templates import Templates

JOB = "job.yaml.j2"


def compile_case(case: Case, templates: Templates) -> Rendering:
    """Plan, lay out, override and validate.

    Raises `InputError` when an override or a template is wrong, `Refusal` when the profile cannot
    carry the workload, `InternalError` when what we made ourselves is not valid.
    """
    plan = _named(case, templates)
    objects = lay_out(plan, templates)
    if plan.overrides:
        from gpuspec.render.overrides import apply_overrides

        apply_overrides(plan, objects)
    rendering = Rendering(case, plan, tuple(objects), as_shipped=templates.shadow is None)
    check(rendering, templates)
    return rendering


def _named(case: Case, templates: Templates) -> Plan:
    """The plan; a Job without a run is named by a digest of its spec, laid out unnamed."""
    plan = resolve(case, templates.digest)
    if plan.job is None or plan.cron is not None or not _by_digest(plan):
        return plan
    return resolve(case, templates.digest, _job_digest(plan, templates))


def _by_digest(plan: Plan) -> bool:
    name = plan.job.name if plan.job else None
    return isinstance(name, Leaf) and name.origin.row == "job-name"


def _job_digest(plan: Plan, templates: Templates) -> str:
    """Digest of an unnamed Job's spec, overrides included: what changes it needs a new Job."""
    job = lay_out_one(JOB, plan, templates)
    if plan.overrides:
        _override_unnamed(job, plan)
    text = json.dumps(job.value.get("spec"), sort_keys=True, separators=(",", ":"))
    return sha256(text.encode())


def _override_unnamed(job: Rendered, plan: Plan) -> None:
    from gpuspec.render.merge import MergeError
    from gpuspec.render.overrides import apply_override

    for override in plan.overrides:
        if override.kind == job.kind:
            try:
                apply_override(job, override)
            except MergeError:
                continue  # it is said when the override is applied to the named Job
