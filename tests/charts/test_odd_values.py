"""Whatever stands in values is taken as it is: charts are asked without trust."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

import gpuspec
from tests.charts.test_app_template import VALUES
from tests.charts.test_findings import OTHER, STACK, chart
from tests.charts.written import release

ODD: tuple[Any, ...] = (
    None,
    [],
    {},
    "x",
    0,
    7,
    True,
    [None],
    {"a": None},
    "{{ .x }}",
    [{"name": 1}],
)
ROUTED = "route: {app: {rules: [{backendRefs: [{identifier: app}]}]}}\n"


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Everything that holds something, and the key or index of what it holds."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(inside):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize(
    ("values", "more"),
    [
        (VALUES + ROUTED, "chartRef: {kind: OCIRepository, name: app-template}"),
        (STACK, chart("vllm-stack")),
        (STACK.replace("servingEngineSpec", "ollama"), chart("ollama")),
        (OTHER, chart("other")),
    ],
)
def test_nothing_in_values_ends_a_run(values: str, more: str, odd: Any) -> None:
    texts = []
    for index, _ in enumerate(places(yaml.safe_load(values))):
        changed = yaml.safe_load(values)
        holder, key = list(places(changed))[index]
        holder[key] = copy.deepcopy(odd)
        texts.append(release(yaml.safe_dump(changed), more))
    found = gpuspec.lint_text("---\n".join(texts), "release.yaml")
    assert found.documents == len(texts)
