"""Objects of the core group other than pods, Services, volumes and nodes.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/core/validation/validation.go.
"""

from __future__ import annotations

import binascii
import json
from typing import TYPE_CHECKING, Any

from gpuspec.numbers import INT64
from gpuspec.validation.apiserver import resources, selectors
from gpuspec.validation.apiserver.controlled import endless
from gpuspec.validation.apiserver.reading import (
    amount,
    inner,
    maps,
    named,
    or_zero,
    refused,
    size,
    too_large,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_LARGEST = 1024 * 1024
"""The most bytes of a Secret or a ConfigMap."""
_COMPUTE = {
    "pods",
    "cpu",
    "memory",
    "limits.cpu",
    "limits.memory",
    "requests.cpu",
    "requests.memory",
}
_OF_SCOPE = dict.fromkeys(
    (
        "Terminating",
        "NotTerminating",
        "NotBestEffort",
        "PriorityClass",
        "CrossNamespacePodAffinity",
    ),
    _COMPUTE,
)
_OF_SCOPE |= {
    "BestEffort": {"pods"},
    "VolumeAttributesClass": {"persistentvolumeclaims", "requests.storage"},
}
_BARE = {
    "BestEffort",
    "NotBestEffort",
    "Terminating",
    "NotTerminating",
    "CrossNamespacePodAffinity",
}
_PAIRS = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))


def controller(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a ReplicationController selects the pods of its template; by default it selects
    their labels.
    """
    labels, selector = inner(spec, *selectors.LABELS), inner(spec, "selector")
    if not selector and not labels:
        yield refused(("selector",), "it is missing, and the template has no labels")
    elif violation := selectors.of_template({**spec, "selector": {"matchLabels": selector}}):
        yield violation
    yield from endless(spec, version)


def limit(item: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that limits are in order, and of known resources."""
    kind = item.get("type")
    of_pod = kind == "Pod"
    for field in ("default", "defaultRequest"):
        if of_pod and item.get(field):
            yield refused((field,), "it cannot be set with `type: Pod`")
    if kind == "PersistentVolumeClaim" and not any(
        "storage" in inner(item, field) for field in ("min", "max")
    ):
        yield refused(
            ("min", "storage"), "it is missing, and so is `max.storage`: a claim needs one of them"
        )
    yield from _resource_names(item, kind)
    yield from _ordered(item, of_pod)
    yield from _ratios(item)


def quota(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a quota counts only what its scopes allow."""
    for name, item in inner(spec, "hard").items():
        yield from resources.counted(name, item, ("hard", name))
    scopes = [(("scopes", number), scope) for number, scope in enumerate(spec.get("scopes") or ())]
    selected = [
        (("scopeSelector", "matchExpressions", number), match_expression.get("scopeName"))
        for number, match_expression in maps(inner(spec, "scopeSelector"), "matchExpressions")
    ]
    for item in (scopes, selected):
        for path, scope in item:
            if (right := _OF_SCOPE.get(scope or "")) is not None:
                for name in inner(spec, "hard"):
                    if "/" not in name and name not in right:
                        yield refused(path, f"`{scope}` does not count `{name}`")
        names = {scope for _, scope in item}
        for pair in _PAIRS:
            if names.issuperset(pair):
                yield refused(item[0][0][:-1], f"{named(pair)} exclude each other")


def scope(requirement: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the operators of scopes, of which most take no values."""
    if requirement.get("scopeName") in _BARE and requirement.get("operator") != "Exists":
        message = f"expected `Exists`: `{requirement['scopeName']}` takes no values"
        yield refused(("operator",), message)


def config_map(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that each key exists once, and that the data are not too large."""
    data, binary = inner(value, "data"), inner(value, "binaryData")
    for key in data:
        if key in binary:
            yield refused(("data", key), "`binaryData` has this key too")
    total_length = size(data.values()) + sum(map(_length, binary.values()))
    yield from too_large((), total_length, _LARGEST)


def secret(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a Secret has the keys that its type needs."""
    data, texts = inner(value, "data"), inner(value, "stringData")
    total_length = sum(_length(text) for key, text in data.items() if key not in texts)
    yield from too_large(("data",), total_length + size(texts.values()), _LARGEST)
    keys = data.keys() | texts.keys()
    match value.get("type"):
        case "kubernetes.io/service-account-token":
            field = "kubernetes.io/service-account.name"
            if not inner(value, "metadata", "annotations").get(field):
                yield refused(("metadata", "annotations", field), "it is missing")
        case "kubernetes.io/dockercfg":
            yield from _json(data, texts, ".dockercfg")
        case "kubernetes.io/dockerconfigjson":
            yield from _json(data, texts, ".dockerconfigjson")
        case "kubernetes.io/basic-auth" if not keys & {"username", "password"}:
            yield refused(
                ("data", "username"),
                "it is missing, and so is `password`: the type needs one of them",
            )
        case "kubernetes.io/ssh-auth" if not (data | texts).get("ssh-privatekey"):
            yield refused(("data", "ssh-privatekey"), "it is missing")
        case "kubernetes.io/tls":
            for key in ("tls.crt", "tls.key"):
                if key not in keys:
                    yield refused(("data", key), "it is missing")


def _json(data: Map, texts: Map, key: str) -> Iterator[SchemaViolation]:
    if key not in data and key not in texts:
        yield refused(("data", key), "it is missing")
        return
    path = ("stringData", key) if key in texts else ("data", key)
    try:
        text = (texts[key] or "") if key in texts else binascii.a2b_base64(data[key] or "")
        right = isinstance(json.loads(text), dict | None)
    except ValueError:
        right = False
    except RecursionError:
        right = True  # which Go reads ten times deeper than Python
    if not right:
        yield refused(path, "not a JSON object")


def _length(text: str | None) -> int:
    bare = (text or "").replace("\n", "").replace("\r", "")
    return len(bare) // 4 * 3 - bare.count("=")


def _resource_names(item: Map, kind: Any) -> Iterator[SchemaViolation]:
    problem_of = resources.of_containers if kind in ("Pod", "Container") else resources.standard
    for field in ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio"):
        for name in inner(item, field):
            if problem := problem_of(name):
                yield refused((field, name), problem)


def _ordered(item: Map, of_pod: bool) -> Iterator[SchemaViolation]:
    fields = ("min", "max") if of_pod else ("min", "defaultRequest", "default", "max")
    for index, low in enumerate(fields):
        for high in fields[index + 1 :]:
            above = inner(item, high)
            for name, value in inner(item, low).items():
                if name not in above:
                    continue
                least, most = or_zero(value), or_zero(above[name])
                if least is not None and most is not None and least > most:
                    field = high if low == "min" and high != "max" else low
                    yield refused((field, name), f"`{low}.{name}` is above `{high}.{name}`")


def _ratios(item: Map) -> Iterator[SchemaViolation]:
    for name, value in inner(item, "maxLimitRequestRatio").items():
        ratio = or_zero(value)
        least, most = (amount(inner(item, field).get(name)) for field in ("min", "max"))
        path = ("maxLimitRequestRatio", name)
        if ratio is None or ratio > INT64:
            continue  # a server reads 0, where no whole number is so large
        if ratio < 1:
            yield refused(path, "expected a ratio of at least 1")
        elif least and most and ratio.int_value > most.value / least.value:
            yield refused(path, f"it is above `max.{name}` divided by `min.{name}`")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.ConfigMap": (config_map,),
    "core.v1.LimitRangeItem": (limit,),
    "core.v1.ReplicationControllerSpec": (controller,),
    "core.v1.ResourceQuotaSpec": (quota,),
    "core.v1.ScopedResourceSelectorRequirement": (scope,),
    "core.v1.Secret": (secret,),
}
