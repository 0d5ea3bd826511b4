"""A field that nobody knows is one fault: it neither hides another nor brings one about."""

from collections.abc import Iterator
from typing import Any

import pytest

from gpuspec.manifests import Path
from gpuspec.validation import validate
from tests.refusals.contest.bases import Base, full

VALUES = (True, "a", [True], {"a": "b"})


def maps(value: Any, path: Path = ()) -> Iterator[Path]:
    """The places of all maps in a value."""
    if isinstance(value, dict):
        yield path
        for name, item in value.items():
            yield from maps(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from maps(item, (*path, index))


def added(value: Any, path: Path, field: Any) -> Any:
    """The value with a field `zzz` in the map at a path."""
    if not path:
        return {**value, "zzz": field}
    step, *rest = path
    items = value.items() if isinstance(value, dict) else enumerate(value)
    new = {name: added(item, (*rest,), field) if name == step else item for name, item in items}
    return new if isinstance(value, dict) else [*new.values()]


@pytest.mark.parametrize("base", full(), ids=lambda base: base.name)
def test_an_unknown_field_in_any_map_is_the_only_fault(base: Base) -> None:
    for path in maps(base.value):
        for field in VALUES:
            found = validate(added(base.value, path, field), "1.37")
            places = [violation.path for violation in found if violation.reason == "unknown-field"]
            assert places in ([], [(*path, "zzz")], [(*path, "zzz", "a")])
            if places == [(*path, "zzz")]:
                assert len(found) == 1
