"""Kinds of projects beside Kubernetes: how many pods and devices an object comes to."""

import textwrap
from pathlib import Path

import pytest

import gpuspec
from gpuspec.kinds import kinds
from gpuspec.kinds.table import HOMES

POD = """\
spec:
  containers:
    - name: main
      image: registry.example.com/server:1
      resources: {limits: {nvidia.com/gpu: 2}}
"""
SPEC = textwrap.dedent(POD.partition("\n")[2])


def an(version: str, kind: str, spec: str) -> str:
    """An object whose spec holds POD and SPEC, indented to where they stand."""
    lines = [
        f"apiVersion: {version}",
        f"kind: {kind}",
        "metadata: {name: x, namespace: ml}",
        "spec:",
    ]
    for line in textwrap.dedent(spec).strip("\n").splitlines():
        pad, name = line[: len(line) - len(line.lstrip())], line.strip()
        text = {"POD": POD, "SPEC": SPEC}.get(name)
        lines += textwrap.indent(text or name, f"  {pad}").splitlines()
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("version", "kind", "spec", "roles"),
    [
        (
            "workload.serving.volcano.sh/v1alpha1",
            "ModelServing",
            """
            replicas: 2
            template:
              roles:
                - name: decode
                  replicas: 3
                  workerReplicas: 4
                  entryTemplate:
                    POD
                  workerTemplate:
                    POD
            """,
            {"decode": 6, "worker decode": 24},
        ),
        (
            "workload.serving.volcano.sh/v1alpha1",
            "ModelBooster",
            """
            backend:
              replicas: 2
              workers:
                - {type: prefill, pods: 2, resources: {limits: {nvidia.com/gpu: 2}}}
                - {type: decode, resources: {limits: {nvidia.com/gpu: 2}}}
            """,
            {"prefill": 4, "decode": 2},
        ),
        (
            "orchestration.aibrix.ai/v1alpha1",
            "StormService",
            """
            replicas: 2
            template:
              spec:
                roles:
                  - name: prefill
                    replicas: 3
                    podGroupSize: 2
                    template:
                      POD
            """,
            {"prefill": 12},
        ),
        (
            "orchestration.aibrix.ai/v1alpha1",
            "RayClusterFleet",
            """
            replicas: 3
            template:
              spec:
                headGroupSpec:
                  template:
                    POD
                workerGroupSpecs:
                  - groupName: small
                    replicas: 2
                    template:
                      POD
            """,
            {"head": 3, "worker small": 6},
        ),
        (
            "workloads.x-k8s.io/v1alpha1",
            "RoleBasedGroup",
            """
            roles:
              - name: prefill
                replicas: 2
                leaderWorkerSet: {size: 3}
                template:
                  POD
            """,
            {"prefill": 6},
        ),
        (
            "workloads.x-k8s.io/v1alpha2",
            "RoleBasedGroupSet",
            """
            replicas: 2
            groupTemplate:
              spec:
                roles:
                  - {name: one, replicas: 2, standalonePattern: {templateRef: {name: base}}}
                  - {name: two, replicas: 1, leaderWorkerPattern: {size: 3, templateRef: {name: base}}}
                roleTemplates:
                  - name: base
                    template:
                      POD
            """,
            {"base": 10},
        ),
        (
            "grove.io/v1alpha1",
            "PodCliqueSet",
            """
            replicas: 2
            template:
              podCliqueScalingGroups:
                - {name: group, replicas: 3, cliqueNames: [decode]}
              cliques:
                - name: router
                  spec:
                    replicas: 1
                    podSpec:
                      SPEC
                - name: decode
                  spec:
                    replicas: 4
                    podSpec:
                      SPEC
            """,
            {"router": 2, "decode": 24},
        ),
        (
            "ome.io/v1beta1",
            "InferenceService",
            """
            engine:
              minReplicas: 2
              leader:
                SPEC
              worker:
                size: 3
                SPEC
            """,
            {"engine": 2, "worker engine": 6},
        ),
        (
            "inference.llmaz.io/v1alpha1",
            "Service",
            """
            replicas: 2
            workloadTemplate:
              size: 4
              leaderTemplate:
                POD
              workerTemplate:
                POD
            """,
            {"leader": 2, "worker": 6},
        ),
        (
            "apps.nvidia.com/v1alpha1",
            "NIMPipeline",
            """
            services:
              - {name: llm, spec: {replicas: 3, resources: {limits: {nvidia.com/gpu: 2}}}}
              - {name: spare, enabled: false, spec: {resources: {limits: {nvidia.com/gpu: 2}}}}
            """,
            {"llm": 3, "spare": 0},
        ),
        (
            "nvidia.com/v1beta1",
            "DynamoGraphDeployment",
            """
            components:
              - name: decode
                replicas: 2
                multinode: {nodeCount: 3}
                podTemplate:
                  POD
            """,
            {"decode": 6},
        ),
        (
            "nvidia.com/v1alpha1",
            "DynamoComponentDeployment",
            """
            replicas: 2
            extraPodSpec:
              SPEC
            """,
            {"pod": 2},
        ),
        ("kubeflow.org/v1", "Notebook", "template:\n  POD", {"pod": 1}),
        ("apps.kruise.io/v1beta1", "CloneSet", "replicas: 3\ntemplate:\n  POD", {"pod": 3}),
        ("apps.openshift.io/v1", "DeploymentConfig", "replicas: 3\ntemplate:\n  POD", {"pod": 3}),
        ("agents.x-k8s.io/v1beta1", "Sandbox", "podTemplate:\n  POD", {"pod": 1}),
        (
            "agents.x-k8s.io/v1beta1",
            "Sandbox",
            "operatingMode: Suspended\npodTemplate:\n  POD",
            {"pod": 0},
        ),
        (
            "kubernetes.dask.org/v1",
            "DaskJob",
            """
            job:
              POD
            cluster:
              spec:
                worker:
                  replicas: 3
                  POD
            """,
            {"job": 1, "worker": 3},
        ),
        (
            "machinelearning.seldon.io/v1",
            "SeldonDeployment",
            """
            replicas: 5
            predictors:
              - name: main
                replicas: 2
                componentSpecs:
                  - metadata: {}
                    POD
              - name: canary
                componentSpecs:
                  - replicas: 3
                    POD
            """,
            {"main": 2, "canary": 3},
        ),
        (
            "serving.yatai.ai/v2alpha1",
            "BentoDeployment",
            """
            autoscaling: {minReplicas: 2, maxReplicas: 4}
            extraPodSpec:
              SPEC
            runners:
              - name: llm
                extraPodSpec:
                  SPEC
            """,
            {"api-server": 2, "llm": 1},
        ),
        (
            "sparkoperator.k8s.io/v1beta2",
            "SparkApplication",
            """
            sparkConf: {spark.driver.resource.gpu.vendor: nvidia.com, spark.driver.resource.gpu.amount: "2"}
            driver: {}
            executor:
              instances: 3
              template:
                POD
            """,
            {"driver": 1, "executor": 3},
        ),
        (
            "tekton.dev/v1",
            "TaskRun",
            """
            taskSpec:
              steps:
                - {image: a, computeResources: {limits: {nvidia.com/gpu: 1}}}
                - {image: a, computeResources: {limits: {nvidia.com/gpu: 1}}}
            """,
            {"pod": 1},
        ),
        (
            "kubeflow.org/v1beta1",
            "Experiment",
            """
            maxTrialCount: 9
            trialTemplate:
              trialSpec:
                apiVersion: batch/v1
                kind: Job
                spec:
                  parallelism: 2
                  template:
                    POD
            """,
            {"pod": 6},
        ),
    ],
)
def test_pods_are_counted_as_the_operator_does(
    version: str, kind: str, spec: str, roles: dict[str, int], tmp_path: object
) -> None:
    file = f"{tmp_path}/x.yaml"
    with open(file, "w") as stream:  # noqa: PTH123
        stream.write(an(version, kind, spec))
    table = gpuspec.table(file)
    counts = {ask.role: ask.pods for ask in table.asks}
    assert {role: scale and scale.least for role, scale in counts.items()} == roles
    devices = table.total.get("nvidia.com/gpu")
    assert devices is not None and devices.least == 2 * sum(roles.values())
    # Of some kinds a pod may have containers of which the object says nothing.
    assert [note for note in table.notes if "count as zero" not in note] == []


def test_every_group_of_a_file_is_found_by_it() -> None:
    found = {kind.group for kind in kinds()}
    assert found == set(HOMES)


def test_the_order_of_applying_has_every_kind_once() -> None:
    names = [(kind.group, kind.name) for kind in kinds()]
    assert len(names) == len(set(names))


def test_a_part_is_counted_whatever_it_is_called(tmp_path: Path) -> None:
    """A TrainJob's patches are no pods of their own; a JobSet's job named `patch` is."""
    spec = """
    replicatedJobs:
      - name: patch
        replicas: 3
        template:
          spec:
            template:
              POD
    """
    before, after = tmp_path / "a.yaml", tmp_path / "b.yaml"
    before.write_text(an("jobset.x-k8s.io/v1alpha2", "JobSet", spec))
    after.write_text(before.read_text().replace("replicas: 3", "replicas: 4"))
    assert [ask.role for ask in gpuspec.table(str(before)).asks] == ["patch"]
    (profile,) = gpuspec.load_profiles("examples/clusters/bare-metal.yaml")
    assert [one.role for one in gpuspec.fit(str(before), profile=profile).workloads] == ["patch"]
    (total,) = gpuspec.diff(str(before), str(after)).totals
    assert [int(one.least) for one in (total.old, total.new)] == [6, 8]
