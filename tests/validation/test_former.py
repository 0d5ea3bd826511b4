"""The fields that earlier releases had are none of the bundled ones, of kinds that there are."""

import pytest

from gpuspec.validation.custom import CustomKind, bundle_of, custom_kinds
from gpuspec.validation.former import _fields, last_release, may_be_installed

KINDS = {f"{kind.api_version} {kind.kind}": kind for kind in custom_kinds()}


@pytest.mark.parametrize("name", sorted(_fields()))
def test_a_former_field_is_unknown_to_the_bundled_release(name: str) -> None:
    kind = KINDS[name]
    for field in _fields()[name]:
        steps = tuple(field.split("."))
        assert last_release(kind, steps) not in (None, kind.release)
        assert not _has(kind, steps), field


def test_two_years_count_from_the_bundled_release() -> None:
    service = KINDS["ray.io/v1 RayService"]
    assert last_release(service, ("spec", "serveConfig")) == "v1.0.0"
    assert not may_be_installed(service, ("spec", "serveConfig"))
    assert last_release(service, ("spec", "serveConfigV2")) is None


def _has(kind: CustomKind, steps: tuple[str, ...]) -> bool:
    """Whether the bundled schema has a field."""
    bundle = bundle_of(kind.project)
    schema = bundle.root((kind.api_version, kind.kind))
    for step in steps:
        inner = (
            schema.get("items") or schema.get("additionalProperties")
            if step == "*"
            else schema.get("properties", {}).get(step)
        )
        if not isinstance(inner, dict):
            return False
        reference = inner.get("$ref")
        schema = inner if reference is None else bundle.definition(reference)
    return True
