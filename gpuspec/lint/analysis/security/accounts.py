"""ServiceAccounts, their roles, and the permissions of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from gpuspec.lint.analysis.reading.kustomizations import is_changed
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection, same_namespace
from gpuspec.objects.namespaced import NamespacedIndex
from gpuspec.objects.objects import Object

RBAC = "rbac.authorization.k8s.io"
_USER = "system:serviceaccount:"
_ALL_OF = "system:serviceaccounts:"
_ALL = ("system:serviceaccounts", "system:authenticated")
_EVERY = ""
"""The name that stands for every account."""


class Grant(msgspec.Struct, frozen=True):
    """One rule of a role that is bound to an account."""

    role: Object
    rule: dict[str, Any]
    namespace: str | None
    """Its namespace; None for the whole cluster."""

    def permits(self, verb: str, group: str, resource: str) -> bool:
        """Return whether it may permit a request; a placeholder may stand for anything."""
        rule = self.rule
        if any(placeholder(word) for words in rule.values() for word in items(words)):
            return True
        # Whatever is asked for by its name may be one of `resourceNames`.
        return all(
            word in items(rule.get(field)) or "*" in items(rule.get(field))
            for field, word in (("verbs", verb), ("apiGroups", group), ("resources", resource))
        )

    def reaches(self, namespace: str | None) -> bool:
        """Return whether it applies in a namespace, which may be unknown; None for all namespaces
        at once."""
        if self.namespace is None:
            return True
        return namespace is not None and same_namespace(self.namespace, namespace)


def is_bound(name: str, namespace: str, collection: Collection) -> bool:
    """Return whether a role is given to an account by its name."""
    return bool(collection.once(_bindings).count(name, namespace))


def grants_of(name: str, namespace: str, collection: Collection) -> list[Grant] | None:
    """Return the permissions of an account; None if one of its roles is not in the set, or may
    change."""
    index = collection.once(_bindings)
    grants: list[Grant] = []
    for binding in (*index.at(name, namespace), *index.at(_EVERY, namespace)):
        ref = mapping(binding.value.get("roleRef"))
        kind = text(ref.get("kind"))
        home = binding.namespace if kind == "Role" else ""
        roles = collection.all_named(RBAC, kind, text(ref.get("name")), home)
        if not roles or any(_may_change(obj, collection) for obj in (binding, *roles)):
            return None
        where = None if binding.kind == "ClusterRoleBinding" else binding.namespace
        grants += [
            Grant(role, mapping(rule), where)
            for role in roles
            for rule in items(role.value.get("rules"))
        ]
    return grants


def _may_change(obj: Object, collection: Collection) -> bool:
    """Return whether another object adds rules or subjects."""
    return "aggregationRule" in obj.value or is_changed(obj, collection)


def _bindings(collection: Collection) -> NamespacedIndex[Object]:
    """Return the bindings of each account, by its name and namespace."""
    return NamespacedIndex(
        (*account, binding)
        for kind in ("RoleBinding", "ClusterRoleBinding")
        for binding in collection.of(RBAC, kind)
        for subject in items(binding.value.get("subjects"))
        for account in _accounts(mapping(subject))
    )


def _accounts(subject: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the account of a subject, with its namespace, or all accounts that it stands for."""
    kind, name = subject.get("kind"), text(subject.get("name"))
    if kind == "ServiceAccount":
        yield name, text(subject.get("namespace"))
    elif kind == "User" and name.startswith(_USER):
        namespace, _, account = name.removeprefix(_USER).partition(":")
        yield account, namespace
    elif kind == "Group" and name.startswith(_ALL_OF):
        yield _EVERY, name.removeprefix(_ALL_OF)
    elif kind == "Group" and name in _ALL:
        yield _EVERY, ""
