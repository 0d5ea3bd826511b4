"""The story of `gpuspec table` for several clusters: each has its rows and a total of its own."""

import json
from pathlib import Path

from tests.cli.conftest import PROFILE, SPEC, Program

RAY = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: ray, namespace: ml}
spec:
  rayVersion: 2.40.0
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers: [{name: head, image: "a:1", resources: {limits: {cpu: 2, memory: 8Gi}}}]
  workerGroupSpecs:
    - groupName: gpus
      replicas: 2
      rayStartParams: {}
      template:
        spec:
          containers: [{name: w, image: "a:1", resources: {limits: {nvidia.com/gpu: 1, cpu: 4, memory: 8Gi}}}]
"""


def cells(out: str) -> list[list[str]]:
    """The rows without the blanks that align them."""
    return [line.split() for line in out.splitlines()]


def test_each_cluster_has_its_rows_and_its_total(gpuspec: Program, folder: Path) -> None:
    second = SPEC.replace("name: train", "name: second")
    (folder / "second.yaml").write_text(f"{second}  clusters: {{names: [us]}}\n")
    (folder / "ray.yaml").write_text(RAY)
    done = gpuspec("table", "train.yaml", "second.yaml", "ray.yaml", "-c", "clusters")
    assert (done.code, done.err) == (0, "")
    assert [" ".join(row[:4]) for row in cells(done.out)] == [
        "WORKLOAD PODS DEVICES CPU",
        "RayCluster ml/ray 3 2",
        "head 1 2 8Gi",
        "worker gpus 2 2",
        "Job ml/train-first (eu) 1",
        "Job ml/train-first (us) 1",
        "Job ml/second-first (us) 1",
        "Total of eu 4",
        "Total of us 5",
    ]
    alone = {
        name: gpuspec("table", ".", "-c", f"clusters/{name}.yaml").out for name in ("eu", "us")
    }
    for name, out in alone.items():
        total = next(row for row in cells(out) if row[0] == "Total")
        assert [*total[:1], "of", name, *total[1:]] in cells(done.out)


def test_the_order_of_profiles_changes_no_sum(gpuspec: Program, folder: Path) -> None:
    one = gpuspec(
        "table", ".", "-c", "clusters/eu.yaml", "-c", "clusters/us.yaml", "--format", "json"
    )
    two = gpuspec(
        "table", ".", "-c", "clusters/us.yaml", "-c", "clusters/eu.yaml", "--format", "json"
    )
    assert json.loads(one.out)["clusters"] == json.loads(two.out)["clusters"]


def test_what_was_rendered_for_one_counts_there_alone(gpuspec: Program, folder: Path) -> None:
    assert gpuspec("render", "train.yaml", "-c", "clusters", "-o", "out/{profile}").code == 0
    done = gpuspec("table", "out", "-c", "clusters")
    assert [" ".join(row[:4]) for row in cells(done.out)[1:]] == [
        "Job ml/train-first (eu) 1",
        "Job ml/train-first (us) 1",
        "Total of eu 1",
        "Total of us 1",
    ]
    assert done.err == ""


def test_a_spec_that_one_cannot_carry_is_an_error_of_that_one(
    gpuspec: Program, folder: Path
) -> None:
    (folder / "clusters/us.yaml").write_text(PROFILE.format(name="us", model="L4"))
    done = gpuspec("table", "train.yaml", "-c", "clusters")
    assert (done.code, done.out) == (2, "")
    assert (
        "train.yaml:9:8: error: on us: no pool can run it: pool us-pool: `gpu.models` does not list L4"
        in done.err
    )
    assert "on eu" not in done.err
