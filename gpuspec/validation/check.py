"""The check of one object for one Kubernetes version."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gpuspec.manifests.values import at
from gpuspec.validation.bundle import Bundle, Kind, load
from gpuspec.validation.nodes import SchemaNode, root, type_of
from gpuspec.validation.values import QUANTITY
from gpuspec.validation.violation import SchemaViolation, placed
from gpuspec.validation.walk import (
    SchemaFault,
    faults,
    is_absent,
    is_list_of_bytes,
    is_needed,
    left,
)

if TYPE_CHECKING:
    from gpuspec.validation.custom import CustomBundle, CustomKind
    from gpuspec.validation.located.locations import Locations

# Importing jsonschema-rs and compiling a kind takes as long as walking some hundreds of objects.
_FEW = 200

# What a webhook fills in, since to Go it is no value.
_NOTHING = (None, "")

_seen: Counter[tuple[str, Kind]] = Counter()


def validate(
    value: Any, kubernetes: str, locations: Locations | None = None
) -> tuple[SchemaViolation, ...]:
    """Check an object against the schema of its kind: the Kubernetes version's, or a custom one's.

    Fields that the schema does not know are refused. For Kubernetes' own kinds the verdict is that
    of `kubeconform -strict` over the schemas that the bundles were made from. For a custom kind it
    is that of an API server with strict field validation and the definition installed, less its
    expressions (CEL): an explicit null counts as no field, unless the field may be null. The items
    of a `List`, and objects inside a custom one that a controller will create, are checked one by
    one.

    Args:
        value: a document as plain data: dict, list, str, int, float, bool, None.
        kubernetes: the version, such as ``1.34``; a patch level or a vendor's suffix is ignored.
        locations: where schemas of custom kinds are that come before the bundled ones.

    Returns:
        All that is wrong, in the order of the object; nothing if it is valid. A kind without a
        schema is one violation, whose reason is `no-schema` or `not-served`.

    Raises:
        UnsupportedVersionError: there are no schemas for the version.
        InputError: a file of the locations holds no schema.
    """
    bundle = load(kubernetes)
    kind = _kind(value)
    if kind == ("v1", "List"):
        return _items(value, kubernetes, locations)
    if kind is None:
        from gpuspec.validation import unknown_kinds

        return unknown_kinds.unnamed(value)
    if kind not in bundle:
        violations = _custom(bundle, kind, value, locations)
    elif _certainly_valid(bundle.name, kind, value):
        # What no schema can say is left.
        violations = tuple(
            _said(root(bundle, kind), fault) for fault in left(root(bundle, kind), value)
        )
    else:
        violations = _violations(bundle, kind, value)
    return (*violations, *_queued(kind, value))


def _queued(kind: Kind, value: Any) -> tuple[SchemaViolation, ...]:
    """Return Kueue's violations of a job that waits in one of its queues, whatever its project."""
    from gpuspec.validation.operators import OPERATORS, kueue_jobs

    return tuple(
        replace(queued_violation, by=OPERATORS["kueue"], project="kueue", outer=True)
        for queued_violation in kueue_jobs.queued(kind, value)
    )


def _custom(
    kubernetes: Bundle, kind: Kind, value: Any, locations: Locations | None
) -> tuple[SchemaViolation, ...]:
    from gpuspec.validation import custom

    if locations is not None and (located := locations.find(kind, kubernetes.name)) is not None:
        from gpuspec.validation.located.rest import rest

        custom_kind = located.known
        violations = _held(custom_kind, located.bundle, kind, value) or rest(
            located.bundle, kind, value
        )
    elif (bundled := custom.find(kind)) is not None:
        custom_kind = bundled
        violations = _held(custom_kind, custom.bundle_of(custom_kind.project), kind, value)
    else:
        from gpuspec.validation import unknown_kinds

        return unknown_kinds.unknown(kubernetes, kind)
    for path, inner in custom.objects(custom_kind, value):
        violations += tuple(
            placed(path, inner_violation)
            for inner_violation in validate(inner, kubernetes.name, locations)
        )
    return violations


def _held(
    custom_kind: CustomKind, bundle: CustomBundle, kind: Kind, value: Any
) -> tuple[SchemaViolation, ...]:
    """Return the violations of a custom kind's schema, of its rules if nothing precedes them, and
    of its operator.
    """
    from gpuspec.validation import custom

    top = root(bundle, kind)
    schema_faults = faults(top, value)
    violations = _of_operator(custom_kind.project, kind, value, top, schema_faults)
    if not custom_kind.rules or not all(map(custom.is_judged_with_rules, schema_faults)):
        return violations
    from gpuspec.validation.cel import rules

    broken = tuple(rules.broken(bundle, kind, value))
    paths = {broken_rule.path for broken_rule in broken}
    return (
        *(violation_found for violation_found in violations if violation_found.path not in paths),
        *broken,
    )


def _of_operator(
    project: str,
    kind: Kind,
    value: Any,
    top: SchemaNode,
    schema_faults: list[SchemaFault | SchemaViolation],
) -> tuple[SchemaViolation, ...]:
    """Return the violations of the schema and the operator, one for each place, with the program
    that refuses each.
    """
    if not schema_faults:  # as in most objects
        return ()
    from gpuspec.validation import operators

    by = operators.OPERATORS.get(project, "")
    name = type_of(kind)
    zeros = {
        schema_fault.path: zero
        for schema_fault in schema_faults
        if isinstance(schema_fault, SchemaFault)
        and (zero := operators.zero(project, name, schema_fault)) is not None
    }
    if nulls := [path for path, zero in zeros.items() if zero == "{}"]:
        from gpuspec.validation.zeros import refusals

        schema_faults = [*schema_faults, *refusals(top, value, nulls)]
    refused = {
        schema_fault.path for schema_fault in schema_faults if schema_fault.reason == "refused"
    }
    first = {
        schema_fault.path for schema_fault in schema_faults if schema_fault.reason != "refused"
    } - zeros.keys()
    # What a webhook writes where nothing is, an operator may refuse for it.
    after = refused & zeros.keys()
    return tuple(
        replace(
            described := _said(top, fault),
            by=by,
            taken=_is_filled(project, name, described, value),
            zero=zeros.get(fault.path) or _nothing_of(project, name, described, value),
            sign=operators.sign(name) if fault.reason == "refused" else None,
            outer=fault.reason == "refused",
        )
        for fault in schema_faults
        if fault.path not in (first if fault.reason == "refused" else after)
    )


def _nothing_of(
    project: str, name: str, schema_violation: SchemaViolation, value: Any
) -> str | None:
    """Return the value that a webhook writes for a unit without a number, which its decoder reads
    as zero.
    """
    from gpuspec.validation.apiserver.reading import amount
    from gpuspec.validation.operators import rewrites

    value_at_path = at(value, schema_violation.path)
    if (
        schema_violation.expected != QUANTITY
        or not isinstance(value_at_path, str)
        or not value_at_path.isalpha()
    ):
        return None
    return "0" if rewrites(project, name) and amount(f"0{value_at_path}") is not None else None


def _is_filled(project: str, name: str, schema_violation: SchemaViolation, value: Any) -> bool:
    from gpuspec.validation.apiserver.reading import amount
    from gpuspec.validation.operators import fills, rewrites

    value_at_path = at(value, schema_violation.path)
    if value_at_path in _NOTHING:
        return fills(project, name, schema_violation.path)
    # A decoder takes spaces around an amount, and any number; neither is there when it is written back.
    is_amount = schema_violation.expected == QUANTITY and not isinstance(value_at_path, bool)
    if isinstance(value_at_path, str) and value_at_path.strip() != value_at_path.strip(" "):
        return False
    return is_amount and rewrites(project, name) and amount(value_at_path) is not None


def _violations(bundle: Bundle, kind: Kind, value: Any) -> tuple[SchemaViolation, ...]:
    top = root(bundle, kind)
    schema_faults = faults(top, value)
    if bundle.beyond is None:
        return tuple(_said(top, fault) for fault in schema_faults)
    # Of its own kinds a server asks other fields than their schemas do: it fills in what is not there,
    # and refuses what is empty still.
    absent = {schema_fault.path for schema_fault in schema_faults if is_absent(schema_fault)}
    refused = {
        schema_fault.path for schema_fault in schema_faults if schema_fault.reason == "refused"
    }
    # What is empty is told by what it must be, where that is known.
    paths = {
        schema_fault.path
        for schema_fault in schema_faults
        if schema_fault.reason == "refused" and not is_needed(schema_fault)
    }
    violations: list[SchemaViolation] = []
    for schema_fault in schema_faults:
        if is_absent(schema_fault):
            is_taken = refused.isdisjoint((schema_fault.path, schema_fault.path[:-1]))
            violations.append(replace(_said(top, schema_fault), taken=is_taken))
        elif isinstance(schema_fault, SchemaFault) and is_list_of_bytes(schema_fault):
            # As it reads a list of numbers where the schema has text in base64.
            violations.append(replace(_said(top, schema_fault), taken=True))
        elif isinstance(schema_fault, SchemaFault) and schema_fault.keyword == "enum":
            # What an object inside another says that it is, nobody reads.
            violations.append(replace(_said(top, schema_fault), taken=True))
        elif schema_fault.reason != "refused" or schema_fault.path not in (
            absent | paths if is_needed(schema_fault) else absent
        ):
            violations.append(_said(top, schema_fault))
    return tuple(violations)


def _said(top: SchemaNode, fault: SchemaFault | SchemaViolation) -> SchemaViolation:
    if isinstance(fault, SchemaViolation):
        return fault
    from gpuspec.validation.messages import violation

    return violation(top, fault)


def _kind(value: Any) -> Kind | None:
    """Return the object's apiVersion and kind; None if it does not state them."""
    if isinstance(value, dict):
        api_version, kind = value.get("apiVersion"), value.get("kind")
        if isinstance(api_version, str) and isinstance(kind, str):
            return api_version, kind
    return None


def _certainly_valid(version: str, kind: Kind, value: object) -> bool:
    """Return the compiled check, which is quick for valid objects, if there are many objects."""
    _seen[version, kind] += 1
    if _seen[version, kind] <= _FEW:
        return False
    from gpuspec.validation import compiled

    return compiled.is_valid(version, kind, value)


def _items(value: Any, kubernetes: str, locations: Locations | None) -> tuple[SchemaViolation, ...]:
    items = value.get("items")
    if not isinstance(items, list):
        return (SchemaViolation(("items",), "expected a list of objects", "wrong-type", "a list"),)
    return tuple(
        placed(("items", index), violation)
        for index, item in enumerate(items)
        for violation in validate(item, kubernetes, locations)
    )
