"""A webhook that all pods of a cluster wait for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import items, mapping, text, whole
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU919",
    "webhook-stops-pods",
    "warning",
    "If a webhook is unavailable, no pod can be created in any namespace",
    fix="unsafe",
)

# The label that every namespace has; of others nobody knows whether system namespaces have them.
_NAME, _SYSTEM = "kubernetes.io/metadata.name", "kube-system"
_DEFAULT_WAIT = 10
"""The API server's default timeout in seconds."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield webhooks asked for every new pod, the cluster's own among them."""
    for index, hook in enumerate(map(mapping, items(obj.value.get("webhooks")))):
        if not _is_asked_for_pods(hook) or not _takes_system(hook.get("namespaceSelector")):
            continue
        path = obj.path("webhooks", index)
        everywhere = not hook.get("namespaceSelector")
        of = "of every namespace" if everywhere else f"of namespaces that include `{_SYSTEM}`"
        if (hook.get("failurePolicy") or "Fail") == "Fail":
            yield RawFinding(
                (*path, "failurePolicy"),
                f"webhook `{text(hook.get('name'))}` must answer for new pods {of}: while the "
                "webhook is down, these namespaces get no pod, not even the webhook's own or a "
                "GPU plugin's",
                note=f"exclude `{_SYSTEM}` and the webhook's own namespace with `namespaceSelector`, "
                "select pods with `objectSelector`, or set `failurePolicy: Ignore`",
                fix=_left_out(path, hook) if everywhere else None,
            )
        elif (wait := whole(hook.get("timeoutSeconds"), _DEFAULT_WAIT) or 0) > _DEFAULT_WAIT:
            yield RawFinding(
                (*path, "timeoutSeconds"),
                f"every new pod {of} waits {wait} s while webhook `{text(hook.get('name'))}` is "
                "down",
                note=f"set `timeoutSeconds` to a few seconds: the default is {_DEFAULT_WAIT}",
                severity="info",
            )


def _is_asked_for_pods(hook: dict[str, Any]) -> bool:
    """Return whether it is called for the creation of any pod; conditions and object selectors
    restrict it."""
    if hook.get("objectSelector") or hook.get("matchConditions"):
        return False
    return any(
        _holds(rule, "operations", "CREATE")
        and _holds(rule, "apiGroups", "")
        and (_holds(rule, "resources", "pods") or "*/*" in items(rule.get("resources")))
        for rule in map(mapping, items(hook.get("rules")))
    )


def _holds(rule: dict[str, Any], field: str, word: str) -> bool:
    return not {"*", word}.isdisjoint(
        entry for entry in items(rule.get(field)) if isinstance(entry, str)
    )


def _takes_system(selector: object) -> bool:
    """Return whether a selector of namespaces takes `kube-system`, as far as its one known label
    tells."""
    label_selector = mapping(selector)
    if any(
        key != _NAME or value != _SYSTEM
        for key, value in mapping(label_selector.get("matchLabels")).items()
    ):
        return False
    return all(_meets_system(mapping(row)) for row in items(label_selector.get("matchExpressions")))


def _meets_system(row: dict[str, Any]) -> bool:
    if row.get("key") != _NAME:
        return False
    names_system = _SYSTEM in items(row.get("values"))
    match row.get("operator"):
        case "In":
            return names_system
        case "NotIn":
            return not names_system
        case operator:
            return operator == "Exists"


def _left_out(path: tuple[str | int, ...], hook: dict[str, Any]) -> Fix:
    namespace = text(mapping(mapping(hook.get("clientConfig")).get("service")).get("namespace"))
    names = [_SYSTEM, *([namespace] if namespace and namespace != _SYSTEM else [])]
    row = {"key": _NAME, "operator": "NotIn", "values": names}
    return Fix(
        f"leave {' and '.join(f'`{name}`' for name in names)} out",
        (Put((*path, "namespaceSelector"), {"matchExpressions": [row]}),),
    )
