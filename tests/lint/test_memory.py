"""Memory of the host and of `/dev/shm`, against processes and models."""

from typing import Any

import pytest
import yaml

from gpuspec.manifests import Quantity
from gpuspec.settings.config import Facts
from tests.lint.edges import Edge, laid, main, pod, said, spoken
from tests.lint.pages import merge
from tests.lint.patched import of
from tests.lint.patched import said as patched
from tests.lint.plain import an, text
from tests.lint.sets import base

EDGES = (
    # C-42: shared memory.
    Edge(
        "C-42 two ranks",
        "statefulset",
        main("volumeMounts: [{name: shm, mountPath: /x}]"),
        ("GPU901 warning",),
    ),
    Edge(
        "C-42 two GPUs",
        "statefulset",
        main("volumeMounts: [{name: shm, mountPath: /x}]\nargs: [/models/m]"),
        ("GPU901 warning",),
    ),
    Edge(
        "C-42 two slices",
        "job",
        main(
            "volumeMounts: [{name: shm, mountPath: /x}]\ncommand: [python, t.py]\nresources: {limits: "
            "{nvidia.com/gpu: null, nvidia.com/mig-1g.10gb: 2}, requests: {nvidia.com/gpu: null, "
            "nvidia.com/mig-1g.10gb: 2}}"
        ),
    ),
    Edge(
        "C-42 only looks",
        "job",
        main("volumeMounts: [{name: shm, mountPath: /x}]\ncommand: [nvidia-smi]"),
    ),
    Edge(
        "C-42 mpirun starts a process a GPU",
        "statefulset",
        main(
            "volumeMounts: [{name: shm, mountPath: /x}]\ncommand: [mpirun, -np, '2', python, t.py]"
        ),
        ("GPU901 warning",),
    ),
    Edge(
        "C-42 mpirun measures",
        "job",
        main(
            "volumeMounts: [{name: shm, mountPath: /x}]\ncommand: [mpirun, -np, '8', all_reduce_perf]"
        ),
        ("GPU901 warning",),
    ),
    Edge(
        "C-42 mpirun starts a process a node",
        "job",
        main(
            "volumeMounts: [{name: shm, mountPath: /x}]\ncommand: [mpirun, -np, '8', --map-by, "
            "'ppr:1:node', all_reduce_perf]"
        ),
    ),
    Edge(
        "C-42 holds a place",
        "job",
        main(
            "volumeMounts: null\ncommand: null\nargs: null\nenv: null\nimage: registry.k8s.io/pause:3.10"
        ),
    ),
    Edge("C-42 one GPU", "deployment", main("volumeMounts: [{name: shm, mountPath: /x}]")),
    Edge(
        "C-42 data loaders",
        "cronjob",
        "spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: main, volumeMounts: [{name: "
        "shm, mountPath: /x}], command: [python, train.py, --num_workers=8]}]}}}}}",
        ("GPU901 warning",),
    ),
    Edge(
        "C-42 no bound at all",
        "job",
        pod("volumes: [{name: shm, emptyDir: {sizeLimit: null}}]")
        + "\n"
        + main("resources: {limits: {memory: null}}").split("    spec:\n", 1)[1],
        ("GPU903 warning",),
    ),
)


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.shows)
def test_edges(edge: Edge) -> None:
    assert spoken(edge) == sorted(edge.said)


@pytest.mark.parametrize("offline", ["0", "1"])
@pytest.mark.parametrize(
    ("limit", "severity"), [("4Gi", "warning"), ("32Gi", "info"), ("64Gi", None)]
)
def test_host_memory_against_the_model(limit: str, severity: str | None, offline: str) -> None:
    """C-41: below any server it is sure to hurt; with the model's size, slow to load, whether it is
    downloaded or lies there already."""
    patch = main(
        f"args: [org/m, --served-model-name, chat]\nresources: {{requests: {{memory: {limit}}}, "
        f"limits: {{memory: {limit}}}}}\nenv: [{{name: HF_HUB_OFFLINE, value: '{offline}'}}]"
    )
    shm: dict[str, Any] = {"volumes": [{"name": "shm", "emptyDir": {"sizeLimit": "1Gi"}}]}
    text = yaml.safe_load(laid("deployment", patch).split("\n---\n")[0])
    text = merge(text, {"spec": {"template": {"spec": shm}}})
    facts = Facts(models={"org/m": Quantity.parse("40Gi")})
    found = said(yaml.safe_dump(text), facts=facts)
    assert [one.severity for one in found if one.rule == "GPU907"] == (
        [severity] if severity else []
    )


@pytest.mark.parametrize("kind", ["raycluster", "rayclusterfleet", "rayclusterreplicaset"])
def test_kuberay_mounts_shared_memory_where_nothing_is_mounted(kind: str) -> None:
    """Whoever makes the RayCluster."""
    one = base(kind)
    spec = one["spec"] if kind == "raycluster" else one["spec"]["template"]["spec"]
    pods = spec["workerGroupSpecs"][0]["template"]["spec"]
    (main_one,) = pods["containers"]
    main_one["volumeMounts"] = [
        each for each in main_one["volumeMounts"] if each["mountPath"] != "/dev/shm"
    ]
    assert not of("GPU901", text(one))
    elsewhere = an("v1", "Pod", "alone", spec=pods)
    assert of("GPU901", text(elsewhere))


def test_the_kubelet_makes_no_volume_larger_than_the_memory_limit() -> None:
    """C-42: it says what is written, not what the volume may hold."""
    (one,) = patched("GPU904", "job", pod("volumes: [{name: shm, emptyDir: {sizeLimit: 9Ti}}]"))
    assert one.message.startswith(
        "`sizeLimit` of volume `shm` is 9Ti, but its files count against the pod's memory limit of "
    )
