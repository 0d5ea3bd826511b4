"""The whole way from a workload and a profile to valid objects."""

import json

from gpuspec.manifests.digests import sha256
from gpuspec.plan import Plan, Resolution, resolve
from gpuspec.plan.names import by_digest
from gpuspec.plan.target import ChosenTarget
from gpuspec.render.check import check
from gpuspec.render.layout import RenderedObject, lay_out, lay_out_one
from gpuspec.render.rendering import Rendering
from gpuspec.render.templates import Templates
from gpuspec.render.view import ENDING
from gpuspec.targets import choose
from gpuspec.targets import names as target_names


def compile_case(
    resolution: Resolution, templates: Templates, target: str | None = None
) -> Rendering:
    """Return choose the target (`target` before all others), plan, lay out, override and validate.

    Raises `InputError` when an override, a template or a name is wrong, `Refusal` when the profile cannot
    carry the workload, `InternalError` when what we made ourselves is not valid.
    """
    plan = _named(resolution, choose(resolution, target), templates)
    objects = lay_out(plan, templates)
    if plan.overrides:
        from gpuspec.render.overrides import apply_overrides

        apply_overrides(plan, objects)
    rendering = Rendering(resolution, plan, tuple(objects), as_shipped=templates.shadow is None)
    check(rendering, templates)
    return rendering


def _named(resolution: Resolution, choice: ChosenTarget, templates: Templates) -> Plan:
    """Return the plan; a run without a name is named by a digest of its spec, laid out unnamed, and
    so is an object that has its pods."""
    digest = templates.digest(*_in_force(choice, templates))
    plan = resolve(resolution, choice, digest)
    if not by_digest(plan.name) and not choice.target.holder:
        return plan
    return resolve(resolution, choice, digest, _run_digest(plan, choice, templates))


def _in_force(choice: ChosenTarget, templates: Templates) -> list[str]:
    """Return the templates of objects, but for those of targets that were not chosen."""
    others = {name for name in target_names() if name != choice.target.name}
    return [name for name in templates.names if _whose(name) not in others]


def _whose(template: str) -> str:
    """Return what a template is of, where it is a target's: `<target>.yaml.j2`,
    `<target>-<object>.yaml.j2`."""
    return template.removesuffix(f".yaml{ENDING}").partition("-")[0]


def _run_digest(plan: Plan, choice: ChosenTarget, templates: Templates) -> str:
    """Return digest of an unnamed run's spec, overrides included: what changes it needs a new
    run."""
    parts = (plan.target.value, choice.target.holder)
    texts: list[str] = []
    for obj in plan.objects:
        if obj.template in parts:
            rendered_object = lay_out_one(obj, plan, templates)
            if plan.overrides:
                _override_unnamed(rendered_object, plan)
            texts.append(
                json.dumps(rendered_object.value.get("spec"), sort_keys=True, separators=(",", ":"))
            )
    return sha256("".join(texts).encode())


def _override_unnamed(obj: RenderedObject, plan: Plan) -> None:
    from gpuspec.render.merge import MergeError
    from gpuspec.render.overrides import apply_override, both

    for override in plan.overrides:
        if any(rendered_object.kind == override.kind for rendered_object in both(obj)):
            try:
                apply_override(obj, override)
            except MergeError:
                continue  # it is said when the override is applied to the named run
