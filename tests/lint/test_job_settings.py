"""GPU851, of what runs jobs: every row of its table, by settings that contradict and by some that
do not."""

import pytest

from tests.lint.pages import raised

RELEASE = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: it, namespace: ml}}
spec:
  interval: 1h
  chart: {{spec: {{chart: {chart}, version: {version}, sourceRef: {{kind: HelmRepository, name: n}}}}}}
  values: {values}
"""
OBJECT = """apiVersion: {api}
kind: {kind}
metadata: {{name: it, namespace: ml}}
spec: {spec}
"""
SPARK = ("sparkoperator.k8s.io/v1beta2", "SparkApplication")
AMOUNT = "spark.executor.resource.gpu.amount: '1'"
VENDOR = "spark.executor.resource.gpu.vendor: nvidia.com"
SCRIPT = "spark.executor.resource.gpu.discoveryScript: /opt/gpus.sh"
TOLD = f"{AMOUNT}, {VENDOR}, {SCRIPT}"
RAPIDS = "spark.plugins: com.nvidia.spark.SQLPlugin"
TASK = "spark.task.resource.gpu.amount"
SLURM = ("slurm", "1.0.0")
LIMITS = "slurmd: {resources: {limits: {nvidia.com/gpu: 8}}}"
GRES = "extraConfMap: {Gres: ['gpu:h100:8']}"
TYPES = "controller: {extraConfMap: {GresTypes: gpu}}"
CONF = "configFiles: {gres.conf: AutoDetect=nvidia}"
ARC = ("gha-runner-scale-set", "0.12.1")
GPU = "resources: {limits: {nvidia.com/gpu: 1}}"
CLAIM = "kubernetesModeWorkVolumeClaim: {accessModes: [ReadWriteOnce]}"
HOOK = "env: [{name: ACTIONS_RUNNER_CONTAINER_HOOK_TEMPLATE, value: /t.yaml}]"
WORKERS = "workerGroupSpecs: [{groupName: g, template: {spec: {restartPolicy: %s}}}]"
JOBS = [
    # Of what, what is wrong, what is right, and a word of what is said.
    (SPARK, f"sparkConf: {{{TASK}: '0.5'}}", f"sparkConf: {{{TOLD}, {TASK}: '0.5'}}", "amount` is not set"),
    (SPARK, f"sparkConf: {{{AMOUNT}, {SCRIPT}}}", f"sparkConf: {{{TOLD}}}", "no `spark.executor.resource.gpu.vendor`"),
    (
        SPARK,
        "sparkConf: {spark.driver.resource.gpu.amount: '1'}",
        "sparkConf: {spark.driver.resource.gpu.amount: '0'}",
        "no `spark.driver.resource.gpu.vendor`",
    ),
    (SPARK, f"sparkConf: {{{AMOUNT}, {VENDOR}}}", f"sparkConf: {{{TOLD}}}", "no script to find"),
    (SPARK, f"sparkConf: {{{TOLD}, {TASK}: '0.75'}}", f"sparkConf: {{{TOLD}, {TASK}: '0.5'}}", "neither at most 0.5"),
    (SPARK, f"sparkConf: {{{TOLD}, {TASK}: '2'}}", f"sparkConf: {{{TOLD}, {TASK}: '1'}}", "GPUs, but an executor has only one"),
    (
        SPARK,
        f"executor: {{cores: 8}}, sparkConf: {{{TOLD}, {RAPIDS}, {TASK}: '1'}}",
        f"executor: {{cores: 1}}, sparkConf: {{{TOLD}, {RAPIDS}, {TASK}: '1'}}",
        "requests a whole GPU",
    ),
    (SPARK, f"sparkConf: {{{RAPIDS}}}", f"sparkConf: {{{RAPIDS}}}, executor: {{gpu: {{name: g, quantity: 1}}}}", "request no GPU"),
    (
        SPARK,
        f"sparkConf: {{{TOLD}, spark.rapids.memory.pinnedPool.size: 8g}}",
        f"sparkConf: {{{TOLD}, spark.rapids.memory.pinnedPool.size: 8g}}, executor: {{memoryOverhead: 12g}}",
        "a pinned pool of",
    ),
    (SLURM, f"nodesets: {{a: {{{LIMITS}}}}}", f"nodesets: {{a: {{{LIMITS}, {GRES}}}}}, {TYPES}, {CONF}", "no nodeset has a `Gres`"),
    (SLURM, f"nodesets: {{a: {{{GRES}}}}}, {CONF}", f"nodesets: {{a: {{{GRES}}}}}, {TYPES}, {CONF}", "has no `GresTypes`"),
    (SLURM, f"nodesets: {{a: {{{GRES}}}}}, {TYPES}", f"nodesets: {{a: {{{GRES}}}}}, {TYPES}, {CONF}", "there is no gres.conf"),
    (
        ARC,
        f"containerMode: {{type: kubernetes, {CLAIM}}}, template: {{spec: {{containers: [{{name: runner, {GPU}}}]}}}}",
        f"containerMode: {{type: kubernetes, {CLAIM}}}, template: {{spec: {{containers: [{{name: runner, {GPU}, {HOOK}}}]}}}}",
        "without the runner's GPUs",
    ),
    (ARC, "containerMode: {type: kubernetes}", f"containerMode: {{type: kubernetes, {CLAIM}}}", "needs a volume for the work"),
    (
        ARC,
        f"template: {{spec: {{containers: [{{name: gpu, {GPU}}}]}}}}",
        f"template: {{spec: {{containers: [{{name: runner, {GPU}}}]}}}}",
        "no container is named `runner`",
    ),
    (
        ("ray.io/v1", "RayCluster"),
        f"enableInTreeAutoscaling: true, {WORKERS % 'Always'}",
        f"enableInTreeAutoscaling: true, {WORKERS % 'Never'}",
        "stopped as idle",
    ),
    (("batch/v1", "CronJob"), "startingDeadlineSeconds: 5", "startingDeadlineSeconds: 60", "between two checks"),
    (("trainer.kubeflow.org/v1alpha1", "TrainJob"), "trainer: {numNodes: 0}", "trainer: {numNodes: 1}", "nodes or processes"),
    (
        ("trainer.kubeflow.org/v1alpha1", "TrainJob"),
        "runtimeRef: {name: torch-distributed}, trainer: {env: [{name: PET_NNODES, value: '2'}]}",
        "runtimeRef: {name: torch-distributed}, trainer: {env: [{name: PET_LOG_DIR, value: a}]}",
        "Trainer's own variable",
    ),
    (
        ("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime"),
        "template: {spec: {replicatedJobs: [{name: node, template: {}}]}}",
        "template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}]}}",
        "no job has the label",
    ),
    (
        ("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime"),
        "podGroupPolicy: {coscheduling: {}, volcano: {}}",
        "podGroupPolicy: {volcano: {}}",
        "names both `coscheduling` and `volcano`",
    ),
    (("spark-operator", "2.1.0"), "webhook: {enable: false}", "webhook: {enable: true}", "without its webhook"),
]  # fmt: skip


def text_of(product: tuple[str, str], settings: str) -> str:
    """Return a manifest with the settings of a chart, or of a kind."""
    first, second = product
    if second[0].isdigit():
        return RELEASE.format(chart=first, version=second, values=f"{{{settings}}}") + (
            "---\n"
            + OBJECT.format(
                api=SPARK[0],
                kind=SPARK[1],
                spec="{executor: {instances: 2, tolerations: [{operator: Exists}]}}",
            )
        )
    return OBJECT.format(api=first, kind=second, spec=f"{{{settings}}}")


@pytest.mark.parametrize(("product", "wrong", "right", "word"), JOBS)
def test_settings_that_contradict_one_another(
    product: tuple[str, str], wrong: str, right: str, word: str
) -> None:
    messages = said(text_of(product, wrong))
    assert [message for message in messages if word in message], messages
    assert not said(text_of(product, right))


def said(text: str) -> list[str]:
    """Return what the rule says of a manifest."""
    return [one.finding().message for one in raised(text) if one.rule.code == "GPU851"]
