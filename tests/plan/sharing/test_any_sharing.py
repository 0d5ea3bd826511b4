"""Whatever is asked of whatever is shared."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpuspec
from gpuspec import hardware
from gpuspec.plan import device_options
from tests.plan.conftest import Make, Values
from tests.plan.sharing.conftest import Cluster
from tests.plan.sharing.ways import MIG, MPS, OWN, RENAMED, SINGLE, TURNS, devices

HOW = st.sampled_from([None, MIG, SINGLE, MPS, TURNS, RENAMED])


def test_every_device_asked_for_is_offered_and_allowed(make: Make, cluster: Cluster) -> None:
    """C-15, C-17, C-18: it exists in every chosen pool, is large enough, and isolates enough."""
    rendered = 0

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        how=st.dictionaries(st.sampled_from(["a", "ab", "ac"]), HOW, min_size=1),
        memory=st.sampled_from([None, "2Gi", "9Gi", "10Gi", "19Gi", "39Gi", "79Gi"]),
        kind=st.sampled_from(["Training", "BatchInference", "Inference"]),
        tenancy=st.sampled_from(["trusted", "untrusted"]),
        strict=st.booleans(),
    )
    def each(**asked: Any) -> None:
        nonlocal rendered
        rendered += is_offered_and_allowed(make, cluster, **asked)

    each()
    assert rendered >= 12, "of 60; what is refused proves little"


def is_offered_and_allowed(
    make: Make,
    cluster: Cluster,
    how: dict[str, Values | None],
    memory: str | None,
    kind: str,
    tenancy: str,
    strict: bool,
) -> bool:
    """Hold the devices of a workload to the pools; whether it was rendered at all."""
    spec = {"tenancy": tenancy, "gpu": {"memory": memory} if memory else {}}
    if kind == "Inference":
        spec |= {**OWN, "latency": "strict" if strict else "relaxed"}
    try:
        made = make(kind, cluster(**how), **spec)
    except gpuspec.Refusal:
        return False
    ((resource, amount),) = devices(made).items()
    assert amount == "1"
    for pool in made.rendering.resolution.pools:
        assert pool.device_option in device_options(pool.pool, hardware.model(pool.pool.gpu.model))
        assert pool.device_option.resource == resource
        if memory:
            assert pool.device_option.memory * 100 >= int(memory[:-2]) * 2**30 * 99
        if pool.device_option.kind != "whole":
            assert memory
        if pool.device_option.kind in ("mps", "time-slicing"):
            assert tenancy == "trusted" and kind != "Training"
            assert not (kind == "Inference" and strict)
    return True
