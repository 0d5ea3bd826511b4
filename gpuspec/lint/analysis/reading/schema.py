"""Violations of schemas, for rules."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpuspec.lint.analysis.reading.kustomizations import (
    is_base,
    may_be_labelled,
    may_be_named,
    may_be_patched,
)
from gpuspec.loading.placeholders import blank_name, placeholder
from gpuspec.loading.substitutions import GROUP as FLUX
from gpuspec.manifests import Path, format_path
from gpuspec.manifests.values import at
from gpuspec.numbers import read_version
from gpuspec.validation import validate
from gpuspec.validation.custom import custom_kinds
from gpuspec.validation.former import last_release, may_be_installed

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.lint.model import Change, Confidence
    from gpuspec.objects.objects import Object
    from gpuspec.settings.severity import Severity
    from gpuspec.validation import Reason, SchemaViolation
    from gpuspec.validation.custom import CustomKind

_AMOUNTS = ("a quantity", "an integer", "a number", "a boolean")
_OF_FLUXES = (FLUX, "helm.toolkit.fluxcd.io")
_OF_FLUX = ("interval", "prune", "sourceRef")
_OF_RELEASES = ("interval", "chart", "chartRef")
_OF_SERVICES = ("ports", "selector", "externalName", "clusterIP")
_NAMES = ("a name", "a port's name", "text that matches", "it may hold only")
# What no word in upper case can be: such a word stands for a value.
_NO_WORDS = ("a quantity", "an integer", "a number", "a port's name", "text in base64")
_FROM_VAULT = "<path:"
"""The start of what Argo CD's Vault plugin fills in, `<path:FOLDER#KEY | FUNCTION>`."""
_WORD = re.compile("[A-Z]{3,}(_[A-Z0-9]+)*")
_EXPECTED = "expected "
# A count with its noun: the field has that many.
_A_NUMBER_OF = re.compile(r"(at (most|least) )?(only one|one|two|[0-9]+( to [0-9]+)?) [a-z`]")
# The form of a message, and what to write; FIELD is the field's name. The first form counts.
_ADVICE = (
    (f"^{_EXPECTED}(.+?)(, (not|because|which|the|since|so) |: |$)", r"write \1"),
    ("^only (one of .+) can be set", r"remove \1"),
    ("^(one of .+) must be set", r"set \1"),
    (" is missing", "set FIELD"),
    ("(cannot|can only) be set|is not allowed|cannot be true|are ignored", "remove FIELD"),
    ("needs (`[^`]+: [^`]+`)$", r"set \1, or remove FIELD"),
    ("another .+ has `([^`:]+): ", r"write another value of `\1` in one of the two"),
    (" (too|twice|exclude each other)$", "remove one of the two"),
    ("has no (volume|container|claim|request) (`[^`]+`)", r"correct the name, or add \1 \2"),
)
# Projects that profiles call otherwise than the bundles do.
_INSTALLED = {"kubeflow-training-operator-v1": "training-operator"}


def broken(obj: Object, context: Context, *reasons: Reason) -> list[SchemaViolation]:
    """Return violations of an object's schema, for some reasons. Paths are from the object.

    An unfilled placeholder is left out: another rule reports it. So is what a patch may correct.
    """
    every = context.violations(obj)
    if not every:
        return []
    return [
        violation
        for violation in every
        if violation.reason in reasons
        and blank(obj, violation) is None
        and (violation.reason == "unknown-field" or not _is_open(obj, violation, context))
    ]


def _is_open(obj: Object, violation: SchemaViolation, context: Context) -> bool:
    """Return whether a field may get another value before the API server validates the object: from
    a patch or a plugin, or, if only a part of an object is applied, from the live object."""
    value = at(obj.value, violation.path)
    if isinstance(value, str) and value.startswith(_FROM_VAULT):
        return True
    is_absent = value is None
    return (
        (is_absent and is_part_of_live(obj))
        or (is_absent and obj.group in _OF_FLUXES and is_base(obj, context.collection))
        or may_be_patched(obj, violation.path, context.collection)
        or may_be_named(obj, violation.path, context.collection)
        or may_be_labelled(obj, violation.path, context.collection)
    )


def is_part_of_live(obj: Object) -> bool:
    """Return whether an object has too few fields to be created: a Service without ports and
    selector, a workload without selector and images, a Flux Kustomization without two of its
    required fields, a HelmRelease of values alone. Server-side apply merges it into a live object; Flux's patches complete it."""
    spec = obj.spec
    if obj.is_a(FLUX, "Kustomization"):
        return sum(field not in spec for field in _OF_FLUX) > 1
    if obj.is_a("helm.toolkit.fluxcd.io", "HelmRelease"):
        return bool(spec) and not any(spec.get(field) for field in _OF_RELEASES)
    if obj.is_a("", "Service"):
        return bool(spec) and not any(spec.get(field) for field in _OF_SERVICES)
    if not obj.is_a("apps", "Deployment", "DaemonSet", "StatefulSet") or spec.get("selector"):
        return False
    containers = [container for pod in obj.pods for container in pod.containers]
    return bool(containers) and not any(container.image for container in containers)


def blank(obj: Object, violation: SchemaViolation) -> str | None:
    """Return the placeholder that is the cause of a wrong value; None for any other cause.

    For an amount or a name, `NUMBER_OF_GPUS` is a placeholder too. In a mapping, any of its strings
    may be the cause.
    """
    if violation.reason not in ("wrong-type", "wrong-value", "refused"):
        return None
    value = at(obj.value, violation.path)
    if isinstance(value, dict):
        if violation.reason == "wrong-type" and list(value.values()) == [None]:
            # `{name}` without quotes: YAML reads a map.
            return f"{{{next(iter(value))}}}"
        return next(filter(None, map(placeholder, value.values())), None)
    expected = violation.expected or violation.message.removeprefix(_EXPECTED)
    if expected.startswith(_NO_WORDS) and isinstance(value, str) and _WORD.fullmatch(value):
        return value
    return blank_name(value) if expected.startswith((*_AMOUNTS, *_NAMES)) else placeholder(value)


def stays_taken(obj: Object, changes: tuple[Change, ...], context: Context) -> bool:
    """Return whether a change of the object causes no new violation."""
    from gpuspec.lint.fixing.changes import NoFixError, planned

    own_changes = tuple(replace(change, path=change.path[len(obj.base) :]) for change in changes)
    try:
        after = planned(obj.value, own_changes)[1]
    except NoFixError:
        return False
    before = Counter(map(_refusal, context.violations(obj)))
    return (
        not Counter(map(_refusal, validate(after, context.kubernetes, context.locations))) - before
    )


def _refusal(violation: SchemaViolation) -> tuple[str, ...]:
    """Return reason and fields; indexes of items change if an earlier one is removed."""
    return (violation.reason, *(step for step in violation.path if isinstance(step, str)))


def field(path: Path) -> str:
    """Return a field's short name: the last key of its path, with what follows."""
    if not path:
        return "the object"
    words = (
        at
        for at in range(len(path) - 1, -1, -1)
        if isinstance(step := path[at], str) and step.isidentifier()
    )
    return f"`{format_path(path[next(words, 0) :])}`"


def fault(path: Path, message: str) -> str:
    """Return the fault of a field as one clause that names the field once, without a second colon
    if possible."""
    name = field(path)
    if message.startswith(_EXPECTED):
        rest = message.removeprefix(_EXPECTED)
        verb = "have" if _A_NUMBER_OF.match(rest) else "be"
        return f"{name} must {verb} {rest}"
    if message.startswith(f"{name} "):
        return message
    if message.startswith("it "):
        return f"{name} {message.removeprefix('it ')}"
    return f"{name}: {message}"


def advice(violation: SchemaViolation) -> str | None:
    """Return what to write, if the message of a violation alone tells it."""
    for pattern, words in _ADVICE:
        if match := re.search(pattern, violation.message):
            return match.expand(words).replace("FIELD", field(violation.path))
    return None


def custom(obj: Object) -> CustomKind | None:
    """Return the project of an object's kind; None for Kubernetes' own."""
    for kind in custom_kinds() if "." in obj.group else ():
        if (kind.api_version, kind.kind) == (obj.api_version, obj.kind):
            return kind
    return None


def _there(custom_kind: CustomKind, context: Context) -> str | None:
    """Return the release of a kind's project on the profile's cluster."""
    if context.cluster is None:
        return None
    return context.cluster.installed.get(_INSTALLED.get(custom_kind.project, custom_kind.project))


def _of_project(project: str) -> CustomKind | None:
    return next(
        (custom_kind for custom_kind in custom_kinds() if custom_kind.project == project), None
    )


def skew(custom_kind: CustomKind, context: Context) -> str | None:
    """Return the words for a cluster whose release differs from the schema's; None if it does
    not."""
    cluster_release = _there(custom_kind, context)
    if cluster_release is None or _minor(cluster_release) == _minor(custom_kind.release):
        return None
    return f"the schema is of {custom_kind.project} {custom_kind.release}, the profile has {cluster_release}"


def certainty(
    obj: Object, context: Context, violation: SchemaViolation | None = None
) -> tuple[Severity | None, Confidence, str | None]:
    """Return how certain a violation is: for a custom kind, whether the cluster's release is the
    schema's; for an operator's check, whether its code of this release was read.

    Severity (None: the rule's own), confidence, and a note on a doubt.
    """
    if violation is not None and violation.in_pod:
        if violation.doubt is None:
            return None, "certain", None
        return "warning", "likely", violation.doubt
    if context.is_located(obj) and (violation is None or not violation.outer):
        return None, "certain", None  # whose schema it is knows the cluster
    custom_kind = (
        _of_project(violation.project)
        if violation is not None and violation.project
        else custom(obj)
    )
    if custom_kind is None:
        return None, "certain", None
    doubt = skew(custom_kind, context) or _written_for_earlier(obj, custom_kind, violation, context)
    if doubt is None or (
        violation is not None and violation.outer and _is_read(custom_kind, context)
    ):
        return None, "certain", None
    return "warning", "likely", doubt


def earlier_release(obj: Object, violation: SchemaViolation) -> str | None:
    """Return the words for an unknown field that an earlier release of the project has."""
    custom_kind = custom(obj)
    release = None if custom_kind is None else last_release(custom_kind, violation.path)
    if custom_kind is None or release is None:
        return None
    return f"{custom_kind.project} {release} is the last release with the field"


def _written_for_earlier(
    obj: Object, custom_kind: CustomKind, violation: SchemaViolation | None, context: Context
) -> str | None:
    """Return the words for an object with a field of an earlier release, which a cluster of unknown
    release may have; None for any other object. The violation's own field is named first."""
    if _there(custom_kind, context) is not None:
        return None
    fields = [unknown.path for unknown in broken(obj, context, "unknown-field")]
    if violation is not None and violation.path in fields:
        fields.insert(0, violation.path)
    for path in fields:
        if may_be_installed(custom_kind, path):
            release = f"{custom_kind.project} {last_release(custom_kind, path)}"
            return (
                f"check the release: {release} has `{format_path(path)}`, the schema is of "
                f"{custom_kind.release}"
            )
    return None


def _is_read(custom_kind: CustomKind, context: Context) -> bool:
    """Return whether the operator that a cluster has is the one whose code was read."""
    from gpuspec.validation.operators import read_in

    return read_version(_there(custom_kind, context) or "")[:2] == read_in(custom_kind.project)


def unheld(obj: Object, context: Context) -> str | None:
    """Return the words for a custom kind if the project's release on the cluster is unknown."""
    custom_kind = custom(obj)
    if custom_kind is None or context.is_located(obj):
        return None
    if _there(custom_kind, context) is not None:
        return None
    return (
        f"check the release: the schema is of {custom_kind.project} {custom_kind.release}, and another "
        "release may have the field"
    )


def notes(*parts: str | None) -> str | None:
    """Return the non-empty sentences, one per line."""
    return "\n".join(part for part in parts if part) or None


def _minor(version: str) -> tuple[str, ...]:
    return tuple(version.removeprefix("v").split(".")[:2])
