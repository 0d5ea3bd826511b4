"""GPU793: beyond what its page shows."""

import pytest

from tests.lint.patched import main, said

CUDA = "PYTORCH_CUDA_ALLOC_CONF"


def found(
    value: str, *more: str, name: str = CUDA, gpus: int = 2, device: str = "nvidia.com/gpu"
) -> bool:
    args = ["/models/m", "-tp", str(gpus), *more]
    patch = f"""
args: {args}
env: [{{name: {name}, value: "{value}"}}]
resources: {{requests: null, limits: {{nvidia.com/gpu: null, {device}: {gpus}}}}}
"""
    return bool(said("GPU793", "deployment", main(patch)))


@pytest.mark.parametrize(
    "value", ["expandable_segments:True", "max_split_size_mb:512, expandable_segments:True"]
)
def test_segments_of_a_divided_model(value: str) -> None:
    assert found(value)
    assert found(value, name="PYTORCH_ALLOC_CONF")


def test_segments_that_are_off() -> None:
    assert not found("expandable_segments:False")
    assert not found("max_split_size_mb:512")
    assert not found("expandable_segments:True", name="OTHER_CONF")


@pytest.mark.parametrize(
    "more", [["--enforce-eager"], ["--disable_custom_all_reduce"], ["--compilation-config", "{}"]]
)
def test_without_graphs_or_without_the_kernel_nothing_is_shared(more: list[str]) -> None:
    assert not found("expandable_segments:True", *more)


@pytest.mark.parametrize("gpus", [1, 3])
def test_other_numbers_have_no_kernel(gpus: int) -> None:
    assert not found("expandable_segments:True", gpus=gpus)


def test_other_makers() -> None:
    assert not found("expandable_segments:True", device="amd.com/gpu")
