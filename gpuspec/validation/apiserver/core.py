"""Pods: scheduling, DNS and metadata.

Source: k8s.io/kubernetes, pkg/apis/core/validation/validation.go, `validatePodMetadataAndSpec`,
`ValidatePodSpec`, `ValidatePodTemplateSpec`. Containers, resources, volumes and security contexts
have files of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests import dns_subdomain, label_value
from gpuspec.numbers import read_signed
from gpuspec.validation.apiserver.addresses import ip
from gpuspec.validation.apiserver.reading import inner, is_old, maps, refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_LONGEST_SEARCH = 2048
_LONGEST_NAME = 253


def pod(one: Map, version: str) -> Iterator[SchemaViolation]:
    """Check what only a pod must keep to, not a template."""
    spec = one.get("spec") or {}
    if spec.get("nodeName") and spec.get("schedulingGates"):
        yield refused(("spec", "nodeName"), "a pod with `schedulingGates` cannot have a node")
    if spec.get("volumes"):
        yield from _volumes(inner(one, "metadata").get("name") or "", spec, version)
    for field in ("containers", "initContainers"):
        for index, container in maps(spec, field):
            image = container.get("image")
            if image and image != image.strip():
                yield refused(
                    ("spec", field, index, "image"),
                    "spaces before or after the value are not allowed",
                )
    labels = inner(one, "metadata", "labels")
    for path, term in _terms(spec):
        yield from _selected(term, ("spec", *path), labels)


def _volumes(name: str, spec: Map, version: str) -> Iterator[SchemaViolation]:
    ephemeral_claims = {
        f"{name}-{volume.get('name')}"
        for _, volume in maps(spec, "volumes")
        if name and volume.get("ephemeral") is not None
    }
    for index, volume in maps(spec, "volumes"):
        path: Path = ("spec", "volumes", index)
        if (
            volume.get("ephemeral") is not None
            and len(f"{name}-{volume.get('name')}") > _LONGEST_NAME
        ):
            yield refused(
                (*path, "name"), "with the pod's name before it, it is too long for a claim"
            )
        if inner(volume, "persistentVolumeClaim").get("claimName") in ephemeral_claims:
            path = (*path, "persistentVolumeClaim", "claimName")
            yield refused(path, "another volume of this pod makes a claim of that name")
        if is_old(version) and volume.get("image") and not volume["image"].get("reference"):
            yield refused((*path, "image", "reference"), "`reference` is missing")
        if not spec.get("serviceAccountName") and not spec.get("serviceAccount"):
            for number, source in maps(inner(volume, "projected"), "sources"):
                if source.get("serviceAccountToken") is not None:
                    yield refused(
                        (*path, "projected", "sources", number, "serviceAccountToken"),
                        "it needs the pod's `serviceAccountName`",
                    )


def dns(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that name servers are addresses, and are set if the cluster's are not used."""
    config = spec.get("dnsConfig")
    if spec.get("dnsPolicy") == "None" and not (config or {}).get("nameservers"):
        path = ("dnsConfig",) if config is None else ("dnsConfig", "nameservers")
        message = f"`{path[-1]}` is missing, but `dnsPolicy: None` needs it"
        yield refused(path, message, lacking=True)
    for index, server in enumerate((config or {}).get("nameservers") or ()):
        if wrong := ip(server or "", version):
            yield refused(("dnsConfig", "nameservers", index), wrong)
    searches = (config or {}).get("searches")
    if searches and len(" ".join(search or "" for search in searches)) > _LONGEST_SEARCH:
        yield refused(
            ("dnsConfig", "searches"),
            f"together the search domains are longer than {_LONGEST_SEARCH} characters",
        )
    for index, search in enumerate(searches or ()):
        if len((search or "").removesuffix(".")) > _LONGEST_NAME:
            message = f"expected at most {_LONGEST_NAME} characters before a final dot"
            yield refused(("dnsConfig", "searches", index), message)
    for index, alias in maps(spec, "hostAliases"):
        if alias.get("ip") and (wrong := ip(alias["ip"], version)):
            yield refused(("hostAliases", index, "ip"), wrong)


def account(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the older field of the service account, which counts if the newer one is absent."""
    older = spec.get("serviceAccount")
    if older and not spec.get("serviceAccountName") and (problem := dns_subdomain(older)):
        yield refused(("serviceAccount",), f"it {problem}")


def toleration(one: Map, version: str) -> Iterator[SchemaViolation]:
    """Check a toleration's key, value and time."""
    operator = one.get("operator") or "Equal"
    value = one.get("value") or ""
    if not one.get("key") and operator != "Exists":
        yield refused(("operator",), "without `key`, expected `Exists`, which tolerates all keys")
    if one.get("tolerationSeconds") is not None and one.get("effect") != "NoExecute":
        yield refused((), "`tolerationSeconds` needs `effect: NoExecute`")
    if operator == "Exists" and value:
        yield refused((), "`operator: Exists` cannot have a `value`")
    elif operator in ("Gt", "Lt") and not _is_whole(value):
        # Whether a server knows the operator, a feature gate decides; if it does, it refuses the value.
        yield refused(
            ("operator",), f"`{operator}` compares whole numbers, but `value: {value}` is not one"
        )
    elif operator == "Equal" and (problem := label_value(value)):
        yield refused((), f"`value: {value}` {problem}")


def _is_whole(text: str) -> bool:
    number = read_signed(text)
    return number is not None and str(number) == text


def requirement(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a comparison has exactly one number."""
    if value.get("operator") in ("Gt", "Lt") and len(value.get("values") or ()) > 1:
        yield refused(("values",), f"`operator: {value['operator']}` needs exactly one value")


def spread(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Yield constraints that a later one repeats."""
    if not spec.get("topologySpreadConstraints"):
        return
    every = [
        (index, constraint.get("topologyKey"), constraint.get("whenUnsatisfiable"))
        for index, constraint in maps(spec, "topologySpreadConstraints")
    ]
    for at, (index, *kind) in enumerate(every):
        if any(kind == other_constraint for _, *other_constraint in every[at + 1 :]):
            yield refused(
                ("topologySpreadConstraints", index),
                "another constraint has this `topologyKey` and `whenUnsatisfiable` too",
            )


def selection(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that keys of the pod's own labels extend a selector that does not have them yet."""
    for path, term in _terms(spec):
        for field in ("matchLabelKeys", "mismatchLabelKeys"):
            if term.get(field) and term.get("labelSelector") is None:
                yield refused((*path, field), "it needs a `labelSelector`", lacking=True)
        others = term.get("mismatchLabelKeys") or ()
        for index, key in enumerate(term.get("matchLabelKeys") or () if others else ()):
            if key in others:
                yield refused(
                    (*path, "matchLabelKeys", index), "`mismatchLabelKeys` has this key too"
                )
        yield from _selected(term, path, {})


def _selected(term: Map, path: Path, labels: Mapping[str, object]) -> Iterator[SchemaViolation]:
    """Check a pod's selectors: a server adds the pod's labels to them under the keys of
    `matchLabelKeys`.
    """
    keys = term.get("matchLabelKeys")
    selector = term.get("labelSelector")
    if not keys or selector is None:
        return
    match_labels = set(selector.get("matchLabels") or ())
    said = [
        match_expression.get("key") for _, match_expression in maps(selector, "matchExpressions")
    ]
    added = [key for key in keys if key in labels]
    for index, key in enumerate([*said, *added]):
        if key in keys and key in match_labels and bool(labels) == (index >= len(said)):
            yield refused(path, f"`labelSelector` and `matchLabelKeys` both have `{key}`")
        match_labels.add(key)


def _terms(spec: Map) -> Iterator[tuple[Path, Map]]:
    """Yield each term that selects pods by labels of the pod itself."""
    for index, term in maps(spec, "topologySpreadConstraints"):
        yield ("topologySpreadConstraints", index), term
    for kind in ("podAffinity", "podAntiAffinity") if spec.get("affinity") else ():
        affinity = inner(spec, "affinity", kind)
        field = "requiredDuringSchedulingIgnoredDuringExecution"
        for index, term in maps(affinity, field):
            yield ("affinity", kind, field, index), term
        field = "preferredDuringSchedulingIgnoredDuringExecution"
        for index, term in maps(affinity, field):
            if term.get("podAffinityTerm"):
                path = ("affinity", kind, field, index, "podAffinityTerm")
                yield path, term["podAffinityTerm"]


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.NodeSelectorRequirement": (requirement,),
    "core.v1.Pod": (pod,),
    "core.v1.PodSpec": (dns, account, spread, selection),
    "core.v1.Toleration": (toleration,),
}
