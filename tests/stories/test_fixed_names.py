"""A run under the workload's own name, which no sync can change, and one that does not stay."""

import pytest

from tests.stories.conftest import Desk, MakeSpec

FIXED = "  fixedName: true\n  duration: {max: 30m}\n"
PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: here}
spec: {kubernetes: "1.36", installed: {%s}}
"""


def test_the_job_is_called_what_the_workload_is_called(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", FIXED))
    done = desk.run("render a.yaml")
    assert done.code == 0 and "\n  name: a\n" in done.out
    assert "fixedName: a changed template cannot be applied to Job a: delete it" in done.said
    desk.write("a.yaml", spec("a", FIXED + "  env: {A: '1'}\n"))
    assert "\n  name: a\n" in desk.run("render a.yaml").out


def test_a_folder_that_holds_another_template_is_not_written(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", FIXED))
    assert desk.run("render a.yaml -o out").code == 0
    before = desk.files("out")
    desk.write("a.yaml", spec("a", FIXED + "  env: {A: '1'}\n"))
    done = desk.run("render a.yaml -o out")
    assert done.code == 2 and desk.files("out") == before
    assert "a.yaml:15:14: error: out/ml.job.a.yaml holds another Job of this name" in done.said
    assert "`spec.template` cannot be changed" in done.said
    assert "delete Job a and the file, or write `run` instead of `fixedName`" in done.said
    (desk.folder / "out/ml.job.a.yaml").unlink()
    assert desk.run("render a.yaml -o out").code == 0


@pytest.mark.parametrize("text", ["kind: [", "- a\n", "a: 1\n---\nb: 2\n", ""])
def test_what_is_no_job_is_said_where_the_folder_is_written(
    desk: Desk, spec: MakeSpec, text: str
) -> None:
    desk.write("a.yaml", spec("a", FIXED))
    desk.write("out/ml.job.a.yaml", text)
    done = desk.run("render a.yaml -o out")
    assert done.code == 2 and "is in the way: gpuspec did not write it" in done.said
    assert desk.files("out") == {"ml.job.a.yaml": text}


def test_what_a_job_may_change_is_written(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", FIXED))
    assert desk.run("render a.yaml -o out").code == 0
    desk.write("a.yaml", spec("a", FIXED.replace("30m", "40m")))
    done = desk.run("render a.yaml -o out")
    assert done.code == 0 and "1 written" in done.said
    assert desk.run("render a.yaml -o out").code == 0


def test_a_run_with_a_name_of_its_own_is_written_whatever_it_holds(
    desk: Desk, spec: MakeSpec
) -> None:
    desk.write("a.yaml", spec("a", "  run: '1'\n"))
    assert desk.run("render a.yaml -o out").code == 0
    desk.write("a.yaml", spec("a", "  run: '1'\n  env: {A: '1'}\n"))
    assert desk.run("render a.yaml -o out").code == 0


def test_a_run_that_does_not_stay_says_what_that_costs(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", "  ttlAfterFinished: 1h\n"))
    done = desk.run("render a.yaml")
    assert done.code == 0 and "\n  ttlSecondsAfterFinished: 3600\n" in done.out
    assert "1h after its end the Job is deleted, and applying it again runs it" in done.said


@pytest.mark.parametrize(("key", "tool"), [("argo-cd", "Argo CD"), ("flux", "Flux")])
def test_gitops_would_run_it_again(desk: Desk, spec: MakeSpec, key: str, tool: str) -> None:
    desk.write("a.yaml", spec("a", "  ttlAfterFinished: 1h\n"))
    desk.write("here.yaml", PROFILE % f'{key}: "3.4"')
    done = desk.run("render a.yaml -c here.yaml")
    assert (done.code, done.out) == (1, "")
    assert f"{tool} finds it missing and runs it again" in done.said
    hook = spec("a", "  ttlAfterFinished: 1h\n").replace(
        "  namespace: ml\n",
        "  namespace: ml\n  annotations: {argocd.argoproj.io/hook: Sync}\n",
    )
    desk.write("a.yaml", hook)
    done = desk.run("render a.yaml -c here.yaml")
    assert done.code == 0 and "ttlAfterFinished" not in done.said


def test_the_jobs_of_a_schedule_may_go(desk: Desk, spec: MakeSpec) -> None:
    batch = spec("a", "  schedule: {cron: 0 2 * * *}\n  ttlAfterFinished: 2h\n")
    desk.write("a.yaml", batch.replace("kind: Training", "kind: BatchInference"))
    desk.write("here.yaml", PROFILE % 'argo-cd: "3.4"')
    done = desk.run("render a.yaml -c here.yaml")
    assert done.code == 0 and "      ttlSecondsAfterFinished: 7200\n" in done.out
    assert "ttlAfterFinished" not in done.said


def test_a_jobset_goes_as_a_whole_under_the_workloads_name(desk: Desk, spec: MakeSpec) -> None:
    desk.write("here.yaml", PROFILE % 'jobset: "0.12"')
    more = FIXED + "  ttlAfterFinished: 1h\n  target: jobset\n"
    desk.write("a.yaml", spec("a", more))
    done = desk.run("render a.yaml -c here.yaml")
    assert done.code == 0 and "kind: JobSet" in done.out and "\n  name: a\n" in done.out
    assert done.out.count("ttlSecondsAfterFinished") == 1
    assert "\n  ttlSecondsAfterFinished: 3600\n" in done.out
    desk.write("a.yaml", spec("a", more + "  env: {A: '1'}\n"))
    assert desk.run("render a.yaml -c here.yaml -o out").code == 0
    desk.write("a.yaml", spec("a", more))
    assert desk.run("render a.yaml -c here.yaml -o out").code == 2
