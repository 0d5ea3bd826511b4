"""Pods that read a changed ConfigMap or Secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.diff import amount_text
from gpuspec.diff.model import ChangeRemark
from gpuspec.diff.pairing import kind, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.diff.model import SideObject

_REFS = {
    ("", "ConfigMap"): ("configMapKeyRef", "configMapRef"),
    ("", "Secret"): ("secretKeyRef", "secretRef"),
}


class DataReaders:
    """Pods that take variables from ConfigMaps and Secrets, which they read only at their start."""

    def __init__(self, things: Iterable[SideObject]) -> None:
        self._found: dict[tuple[str, str], list[SideObject]] = {}
        for thing in things:
            refs = {ref for pod in thing.pods for ref in _refs(pod.containers)}
            for ref in refs:
                self._found.setdefault(ref, []).append(thing)

    def remark(self, side_object: SideObject) -> ChangeRemark | None:
        """Return the pods whose variables stay unchanged until they restart."""
        field_and_from = _REFS.get(kind(side_object))
        if field_and_from is None:
            return None
        object_identity = named(side_object)
        readers = [
            str(named(obj))
            for ref in field_and_from
            for obj in self._found.get((ref, object_identity.name), ())
            if named(obj).namespace in ("", object_identity.namespace)
            or not object_identity.namespace
        ]
        if not readers:
            return None
        who = amount_text.few(list(dict.fromkeys(readers)))
        return ChangeRemark("effect", f"variables of {who} change only when its pods restart")


def _refs(containers: tuple[tuple[str, dict[str, Any]], ...]) -> Iterator[tuple[str, str]]:
    for _, container in containers:
        for field in ("env", "envFrom"):
            entries = container.get(field)
            for entry in entries if isinstance(entries, list) else ():
                if not isinstance(entry, dict):
                    continue
                source = entry.get("valueFrom") if field == "env" else entry
                for ref, value in source.items() if isinstance(source, dict) else ():
                    if isinstance(value, dict) and isinstance(value.get("name"), str):
                        yield str(ref), value["name"]
