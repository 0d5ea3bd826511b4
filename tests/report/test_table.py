"""What workloads ask of a cluster: counted as the scheduler counts, scaled as autoscalers do."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.demand.totals import Table, table
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import decode
from gpuspec.report.table import table_csv, table_json, table_markdown, table_text

HERE = Path(__file__).parent / "table"


def table_of(text: str) -> Table:
    return table(TextLoader([decode(text, "all.yaml")]))


def everything() -> Table:
    return table_of((HERE / "workloads.yaml").read_text(encoding="utf-8"))


def test_the_table_for_people() -> None:
    assert table_text(everything(), width=90) == (HERE / "table.txt").read_text(encoding="utf-8")
    assert table_markdown(everything()) == (HERE / "table.md").read_text(encoding="utf-8")


def test_a_narrow_terminal_has_paragraphs_in_place_of_columns() -> None:
    text = table_text(everything(), width=60)
    assert text == (HERE / "table-narrow.txt").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 60


def test_the_table_for_spreadsheets() -> None:
    text = table_csv(everything())
    rows = list(csv.DictReader(io.StringIO(text)))
    chat = next(row for row in rows if row["name"] == "chat")
    assert (chat["kind"], chat["namespace"], chat["pods min"], chat["pods max"]) == (
        "Deployment",
        "serving",
        "2",
        "8",
    )
    assert chat["nvidia.com/gpu per pod"] == "4"
    assert chat["nvidia.com/gpu max"] == "32"
    assert chat["memory per pod"] == str(122 * 1024**3 + 512 * 1024**2)
    assert chat["cpu min"] == "32.5"
    daemon = next(row for row in rows if row["kind"] == "DaemonSet")
    assert (daemon["pods min"], daemon["cpu per pod"], daemon["cpu min"]) == ("", "0.1", "")
    assert "'=cmd" in {row["name"] for row in rows}


def test_the_table_for_programs() -> None:
    made = json.loads(json.dumps(table_json(everything())))
    assert set(made) == {"workloads", "total", "clusters", "notes"}
    chat = next(one for one in made["workloads"] if one["object"]["name"] == "chat")
    assert chat["pods"] == {"min": 2, "max": 8}
    assert chat["scaled_by"] == "HorizontalPodAutoscaler chat"
    assert chat["each"] == {"nvidia.com/gpu": 4, "cpu": 16.25, "memory": 131_533_373_440}
    assert chat["total"]["nvidia.com/gpu"] == {"min": 8, "max": 32}
    assert made["total"]["resources"]["nvidia.com/mig-1g.10gb"] == {"min": 4, "max": 4}
    assert made["total"]["pods"]["max"] is None
    daemon = next(one for one in made["workloads"] if one["object"]["kind"] == "DaemonSet")
    assert daemon["pods"] is None
    assert daemon["total"] == {}


def test_nothing_to_count() -> None:
    assert (
        table_text(table_of("kind: ConfigMap\napiVersion: v1\n")).splitlines()[-1]
        == "Total        0"
    )


POD = "{containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]}"


def pods(text: str) -> list[tuple[str, int | None, int | None]]:
    """Role, least and most of each kind of pod."""
    asks = table_of(text.replace("POD", POD)).asks
    return [
        (a.role, *((None, None) if a.pods is None else (a.pods.least, a.pods.most))) for a in asks
    ]


LLM = "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: {name: a}\n"
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: x}
spec: {replicas: 3, template: {spec: POD}}
---
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DEPLOYMENT, [("pod", 3, 3)]),
        (
            DEPLOYMENT
            + "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: x}\n"
            "spec: {maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}",
            [("pod", 1, 4)],
        ),
        (
            DEPLOYMENT
            + "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: other}\n"
            "spec: {maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}",
            [("pod", 3, 3)],
        ),
        (
            DEPLOYMENT + "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: k}\n"
            "spec: {minReplicaCount: 1, idleReplicaCount: 0, scaleTargetRef: {name: a}}",
            [("pod", 0, 100)],
        ),
        (
            "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n"
            "spec: {parallelism: 6, completions: 4, template: {spec: POD}}",
            [("pod", 4, 4)],
        ),
        (
            "apiVersion: keda.sh/v1alpha1\nkind: ScaledJob\nmetadata: {name: a}\n"
            "spec: {maxReplicaCount: 5, jobTargetRef: {template: {spec: POD}}}",
            [("pod", 0, 5)],
        ),
        (
            "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: a}\nspec: {template: {metadata: "
            '{annotations: {autoscaling.knative.dev/minScale: "1", autoscaling.knative.dev/max-scale: "3"}}, spec: POD}}',
            [("pod", 1, 3)],
        ),
        (
            "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a}\n"
            "spec: {predictor: {minReplicas: 0, maxReplicas: 3, containers: [{name: a, image: a}]}}",
            [("predictor", 0, 3)],
        ),
        (
            f"{LLM}spec: {{replicas: 2, template: POD, router: {{scheduler: {{replicas: 3, template: POD}}}}, "
            "prefill: {scaling: {maxReplicas: 4}, template: POD}}",
            [("pod", 2, 2), ("prefill pod", 1, 4), ("scheduler", 3, 3)],
        ),
        (
            f"{LLM}spec: {{replicas: 2, parallelism: {{pipeline: 3}}, template: POD, worker: POD}}",
            [("leader", 2, 2), ("worker", 4, 4)],
        ),
        (
            f"{LLM}spec: {{parallelism: {{data: 16, dataLocal: 8}}, template: POD, worker: POD}}",
            [("leader", 1, 1), ("worker", 1, 1)],
        ),
        (
            f"{LLM}spec: {{template: POD}}\n---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n"
            "metadata: {name: a}\nspec: {minReplicas: 2, maxReplicas: 6, "
            "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a-kserve}}",
            [("pod", 2, 6)],
        ),
        (
            "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\nspec: {enableInTreeAutoscaling: true, "
            "headGroupSpec: {template: {spec: POD}}, workerGroupSpecs: [{groupName: g, replicas: 1, minReplicas: 1, "
            "maxReplicas: 4, numOfHosts: 2, template: {spec: POD}}]}",
            [("head", 1, 1), ("worker g", 2, 8)],
        ),
        (
            "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: {elasticPolicy: {minReplicas: 2, "
            "maxReplicas: 4}, pytorchReplicaSpecs: {Worker: {replicas: 3, template: {spec: POD}}}}",
            [("worker", 2, 4)],
        ),
        (
            "apiVersion: apps.nvidia.com/v1alpha1\nkind: NIMService\nmetadata: {name: a}\nspec: {scale: {enabled: true, "
            "hpa: {minReplicas: 1, maxReplicas: 3}}, resources: {limits: {nvidia.com/gpu: 1}}}",
            [("pod", 1, 3)],
        ),
        (
            "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: a}\n"
            "spec: {templates: [{name: t, container: {image: a}}]}",
            [("pod", None, None)],
        ),
        (
            "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\n"
            "spec: {trainer: {image: a, resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}}",
            [("trainer", None, None)],
        ),
        (
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: -3, template: {spec: POD}}",
            [("pod", 0, 0)],
        ),
    ],
    ids=lambda value: None if isinstance(value, list) else value.split("kind: ")[-1].split("\n")[0],
)
def test_how_many_pods_there_are(text: str, expected: list[tuple[str, int, int | None]]) -> None:
    assert pods(text) == expected


def amounts(spec: str) -> dict[str, float]:
    (ask,) = table_of(f"apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {spec}").asks
    return {name: float(amount) for name, amount in ask.each.items()}


def container(name: str, cpu: str, more: str = "") -> str:
    return f"{{name: {name}, image: a, {more} resources: {{requests: {{cpu: {cpu}}}}}}}"


SIDECAR = "restartPolicy: Always,"


@pytest.mark.parametrize(
    ("spec", "cpu"),
    [
        (f"{{containers: [{container('a', '2')}, {container('b', '500m')}]}}", 2.5),
        (f"{{initContainers: [{container('i', '4')}], containers: [{container('a', '2')}]}}", 4),
        # A sidecar stays while the containers run, and beside the init containers behind it.
        (
            f"{{initContainers: [{container('s', '1', SIDECAR)}], containers: [{container('a', '2')}]}}",
            3,
        ),
        (
            f"{{initContainers: [{container('s', '1', SIDECAR)}, {container('i', '4')}],"
            f" containers: [{container('a', '2')}]}}",
            5,
        ),
        (
            f"{{initContainers: [{container('i', '4')}, {container('s', '1', SIDECAR)}],"
            f" containers: [{container('a', '2')}]}}",
            4,
        ),
        (
            f"{{resources: {{requests: {{cpu: 8}}}}, overhead: {{cpu: 250m}}, containers: [{container('a', '2')}]}}",
            8.25,
        ),
        (
            "{containers: [{name: a, image: a, resources: {requests: {cpu: 2}, limits: {cpu: 6}}}]}",
            2,
        ),
        ("{containers: [{name: a, image: a, resources: {limits: {cpu: 6}}}]}", 6),
        # A limit of the whole pod is a request only where no container asks.
        (f"{{resources: {{limits: {{cpu: 8}}}}, containers: [{container('a', '2')}]}}", 2),
        ("{resources: {limits: {cpu: 8}}, containers: [{name: a, image: a}]}", 8),
    ],
)
def test_a_pod_is_counted_as_the_scheduler_does(spec: str, cpu: float) -> None:
    assert amounts(spec) == {"cpu": cpu}


def test_amounts_beyond_any_quantity_are_summed() -> None:
    huge = "{containers: [{name: a, image: a, resources: {limits: {memory: 7Ei}}}]}"
    text = DEPLOYMENT.replace("POD", huge).replace("replicas: 3", f"replicas: {10**30}")
    assert table_text(table_of(text + text))
    assert table_csv(table_of(text))
    json.dumps(table_json(table_of(text)))


def test_a_list_of_many_objects_is_read_for_its_places_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gpuspec.manifests.graph import compose

    pod = (
        "- {apiVersion: v1, kind: Pod, metadata: {name: p%d}, spec: {containers: [{name: a, image: b,"
        " resources: {limits: {nvidia.com/gpu: 1}}}]}}\n"
    )
    items = "".join(pod % number for number in range(50))
    (tmp_path / "list.yaml").write_text(f"apiVersion: v1\nkind: List\nitems:\n{items}")
    composed = []

    def counted(*given: Any) -> Any:
        composed.append(given)
        return compose(*given)

    monkeypatch.setattr("gpuspec.manifests.positions.compose", counted)
    found = gpuspec.table(str(tmp_path / "list.yaml"))
    assert len({ask.line for ask in found.asks}) == 50
    assert len(composed) == 1
