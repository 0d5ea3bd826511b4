"""The servers whose prompts pods of their own compute: each connector of a spec, and a router."""

from pathlib import Path
from typing import get_args

import pytest

from gpuspec import runtimes
from gpuspec.runtimes import Disaggregation, Runtime
from gpuspec.spec.inference import Connector

PAGE = (Path(__file__).parents[2] / "docs/prefill-decode.md").read_text()
APART = [
    (runtime, runtime.disaggregation)
    for runtime in map(runtimes.get, runtimes.names())
    if runtime.disaggregation
]
both = pytest.mark.parametrize(
    ("runtime", "known"), APART, ids=lambda one: getattr(one, "name", "")
)


@both
def test_each_connector_that_a_spec_can_name_is_known(
    runtime: Runtime, known: Disaggregation
) -> None:
    assert {one.name for one in known.connectors} == set(get_args(Connector))
    first = known.connector(None)
    assert first is not None
    assert known.connector(first.name) is first


@both
def test_both_sides_are_told_by_the_same_options(runtime: Runtime, known: Disaggregation) -> None:
    for one in known.connectors:
        assert one.prefill.flags == one.decode.flags != frozenset()
        assert not one.prefill.fields | one.decode.fields


@both
def test_its_port_is_the_one_that_others_are_known_to_ask(
    runtime: Runtime, known: Disaggregation
) -> None:
    asked = {one.port.number for one in runtime.exchanges if one.port}
    assert {one.bootstrap.number for one in known.connectors if one.bootstrap} <= asked


@both
def test_what_it_is_told_says_that_it_exchanges_its_cache(
    runtime: Runtime, known: Disaggregation
) -> None:
    words = [word for one in runtime.exchanges for word in one.words]
    for one in known.connectors:
        for side in (one.prefill, one.decode):
            assert any(word in " ".join(side.arguments) for word in words)


@both
def test_the_router_is_told_of_both_sides(runtime: Runtime, known: Disaggregation) -> None:
    router = known.router
    assert router.listens.fields == {"port"}
    assert router.startup.fields == {"startup"}
    assert router.timeout.fields == {"timeout"}
    assert router.prefill.fields == router.decode.fields == {"url"}
    assert router.bootstrap.fields == {"url", "bootstrap"}
    assert router.port > 1024
    assert set(router.connectors) <= {one.name for one in known.connectors}


@both
def test_the_page_has_its_connectors_and_its_router(
    runtime: Runtime, known: Disaggregation
) -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith(f"| {runtime.title} |")]
    router = [row for row in rows if known.router.title in row]
    assert [known.router.image.removeprefix("docker.io/") in row for row in router] == [True]
    for one in known.connectors:
        told = [row for row in rows if f"`{one.name}`" in row]
        assert [one.since in row for row in told] == [True]
        assert one.spans_since is None or one.spans_since in told[0]
