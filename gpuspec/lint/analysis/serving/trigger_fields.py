"""Fields of KEDA's triggers that a scaler does not accept, alone or with its authentication."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.enumeration import choice_of, listed
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.schedules import time_zones
from gpuspec.manifests.values import items, mapping, text
from gpuspec.numbers import read_decimal, read_whole
from gpuspec.objects.objects import meet
from gpuspec.products.keda_triggers import TriggerFields, keda_triggers
from gpuspec.validation.values import closest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

_FROM_ENV = "FromEnv"
_OWN = "TriggerAuthentication"


class TriggerFault(msgspec.Struct, frozen=True):
    """A field of a trigger with which KEDA builds no scaler."""

    path: Path
    """Inside of the trigger."""
    says: str
    note: str
    certain: bool = True


def trigger_faults(
    trigger: dict[str, Any], obj: Object, context: Context
) -> Iterator[TriggerFault]:
    """Yield what a trigger lacks, and values that its scaler cannot texts."""
    kind = text(trigger.get("type"))
    fields = keda_triggers().triggers.get(kind)
    if fields is None:
        return
    metadata = mapping(trigger.get("metadata"))
    parameters = _parameters(trigger, obj, context)
    yield from _missing(kind, fields, metadata, parameters)
    yield from _values(fields, metadata)
    yield from _unset(metadata, obj)
    yield from _of_cluster(trigger, obj, context)
    if fields.modes:
        yield from _modes(metadata, parameters)


def _missing(
    kind: str, fields: TriggerFields, metadata: dict[str, Any], parameters: frozenset[str] | None
) -> Iterator[TriggerFault]:
    """Yield a fault for the needed fields that stand nowhere. Parameters that are not known may be
    any."""
    missing, certain = [], True
    for names, places in fields.needed.items():
        if "authentication" in places and parameters is None:
            continue
        keys = names.split("|")
        present = {key for key in keys if metadata.get(key) not in (None, "")}
        if "metadata" not in places:
            present = set()
        if "authentication" in places and parameters:
            present.update(parameters.intersection(keys))
        if "env" in places:
            present.update(key for key in keys if metadata.get(key + _FROM_ENV))
        if not present:
            missing.append((keys[0], places))
            certain = certain and not ("authentication" in places and parameters)
    if not missing:
        return
    words = listed(f"`{name}`" for name, _ in missing)
    where = {
        "a TriggerAuthentication that `authenticationRef` names"
        if "metadata" not in places
        else "the trigger's `metadata`"
        for _, places in missing
    }
    yield TriggerFault(
        ("metadata", missing[0][0]),
        f"the trigger `{kind}` has no {words}",
        f"add {words} to {listed(sorted(where, reverse=True))}",
        certain,
    )


def _values(fields: TriggerFields, metadata: dict[str, Any]) -> Iterator[TriggerFault]:
    """Yield values that are not of the field's type, or not among its words."""
    texts = {
        name: value.strip()
        for name, value in metadata.items()
        if isinstance(value, str) and value.strip() and placeholder(value) is None
    }
    for name, words in fields.values.items():
        if name in texts and texts[name] not in words:
            yield TriggerFault(
                ("metadata", name),
                f"`{name}` must be {choice_of(words)}, not `{texts[name]}`",
                "write one of these words",
            )
    for name in (*fields.whole, *fields.number):
        if name not in texts:
            continue
        number = read_whole(texts[name]) if name in fields.whole else read_decimal(texts[name])
        number_noun = "a whole number" if name in fields.whole else "a number"
        if number is None and not _is_number(texts[name]):
            yield TriggerFault(
                ("metadata", name),
                f"`{name}` must be {number_noun}, not `{texts[name]}`",
                f'write {number_noun} without a unit, such as `"5"`',
            )
        elif number is not None and number <= 0 and name in fields.positive:
            yield TriggerFault(
                ("metadata", name),
                f"`{name}` must be above 0, not `{texts[name]}`",
                f'set `{name}: "1"` or more',
            )
    for name in fields.zones:
        if name in texts and texts[name] not in (*time_zones(), "Local"):
            yield TriggerFault(
                ("metadata", name),
                f"`{texts[name]}` is not a time zone",
                closest(texts[name], time_zones()) or "write an IANA name, such as `Europe/Berlin`",
            )
    for first, second in fields.differ:
        if first in texts and texts[first] == texts.get(second):
            yield TriggerFault(
                ("metadata", second),
                f"`{first}` and `{second}` are both `{texts[first]}`",
                f"write another time as `{second}`",
            )


def _unset(metadata: dict[str, Any], obj: Object) -> Iterator[TriggerFault]:
    """Yield fields that a variable sets which the container of a ScaledJob does not have."""
    name = text(mapping(obj.spec.get("jobTargetRef")).get("envSourceContainerName"))
    containers = obj.pods[0].containers if obj.pods else []
    container = next((main for main in containers if not name or main.name == name), None)
    if container is None or container.value.get("envFrom"):
        return
    for key, variable in metadata.items():
        if not key.endswith(_FROM_ENV) or not text(variable) or placeholder(variable) is not None:
            continue
        if variable not in container.env:
            yield TriggerFault(
                ("metadata", key),
                f"container `{container.name}` has no variable `{variable}`, which `{key}` names",
                "name a variable of this container, or of the one that `envSourceContainerName` names",
                certain=False,
            )


def _is_number(value: str) -> bool:
    """Return whether JSON has such a number, in a form that is not texts here: `1e3`, `-2`."""
    return not set(value) - set("0123456789.eE+-")


def _modes(metadata: dict[str, Any], parameters: frozenset[str] | None) -> Iterator[TriggerFault]:
    """Yield modes of authentication that do not exist, exclude each other, or lack a parameter."""
    table = keda_triggers()
    key = next((key for key in ("authModes", "authMode") if metadata.get(key)), "")
    modes_text = text(metadata.get(key)) if key else ""
    if not modes_text or placeholder(modes_text) is not None:
        return
    modes = [mode.strip() for mode in modes_text.split(",")]
    path: Path = ("metadata", key)
    for mode in modes:
        if mode not in table.modes:
            words = choice_of(table.modes)
            yield TriggerFault(
                path, f"`{key}` must be {words}, not `{mode}`", "write one of these words"
            )
    single = [mode for mode in modes if mode in table.single]
    if len(single) > 1:
        words = listed(f"`{mode}`" for mode in single)
        yield TriggerFault(
            path, f"`{key}` has {words}, which exclude each other", "keep one of them"
        )
    if parameters is None:
        return
    for mode in modes:
        missing = [
            names.split("|")[0]
            for names in table.modes.get(mode, ())
            if not parameters.intersection(names.split("|"))
            and not any(metadata.get(name) for name in names.split("|") if mode == "apiKey")
        ]
        if missing:
            words = listed(f"`{name}`" for name in missing)
            lacks = (
                f"its authentication has no {words}"
                if parameters
                else "the trigger has no `authenticationRef`"
            )
            yield TriggerFault(
                path,
                f"`{key}: {modes_text}` needs {words}, but {lacks}",
                f"name a TriggerAuthentication with the parameter {words} in `authenticationRef`",
                not parameters,
            )


def _parameters(trigger: dict[str, Any], obj: Object, context: Context) -> frozenset[str] | None:
    """Return the names of the parameters that a trigger's authentication has; None if they are not
    known."""
    reference = mapping(trigger.get("authenticationRef"))
    name = text(reference.get("name"))
    if not reference:
        return frozenset()
    kind = text(reference.get("kind")) or _OWN
    namespace = "" if kind.startswith("Cluster") else obj.namespace
    authentications = context.collection.all_named("keda.sh", kind, name, namespace)
    if len(authentications) != 1 or not (namespace == "" or meet(authentications[0], obj)):
        return None
    if authentications[0].spec.get("podIdentity") or authentications[0].spec.get("oauth2"):
        return None
    return frozenset(_names(authentications[0].spec)) or None


def _of_cluster(trigger: dict[str, Any], obj: Object, context: Context) -> Iterator[TriggerFault]:
    """Yield a reference without a kind to what only a ClusterTriggerAuthentication is named."""
    reference = mapping(trigger.get("authenticationRef"))
    name, lookup = text(reference.get("name")), context.collection.all_named
    if reference.get("kind") or not name or lookup("keda.sh", _OWN, name, obj.namespace):
        return
    if lookup("keda.sh", f"Cluster{_OWN}", name):
        yield TriggerFault(
            ("authenticationRef", "name"),
            f"`{name}` is a ClusterTriggerAuthentication, but `authenticationRef` has no `kind`",
            f"add `kind: Cluster{_OWN}` to `authenticationRef`",
            certain=False,
        )


def _names(value: object) -> Iterator[str]:
    """Yield each `parameter` of a TriggerAuthentication, at any depth."""
    if isinstance(value, dict):
        parameter = value.get("parameter")
        if isinstance(parameter, str):
            yield parameter
        for inner in value.values():
            yield from _names(inner)
    else:
        for inner in items(value):
            yield from _names(inner)
