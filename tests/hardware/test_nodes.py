import pytest

from gpuspec.hardware import GpuModel, common_share, model, models, node_shapes

GIB = 1 << 30
WITH_NODES = [candidate for candidate in models() if node_shapes(candidate)]


@pytest.mark.parametrize("candidate", WITH_NODES, ids=lambda candidate: candidate.name)
def test_shapes_are_plausible(candidate: GpuModel) -> None:
    shapes = node_shapes(candidate)
    assert len({shape.instance for shape in shapes}) == len(shapes)
    for shape in shapes:
        assert shape.model == candidate.name
        assert shape.source
        assert shape.gpus in (1, 2, 4, 6, 8, 12, 16)
        assert 4 <= shape.cpu / shape.gpus <= 60
        assert 8 * GIB <= shape.memory / shape.gpus <= 1024 * GIB


@pytest.mark.parametrize("candidate", WITH_NODES, ids=lambda candidate: candidate.name)
def test_the_common_share_fits_beside_every_gpu_of_every_shape(candidate: GpuModel) -> None:
    share = common_share(candidate)
    assert share is not None
    for shape in node_shapes(candidate):
        assert share.cpu * shape.gpus <= shape.cpu
        assert share.memory * shape.gpus <= shape.memory
    assert (share.cpu_from.cpu // share.cpu_from.gpus) == share.cpu
    assert (share.memory_from.memory // share.memory_from.gpus) == share.memory


def test_named_instances() -> None:
    shapes = {shape.instance: shape for shape in node_shapes(model("H100-80GB"))}
    p5 = shapes["p5.48xlarge"]
    assert (p5.gpus, p5.cpu, p5.memory) == (8, 192, 2048 * GIB)
    assert {"a3-highgpu-8g", "Standard_ND96isr_H100_v5", "DGX-H100"} <= set(shapes)


def test_the_share_says_which_nodes_decided() -> None:
    share = common_share(model("H100-80GB"))
    assert share is not None
    assert (share.cpu, share.cpu_from.instance) == (12, "Standard_ND96isr_H100_v5")
    assert (share.memory, share.memory_from.instance) == (234 * GIB, "a3-highgpu-1g")


def test_a_model_without_known_nodes_has_no_share() -> None:
    assert node_shapes(model("A16")) == ()
    assert common_share(model("A16")) is None


def test_the_table_names_models_that_exist() -> None:
    assert sum(len(node_shapes(candidate)) for candidate in models()) > 60
    assert {"T4", "L4", "A10G", "L40S", "A100-40GB", "GB300", "MI300X"} <= {
        candidate.name for candidate in WITH_NODES
    }
