"""An apiVersion or a kind that the server does not have."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.schema import broken, notes, skew
from gpuspec.lint.context import Context
from gpuspec.lint.model import Confidence, Fix, Put, RawFinding, Rule
from gpuspec.manifests import format_path
from gpuspec.objects.objects import Object
from gpuspec.settings.severity import Severity
from gpuspec.validation import SchemaViolation, supported_versions, validate
from gpuspec.validation.custom import custom_kinds, is_known

RULE = Rule(
    "GPU013",
    "not-served",
    "error",
    "The API version or kind is not served by the cluster's Kubernetes version",
    fix="unsafe",
)

# Groups that projects have left, and when.
_LEFT = {"serving.kubeflow.org": ("serving.kserve.io", "KServe", "0.7")}
# Kinds under the bare `v1` that are no objects of Kubernetes: kubeconfigs, what kube-scheduler was
# configured by, and OpenShift's of old.
_FOREIGN = {
    "Policy",
    "Config",
    "Template",
    "DeploymentConfig",
    "BuildConfig",
    "ImageStream",
    "Route",
}
_WRITE = "write `apiVersion: "


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield kinds that neither the profile's Kubernetes version nor the bundled projects' releases
    have."""
    for violation in broken(obj, context, "not-served"):
        if not obj.group and (obj.kind in _FOREIGN or _is_configuration(obj, violation)):
            continue
        severity, confidence, doubt = _certainty(obj, context)
        hint, fix = _way(obj, violation, context)
        yield RawFinding(
            obj.path(*violation.path),
            f"{violation.message}: the API server rejects the object",
            note=notes(hint, doubt),
            fix=fix,
            severity=severity,
            confidence=confidence,
        )
    if obj.group in _LEFT:
        yield _left(obj)


def _is_configuration(obj: Object, violation: SchemaViolation) -> bool:
    """Return whether a program reads the document as its configuration, such as the
    `LDAPSyncConfig` of `oc adm groups sync` and the `AgentConfig` of OpenShift's installer: an object
    of an API has metadata, and one without a group is of `v1`."""
    is_object = "metadata" in obj.value and obj.version == "v1"
    return violation.path == ("kind",) and not is_object and violation.hint is None


def _certainty(obj: Object, context: Context) -> tuple[Severity | None, Confidence, str | None]:
    """Return severity and confidence: without a profile, the cluster may be of any version."""
    same = [custom_kind for custom_kind in custom_kinds() if custom_kind.kind == obj.kind]
    project = next((kind for kind in same if kind.api_version.startswith(f"{obj.group}/")), None)
    if project is not None:
        is_installed = context.cluster is not None and project.project in context.cluster.installed
        doubt = skew(project, context)
        if is_installed and doubt is None:
            return None, "certain", None
        return (
            "warning",
            "likely",
            doubt or "check the operator's release: another release may have the version",
        )
    served = [
        version for version in supported_versions() if is_known(obj.api_version, obj.kind, version)
    ]
    if context.cluster is None and served:
        return (
            "warning",
            "certain",
            f"name a profile with Kubernetes {' or '.join(served)} (`-c`) if the cluster runs it",
        )
    return None, "certain", None


def _way(
    obj: Object, violation: SchemaViolation, context: Context
) -> tuple[str | None, Fix | None]:
    """Return what to write instead, as a fix if the only version of the kind has the same fields."""
    hint = violation.hint
    if hint is None or not hint.startswith(_WRITE):
        return hint, None
    right = hint.removeprefix(_WRITE).removesuffix("`")
    wrong = validate({**obj.value, "apiVersion": right}, context.kubernetes, context.locations)
    for violation_here in wrong:
        if violation_here.reason == "unknown-field":
            field = format_path(violation_here.path)
            return f"rewrite the object for `{right}`, which has no field `{field}`", None
    if wrong:
        return hint, None
    return hint, Fix(f"write `{right}`", (Put(obj.path("apiVersion"), right),))


def _left(obj: Object) -> RawFinding:
    group, project, release = _LEFT[obj.group]
    homes = [
        custom_kind.api_version
        for custom_kind in custom_kinds()
        if custom_kind.kind == obj.kind and custom_kind.api_version.startswith(f"{group}/")
    ]
    return RawFinding(
        obj.path("apiVersion"),
        f"{project} moved from the group `{obj.group}` to `{group}` in {project} {release}: "
        "newer servers do not know the object",
        fix=Fix(f"write `{homes[-1]}`", (Put(obj.path("apiVersion"), homes[-1]),))
        if homes
        else None,
        severity="warning",
        confidence="likely",
    )
