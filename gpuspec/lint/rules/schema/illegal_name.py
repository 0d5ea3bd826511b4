"""A name or a label that Kubernetes does not allow, or that becomes too long."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from gpuspec.lint.analysis.reading.kustomizations import may_be_named
from gpuspec.lint.analysis.reading.naming import form_of, made_from
from gpuspec.lint.analysis.reading.naming import port_name as any_port_name
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import blank_name, placeholder
from gpuspec.manifests import Path, dns_subdomain
from gpuspec.manifests import dns_label as any_dns_label
from gpuspec.manifests import label_key as any_label_key
from gpuspec.manifests import label_value as any_label_value
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU014",
    "illegal-name",
    "error",
    "A name or label is invalid, or becomes too long",
)

# What programs read from files, by rules of their own, and no API server does.
_OF_FILES = frozenset({"eksctl.io", "kind.x-k8s.io", "kubeadm.k8s.io"})
_REJECTED = "the API server rejects the object"
# A run meets the same labels and names over and over.
dns_label = lru_cache(4096)(any_dns_label)
label_key = lru_cache(4096)(any_label_key)
label_value = lru_cache(4096)(any_label_value)
port_name = lru_cache(4096)(any_port_name)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield invalid labels, and invalid names of the object, of derived objects, and in its pods."""
    yield from _own(obj, context)
    if labels := mapping(obj.metadata.get("labels")):
        yield from _labels(labels, obj.path("metadata", "labels"))
    if annotations := mapping(obj.metadata.get("annotations")):
        yield from _keys(annotations, obj.path("metadata", "annotations"), any_case=True)
    if selector := mapping(mapping(obj.spec.get("selector")).get("matchLabels")):
        yield from _labels(selector, obj.path("spec", "selector", "matchLabels"))
    for pod in () if obj.traits.substitutes else obj.pods:
        yield from _in_pod(pod)


def _own(obj: Object, context: Context) -> Iterator[RawFinding]:
    field = "name" if obj.metadata.get("name") else "generateName"
    name, path = obj.metadata.get(field), obj.path("metadata", field)
    if not isinstance(name, str) or not name or blank_name(name):
        return
    if obj.group in _OF_FILES:
        return
    form = form_of(obj, context.kubernetes)
    # A name that is to be generated has more behind it.
    wrong = form(name if field == "name" else f"{name}x") if form else None
    if wrong is not None:
        if not may_be_named(obj, ("metadata", field), context.collection):
            # What an operator is stricter about, the API server may take.
            consequence = _REJECTED if dns_subdomain(name) else obj.traits.naming.refused
            yield _refused(path, "the name", name, wrong, consequence=consequence)
        return
    for invalid_name in made_from(obj):
        yield RawFinding(
            obj.path(*invalid_name.part) if invalid_name.part else path,
            f"{invalid_name.what}, `{invalid_name.name}`, {invalid_name.wrong}: "
            + (
                "the API server rejects it"
                if invalid_name.surely
                else "its pods may never be created"
            ),
            note="write a shorter name",
            severity=None if invalid_name.surely else "warning",
            confidence="certain" if invalid_name.surely else "likely",
        )


def _in_pod(pod: Pod) -> Iterator[RawFinding]:
    if pod.metadata_path is not None and pod.metadata_path != pod.object.path("metadata"):
        if labels := mapping(pod.metadata.get("labels")):
            yield from _labels(labels, (*pod.metadata_path, "labels"))
        if annotations := mapping(pod.metadata.get("annotations")):
            yield from _keys(annotations, (*pod.metadata_path, "annotations"), any_case=True)
    if selector := mapping(pod.spec.get("nodeSelector")):
        yield from _labels(selector, pod.path("nodeSelector"))
    for field in ("initContainers", "containers", "volumes"):
        for index, entry in enumerate(items(pod.spec.get(field))):
            if not isinstance(entry, dict):
                continue
            name = entry.get("name")
            if isinstance(name, str) and (wrong := dns_label(name)) and not placeholder(name):
                yield _refused(pod.path(field, index, "name"), "the name", name, wrong)
            for number, port in enumerate(items(entry.get("ports"))):
                called = mapping(port).get("name")
                if isinstance(called, str) and called and (wrong := port_name(called)):
                    path = pod.path(field, index, "ports", number, "name")
                    yield _refused(path, "the port's name", called, wrong)


def _labels(labels: dict[str, Any], path: Path) -> Iterator[RawFinding]:
    for key, value in labels.items():
        if isinstance(value, str) and (wrong := label_value(value)) and not placeholder(value):
            yield _refused((*path, key), "the label value", value, wrong)
    yield from _keys(labels, path)


def _keys(entries: dict[str, Any], path: Path, *, any_case: bool = False) -> Iterator[RawFinding]:
    """Yield keys that are not allowed; those of annotations may be of `any_case`."""
    for key in entries:
        if (wrong := label_key(key.lower() if any_case else key)) and not placeholder(key):
            yield _refused((*path, key), "the key", key, wrong, key=True)


_EACH = ", and each part between dots must begin and end with"
_DO_EACH = ", and begin and end each part between dots with"


def _refused(
    path: Path,
    noun: str,
    value: str,
    wrong: str,
    *,
    consequence: str = _REJECTED,
    key: bool = False,
) -> RawFinding:
    """Return a finding that names the first sign that is not allowed."""
    reason, is_sign, allowed = wrong.partition("may hold only ")
    note = None
    if is_sign:
        # A key has the part in question first: `has 'a b' after '/', which `.
        part = reason.split("'")[1] if reason else value
        odd = next((sign for sign in part if not _is_allowed(sign, allowed)), None)
        where = " after the `/`" if " after '/'" in reason else " before the `/`" if reason else ""
        wrong = (
            "begins or ends with another sign than a letter or digit"
            if odd is None
            else f"contains `{odd}`"
        )
        wrong, note = (
            wrong + where,
            f"use only {allowed.replace(_EACH, _DO_EACH).replace(', and must ', '; ')}",
        )
    elif "characters long" in wrong:
        note = "write a shorter name"
    return RawFinding(path, f"{noun} `{value}` {wrong}: {consequence}", note=note, key=key)


def _is_allowed(sign: str, allowed: str) -> bool:
    if sign.isascii() and sign.isalnum():
        return not sign.isupper() or allowed.startswith("letters")
    return f"'{sign}'" in allowed
