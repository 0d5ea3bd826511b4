"""All steps from a workload and a profile to valid objects."""

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
    """Choose the target (`target` overrides spec and profile), plan, lay out, override and
    validate.

    Raises `InputError` for an invalid override, template or name, `Refusal` if the workload cannot
    run on the profile, and `InternalError` if gpuspec's own output is invalid.
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
    """Return the plan. A run without a name is named by a digest of its spec, which is laid out
    without a name first; the same applies to an object that contains its pods."""
    digest = templates.digest(*_in_force(choice, templates))
    plan = resolve(resolution, choice, digest)
    if not by_digest(plan.name) and not choice.target.holder:
        return plan
    return resolve(resolution, choice, digest, _run_digest(plan, choice, templates))


def _in_force(choice: ChosenTarget, templates: Templates) -> list[str]:
    """Return the templates of objects, without those of other targets."""
    others = {name for name in target_names() if name != choice.target.name}
    return [name for name in templates.names if _whose(name) not in others]


def _whose(template: str) -> str:
    """Return the target and object of a target's template: `<target>.yaml.j2`,
    `<target>-<object>.yaml.j2`."""
    return template.removesuffix(f".yaml{ENDING}").partition("-")[0]


def _run_digest(plan: Plan, choice: ChosenTarget, templates: Templates) -> str:
    """Return the digest of an unnamed run's spec, overrides included; every change of it needs a
    new run."""
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
