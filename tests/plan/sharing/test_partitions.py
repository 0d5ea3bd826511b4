"""AMD's partitions: devices of their own, given to who says what one has to hold."""

from types import ModuleType
from typing import Any

from tests.plan.conftest import Make, Refused

LABEL = "amd.com/gpu.compute-memory-partition"


def pool(words: ModuleType, name: str, count: int, partition: str, **gpu: Any) -> dict[str, Any]:
    how = {"partition": partition} if not partition.startswith("spx") else {}
    labels = {"amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM", LABEL: partition}
    made = {"model": "MI300X", "count": count, "resource": "amd.com/gpu", "groups": [44]}
    return {**words.pool(name), "gpu": {**made, **how, **gpu}, "labels": labels, "taints": []}


def test_what_declares_its_memory_gets_the_smallest_device(make: Make, words: ModuleType) -> None:
    pools = (
        pool(words, "whole", 8, "spx_nps1"),
        pool(words, "halves", 16, "dpx_nps1"),
        pool(words, "eighths", 64, "cpx_nps4"),
    )
    small = make("Training", words.cluster(*pools), gpu={"memory": "20Gi"})
    (told,) = [one for one in small.terms[0] if one["key"] == LABEL]
    assert told == {"key": LABEL, "operator": "In", "values": ["cpx_nps4", "dpx_nps1"]}
    larger = make("Training", words.cluster(*pools), gpu={"memory": "80Gi"})
    assert {"key": LABEL, "operator": "In", "values": ["dpx_nps1"]} in larger.terms[0]
    assert larger.limits["amd.com/gpu"] == "1"
    cpu = words.number(larger.requests["cpu"])
    assert cpu <= words.number(make("Training", words.cluster(pools[0])).requests["cpu"]) / 2


def test_what_declares_none_gets_whole_gpus(make: Make, words: ModuleType) -> None:
    pools = (pool(words, "eighths", 64, "cpx_nps4"), pool(words, "whole", 8, "spx_nps1"))
    made = make("Training", words.cluster(*pools), gpu={"models": ["MI300X"], "count": 2})
    away = [one for one in made.terms[0] if one["key"] == LABEL]
    assert away == [{"key": LABEL, "operator": "NotIn", "values": ["cpx_nps4"]}]
    assert made.limits["amd.com/gpu"] == "2"


def test_why_a_partition_is_refused(refused: Refused, words: ModuleType) -> None:
    here = words.cluster(pool(words, "eighths", 64, "cpx_nps4"))
    assert "the spec does not say what a part must hold" in refused("Training", here)
    said = refused("Training", here, gpu={"memory": "40Gi"})
    assert "MI300X cpx_nps4 has 24Gi, a pod requests 40Gi" in said
    said = refused("Training", here, gpu={"models": ["MI325X"], "memory": "20Gi"})
    assert "`gpu.models` does not list" in said


def test_several_partitions_work_as_several_gpus(make: Make, words: ModuleType) -> None:
    here = words.cluster(pool(words, "eighths", 64, "cpx_nps4", resource="amd.com/cpx_nps4"))
    made = make("Training", here, gpu={"models": ["MI300X"], "memory": "20Gi", "count": 4})
    assert made.limits["amd.com/cpx_nps4"] == "4"
    assert "a partition cpx_nps4 has 24Gi for the 20Gi needed" in made.reason(
        'spec.template.spec.containers[0].resources.limits["amd.com/cpx_nps4"]'
    )
