"""What a TrainJob and its runtime are together: devices of the one against the other's, and where both run."""

import pytest

import gpuspec
from gpuspec.manifests import write
from tests.lint.pages import named_profile, raised
from tests.lint.sets import base, codes, lint


def test_a_trainjob_without_a_version_is_judged_softly() -> None:
    """C-58: the same job under each version, and without a profile."""
    job = base("trainjob", {"spec": {"runtimeRef": {"name": "own"}}})
    runtime = base("clustertrainingruntime", {"metadata": {"name": "own"}})
    jobs = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    node = next(
        one
        for each in jobs
        for one in each["template"]["spec"]["template"]["spec"]["containers"]
        if one["name"] == "node"
    )
    node["resources"] = {"limits": {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}}
    found = [one for one in lint(runtime, job) if one.rule == "GPU738"]
    assert [(one.severity, one.confidence) for one in found] == [("info", "possible")]
    assert "GPU738" not in codes(lint(runtime, job, profile="trainer"))


def test_a_trainjob_goes_where_its_runtime_lets_it() -> None:
    """Nothing of a TrainJob's own says on which architecture it lands; its runtime does."""
    job = base("trainjob")
    profile = named_profile("two-architectures")

    def found(*objects: object) -> set[str]:
        result = gpuspec.lint_text(write(list(objects)), "job.yaml", profile=profile)
        return {one.rule for one in result.findings if one.object and one.object.kind == "TrainJob"}

    runtime = base("clustertrainingruntime")
    assert "GPU209" in found(job)
    assert "GPU209" not in found(job, runtime)


def test_a_trainjobs_resources_take_the_runtimes_claims_away() -> None:
    """C-56: Trainer makes the container of requests and limits alone; the pod holds the devices all the same."""
    job = base("trainjob", {"spec": {"runtimeRef": {"name": "own"}}})
    runtime = base("clustertrainingruntime", {"metadata": {"name": "own"}})
    jobs = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    pod = next(
        each["template"]["spec"]["template"]["spec"]
        for each in jobs
        if each["template"]["spec"]["template"]["spec"]["containers"][0]["name"] == "node"
    )
    pod["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "gpus"}]
    pod["containers"][0]["resources"] = {"claims": [{"name": "gpu"}], "limits": {"memory": "8Gi"}}
    (found,) = (one for one in lint(runtime, job) if one.rule == "GPU738")
    assert found.message.startswith(
        "`resourcesPerNode` replaces the resources of runtime `own` and drops its claim `gpu`"
    )
    del job["spec"]["trainer"]["resourcesPerNode"]
    assert "GPU738" not in codes(lint(runtime, job))


def test_a_runtime_of_another_release_is_asked_for_its_container() -> None:
    """A field that one release has and another drops hides nothing elsewhere."""
    policy = {"numNodes": 1, "torch": {"numProcPerNode": "auto"}}
    runtime = base("clustertrainingruntime", {"spec": {"mlPolicy": policy}})
    assert "GPU017" not in {one.rule.code for one in raised(write([runtime]))}
    for job in runtime["spec"]["template"]["spec"]["replicatedJobs"]:
        job["template"]["spec"]["template"]["spec"]["containers"][0]["name"] = "trainer"
    found = {one.rule.code: one.found.message for one in raised(write([runtime]))}
    assert "GPU010" in found
    assert "needs a container `node`" in found["GPU017"]


@pytest.mark.parametrize(
    ("args", "image", "amounts", "processes", "number"),
    [
        (["--backend=nccl"], "a/b:1", {"memory": "96Gi"}, "auto", 1),
        (["--backend", "nccl"], "a/b:1", {}, None, 1),
        (["x"], "pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime", {"cpu": "16"}, None, 1),
        (["--backend=nccl"], "a/b:1", {"memory": "96Gi", "nvidia.com/gpu": 4}, None, 0),
        (["--backend=nccl"], "a/b:1", {"memory": "96Gi", "amd.com/gpu": 4}, None, 0),
        (["--backend=nccl"], "a/b:1", {"memory": "96Gi"}, "cpu", 0),
        (["--backend=gloo"], "a/b:1-cuda12.8", {"memory": "96Gi"}, None, 0),
        (["export NCCL_DEBUG=INFO"], "a/b:1", {"memory": "96Gi"}, None, 0),
        (["x"], "a/b:1", {"memory": "96Gi"}, None, 0),
    ],
)
def test_neither_requests_a_gpu(
    args: list[str],
    image: str,
    amounts: dict[str, object],
    processes: str | None,
    number: int,
) -> None:
    runtime = base("clustertrainingruntime", {"metadata": {"name": "own"}})
    (job,) = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    (node,) = job["template"]["spec"]["template"]["spec"]["containers"]
    node["resources"] = {}
    trainjob = base("trainjob", {"spec": {"runtimeRef": {"name": "own"}}})
    trainjob["spec"]["trainer"] = {
        "image": image,
        "command": ["torchrun", "train.py"],
        "args": args,
        "numNodes": 2,
        "resourcesPerNode": {"requests": amounts, "limits": amounts},
        **({"numProcPerNode": processes} if processes else {}),
    }
    found = [one for one in lint(runtime, trainjob) if one.rule == "GPU738"]
    assert len(found) == number
