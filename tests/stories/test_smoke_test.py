"""The first thing to run on a new cluster."""

import gpuspec
from gpuspec.manifests import read
from gpuspec.spec import parse_workload
from tests.pod_security import restricted


def test_a_restricted_pod_asks_its_gpu_who_it_is() -> None:
    """C-62: a restricted pod that runs nvidia-smi, from one command."""
    workload = parse_workload(read(gpuspec.starter("smoke-test"), "smoke.yaml")[0])
    (job,) = gpuspec.render(workload).objects
    template = job["spec"]["template"]
    (main,) = template["spec"]["containers"]
    assert main["command"] == ["nvidia-smi"]
    assert main["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert restricted(template) == []
    assert main["resources"]["limits"]["ephemeral-storage"] == "100Mi", "next to nothing"
