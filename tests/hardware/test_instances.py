"""What is known of EC2's instances agrees with itself, and with the table of common nodes."""

import pytest

from gpuspec.hardware import instance, instances, models, node_shapes

SHAPES = [shape for model in models() for shape in node_shapes(model) if instance(shape.instance)]


@pytest.mark.parametrize("family", list(instances()))
def test_sizes_of_a_family_are_there_once_and_have_room(family: str) -> None:
    sizes = instances()[family]
    assert len({one.size for one in sizes}) == len(sizes) > 0
    for one in sizes:
        assert one.family == family
        assert one.cpu > 0 and one.memory >= 2 * one.cpu << 10


def test_common_nodes_are_the_same_machines() -> None:
    assert len(SHAPES) > 20
    for shape in SHAPES:
        one = instance(shape.instance)
        assert one is not None
        assert (one.gpus, one.cpu, one.memory << 20) == (shape.gpus, shape.cpu, shape.memory)


def test_a_part_of_a_gpu_is_reported_as_none() -> None:
    parts = {family for family, sizes in instances().items() if not any(one.gpus for one in sizes)}
    assert parts == {"g6f", "gr6f"}


@pytest.mark.parametrize(
    ("name", "interfaces"), [("p5.48xlarge", 32), ("p5en.48xlarge", 16), ("g6.xlarge", 0)]
)
def test_interfaces_of_efa(name: str, interfaces: int) -> None:
    one = instance(name)
    assert one is not None
    assert one.efa == interfaces


@pytest.mark.parametrize("name", ["m7i.large", "g6.huge", "g6", ""])
def test_of_another_nothing_is_known(name: str) -> None:
    assert instance(name) is None
