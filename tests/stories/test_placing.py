"""A team names its nodes: which pool, which region, and what a pod needs of a node beside GPUs."""

import yaml

from tests.stories.conftest import Desk, MakeSpec

PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: here}
spec:
  kubernetes: "1.36"
  pools:
  - name: node6
    gpu: &l4 {model: L4, count: 4}
    allocatable: &size
      cpu: 62
      memory: 246Gi
      ephemeralStorage: 900Gi
      hugepages: {2Mi: 8Gi}
      extended: {smarter-devices/fuse: 2}
    region: east
    labels: {example.com/gpu-name: NVIDIA-L4, kubernetes.io/hostname: 10.0.0.6}
    nodes: 1
  - name: node7
    gpu: *l4
    allocatable: *size
    region: west
    labels: {example.com/gpu-name: NVIDIA-L4, kubernetes.io/hostname: 10.0.0.7}
    nodes: 1
  - name: half
    gpu: {model: A100-80GB, count: 8}
    sharing: {mode: mig, strategy: mixed, profiles: {1g.10gb: 7}, gpus: 4}
    allocatable: {cpu: 132, memory: 1024Gi, ephemeralStorage: 3200Gi}
    region: west
    labels: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}
    nodes: 1
"""
BESIDE = """\
    memoryLimit: 32Gi
    hugepages: {2Mi: 4Gi}
    extended: {smarter-devices/fuse: 1}
"""
EVERYTHING = ("cluster check here.yaml", "lint a.yaml -c here.yaml", "explain a.yaml -c here.yaml")


def written(desk: Desk, more: str, spec: MakeSpec) -> None:
    desk.write("here.yaml", PROFILE)
    desk.write("a.yaml", spec("a", more))


def test_a_pod_goes_to_the_node_that_is_named_and_fits_there(desk: Desk, spec: MakeSpec) -> None:
    written(desk, f"{BESIDE}  place: {{pools: [node7]}}\n", spec)
    rendered = desk.run("render a.yaml -c here.yaml")
    assert rendered.code == 0, rendered.said
    pod = yaml.safe_load(rendered.out)["spec"]["template"]["spec"]
    required = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (term,) = required["nodeSelectorTerms"]
    assert term["matchExpressions"][0] == {
        "key": "kubernetes.io/hostname",
        "operator": "In",
        "values": ["10.0.0.7"],
    }
    resources = pod["containers"][0]["resources"]
    assert (resources["requests"]["memory"], resources["limits"]["memory"]) == ("16Gi", "32Gi")
    fitted = desk.run("fit a.yaml -c here.yaml")
    assert "1 pod on 1 node of node7" in fitted.out
    desk.write("made.yaml", rendered.out)
    again = desk.run("fit made.yaml -c here.yaml")
    assert "1 pod on 1 node of node7" in again.out
    for line in EVERYTHING:
        done = desk.run(line)
        assert done.code == 0, f"{line}: {done.out}{done.said}"


def test_a_region_leaves_the_pools_that_are_in_it(desk: Desk, spec: MakeSpec) -> None:
    written(desk, "  place: {regions: [west]}\n", spec)
    assert "1 pod on 1 node of node7" in desk.run("fit a.yaml -c here.yaml").out


def test_a_wrong_name_is_refused_with_those_that_there_are(desk: Desk, spec: MakeSpec) -> None:
    written(desk, "  place: {pools: [node8]}\n", spec)
    done = desk.run("render a.yaml -c here.yaml")
    assert (done.code, done.out) == (1, "")
    assert "the profile has no pool `node8`" in done.said
    assert "did you mean `node" in done.said


def test_slices_and_whole_gpus_of_one_node_are_placed_together(desk: Desk, spec: MakeSpec) -> None:
    desk.write("here.yaml", PROFILE)
    whole = spec("whole").replace("[L4]", "[A100-80GB]").replace("count: 1", "count: 4")
    small = spec("small").replace("[L4]", "[A100-80GB]").replace("count: 1", "memory: 8Gi")
    desk.write("a.yaml", f"{whole}---\n{small}")
    done = desk.run("fit a.yaml -c here.yaml")
    assert done.code == 0, done.out
    assert done.out.count("1 pod on 1 node of half") == 2
    assert "half  1 node," in done.out
