"""Whatever stands where, no rule stops."""

import copy
from collections.abc import Iterator
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.lint.pages import HERE
from tests.lint.placement.pods import findings

ODD: st.SearchStrategy[object] = st.sampled_from(
    [None, True, 7, -1, 2.5, "", "x", "${X}", [], {}, [None], ["x"], {"a": None}, [[]]]
)


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from places(inner, (*path, key))


BASES = {
    path.stem: next(iter(yaml.safe_load_all(path.read_text())))
    for path in sorted((HERE / "bases").glob("*.yaml"))
}


@given(st.data())
def test_nothing_that_may_stand_anywhere_stops_a_rule(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(BASES)))
    value = copy.deepcopy(BASES[name])
    value.setdefault("spec", {})
    *above, last = data.draw(st.sampled_from([one for one in places(value) if one]))
    holder = value
    for step in above:
        holder = holder[step]
    holder[last] = data.draw(ODD)
    text = yaml.safe_dump(value)
    for profile in (None, "h100"):
        findings(text, profile=profile)
