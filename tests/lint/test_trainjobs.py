"""Devices of a TrainJob against those of its runtime."""

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
