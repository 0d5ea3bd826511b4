"""GPU426: what NVIDIA's DRA driver does not know of a claim."""

import json
from typing import Any

import pytest

from tests.lint.pages import raised

GPU = "device.attributes['gpu.nvidia.com']"


def said(
    *expressions: str,
    device_class: str = "gpu.nvidia.com",
    driver: str = "gpu.nvidia.com",
    parameters: dict[str, Any] | None = None,
) -> list[str]:
    """Messages of a template with one request, its selectors and its parameters."""
    selectors = [{"cel": {"expression": expression}} for expression in expressions]
    request = {"deviceClassName": device_class, "selectors": selectors}
    devices: dict[str, Any] = {"requests": [{"name": "gpu", "exactly": request}]}
    if parameters is not None:
        opaque = {"driver": driver, "parameters": parameters}
        devices["config"] = [{"requests": ["gpu"], "opaque": opaque}]
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "gpu", "namespace": "ml"},
        "spec": {"spec": {"devices": devices}},
    }
    findings = [one.finding() for one in raised(json.dumps(template))]
    return [finding.message for finding in findings if finding.rule == "GPU426"]


def config(kind: str = "GpuConfig", **more: Any) -> dict[str, Any]:
    return {"apiVersion": "resource.nvidia.com/v1beta1", "kind": kind, **more}


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        (f"{GPU}.model == 'x'", "no attribute `model`"),
        (f"{GPU}['productname'] == 'x'", "no attribute `productname`"),
        (f"{GPU}.productName == 'NVIDIA-H100-NVL'", "form of node labels"),
        (f"{GPU}.profile == 'mig-1g.10gb'", "no slice has the profile"),
    ],
)
def test_attributes_that_no_gpu_has(expression: str, part: str) -> None:
    (message,) = said(expression)
    assert message.startswith("the pod stays Pending: ") and part in message


@pytest.mark.parametrize(
    "expression",
    [
        f"{GPU}.productName == 'NVIDIA H100 NVL'",
        f"{GPU}.profile == '1g.10gb+me'",
        f"{GPU}.numaThing == 'x'",
        "device.attributes['gpu.example.com'].model == 'x'",
        f"{GPU}.productName.lowerAscii().matches('^.*a100.*$')",
    ],
)
def test_attributes_that_gpus_may_have(expression: str) -> None:
    assert said(expression) == []


SLICED = {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Long"}}


@pytest.mark.parametrize(
    ("parameters", "part"),
    [
        (config(sharing={**SLICED, "strategy": "MPS"}), "cannot be used with the strategy `MPS`"),
        (config(sharing={"strategy": "TimeSlicing", "mpsConfig": {}}), "`mpsConfig` cannot"),
        (config(sharing={"strategy": "Exclusive"}), "must be `TimeSlicing` or `MPS`"),
        (config(share={}), "unknown field `share`"),
        (config("GPUConfig"), "`kind` must be"),
        (config("MigDeviceConfig"), "is for devices of `mig.nvidia.com`"),
    ],
)
def test_parameters_that_the_driver_refuses(parameters: dict[str, Any], part: str) -> None:
    (message,) = said(parameters=parameters)
    assert part in message and message.endswith("its pod does not start")


def test_parameters_of_another_driver_are_skipped() -> None:
    (message,) = said(driver="nvidia.com", parameters=config(sharing=SLICED))
    assert message.endswith("no driver reads the parameters")
    assert said(driver="x.com", device_class="x.com", parameters={"kind": "X"}) == []


def test_parameters_that_the_driver_takes() -> None:
    assert said(parameters=config(sharing=SLICED)) == []
    assert said(parameters=config("MigDeviceConfig"), device_class="mig.nvidia.com") == []
    assert said(parameters=config(), device_class="own.example.com") == []
