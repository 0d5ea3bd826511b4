"""Twice as many manifests are twice the work: no line of the linter runs for each pair of them."""

import copy
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import gpuspec

LINTER = str(Path(gpuspec.__file__).parent / "lint")
FEW = 5
"""Manifests of a kind; then twice, and four times as many."""
LIMITS = {"memory": "64Gi", "nvidia.com/gpu": 1}
CONTAINER = {
    "name": "main",
    "image": "vllm/vllm-openai:v0.9.0",
    "ports": [{"name": "http", "containerPort": 8000}],
    "resources": {"limits": LIMITS},
}
Objects = list[dict[str, Any]]
Trace = Callable[[FrameType, str, Any], Any]


def server(labels: dict[str, str], namespace: str = "", **spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": labels}, "spec": {"containers": [CONTAINER], **spec}}
    deployment = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    return made("apps/v1", "Deployment", labels["app"], namespace, spec=deployment)


def job(name: str, namespace: str = "", queue: str = "", **spec: Any) -> dict[str, Any]:
    pod = {"restartPolicy": "Never", "containers": [CONTAINER], **spec}
    one = made("batch/v1", "Job", name, namespace, spec={"template": {"spec": pod}})
    if queue:
        one["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": queue}
    return one


def service(labels: dict[str, str], namespace: str = "") -> dict[str, Any]:
    spec = {"selector": labels, "ports": [{"port": 80, "targetPort": "https"}]}
    return made("v1", "Service", labels["app"], namespace, spec=spec)


def budget(labels: dict[str, str], namespace: str = "") -> dict[str, Any]:
    spec = {"maxUnavailable": 0, "selector": {"matchLabels": labels}}
    return made("policy/v1", "PodDisruptionBudget", labels["app"], namespace, spec=spec)


def scaler(name: str, namespace: str = "") -> dict[str, Any]:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    spec = {"scaleTargetRef": target, "maxReplicas": 4}
    return made("autoscaling/v2", "HorizontalPodAutoscaler", name, namespace, spec=spec)


def made(version: str, kind: str, name: str, namespace: str, **fields: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def own(at: int) -> dict[str, str]:
    return {"app": f"server-{at}", "part-of": "chat"}


ONE = {"app": "server"}


def claims(at: int) -> Objects:
    modes = {"accessModes": ["ReadWriteOnce"]}
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    space = f"team-{at}"
    return [
        made("v1", "PersistentVolumeClaim", "data", space, spec=modes),
        job("train", space, volumes=[volume]),
    ]


def shared_claim(at: int) -> Objects:
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    first = claims(0)[:1] if at == 0 else []
    return [*first, job(f"train-{at}", "team-0", volumes=[volume])]


def queues(at: int) -> Objects:
    quota = {"name": "nvidia.com/gpu", "nominalQuota": 4}
    flavors = [{"name": f"flavor-{at}", "resources": [quota]}]
    groups = [{"coveredResources": ["nvidia.com/gpu"], "flavors": flavors}]
    cluster: dict[str, Any] = {"cohort": "all", "resourceGroups": groups}
    version = "kueue.x-k8s.io/v1beta1"
    return [
        made(version, "ResourceFlavor", f"flavor-{at}", "", spec={}),
        made(version, "ClusterQueue", f"cluster-{at}", "", spec=cluster),
        made(version, "LocalQueue", f"local-{at}", "", spec={"clusterQueue": f"cluster-{at}"}),
        job(f"train-{at}", queue=f"local-{at}"),
    ]


def namespace_rules(at: int) -> Objects:
    space = f"team-{at}"
    rows = [{"type": "Container", "default": {"cpu": "1"}}]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}
    subjects = [{"kind": "ServiceAccount", "name": "default", "namespace": space}]
    rbac = "rbac.authorization.k8s.io/v1"
    return [
        made("v1", "Namespace", space, ""),
        made("v1", "LimitRange", "limits", space, spec={"limits": rows}),
        made("v1", "ResourceQuota", "quota", space, spec={"hard": {"requests.cpu": "4"}}),
        made("v1", "ServiceAccount", "default", space),
        made(rbac, "RoleBinding", "reads", space, roleRef=role, subjects=subjects),
        service({"app": "vllm"}, space),
        server({"app": "vllm"}, space),
    ]


def classes(at: int) -> Objects:
    low = made("scheduling.k8s.io/v1", "PriorityClass", "high", "", value=1000)
    return [
        *([low] if at == 0 else []),
        server(own(at), priorityClassName="unknown"),
        job(f"train-{at}", priorityClassName="high"),
    ]


GROWTHS: dict[str, Callable[[int], Objects]] = {
    "Services and pods of one name in many namespaces": lambda at: [
        service(ONE, f"team-{at}"),
        server(ONE, f"team-{at}"),
    ],
    "Services and pods with a label in common": lambda at: [service(own(at)), server(own(at))],
    "Services that miss their pods": lambda at: [
        service({"app": f"dev-server-{at}"}),
        server({"app": f"server-{at}"}),
    ],
    "budgets and pods of one name in many namespaces": lambda at: [
        budget(ONE, f"team-{at}"),
        server(ONE, f"team-{at}"),
    ],
    "budgets and pods with a label in common": lambda at: [budget(own(at)), server(own(at))],
    "copies": lambda _: [service(ONE), budget(ONE), scaler("server"), server(ONE)],
    "autoscalers in many namespaces": lambda at: [
        scaler("server", f"team-{at}"),
        server(ONE, f"team-{at}"),
    ],
    "autoscalers that miss": lambda at: [
        scaler(f"dev-server-{at}"),
        server({"app": f"server-{at}"}),
    ],
    "claims of one name in many namespaces": claims,
    "pods with one claim": shared_claim,
    "queues": queues,
    "what namespaces say": namespace_rules,
    "priorities": classes,
}


@pytest.mark.parametrize("make", GROWTHS.values(), ids=GROWTHS.keys())
def test_objects(make: Callable[[int], Objects], here: Path) -> None:
    def write(count: int) -> None:
        objects = [one for at in range(count) for one in make(at)]
        (here / "all.yaml").write_text("\n---\n".join(map(json.dumps, objects)))

    assert superlinear(write, here) == []


def test_files_with_one_manifest_each(here: Path) -> None:
    def write(count: int) -> None:
        for at in range(count):
            (here / f"{at}").mkdir(exist_ok=True)
            (here / f"{at}" / "server.yaml").write_text(json.dumps(server(ONE)))

    assert superlinear(write, here) == []


def test_comments(here: Path) -> None:
    said = '# gpuspec: ignore[GPU602] for a test\n"spec"'

    def write(count: int) -> None:
        texts = [json.dumps(server(own(at))).replace('"spec"', said, 1) for at in range(count)]
        (here / "all.yaml").write_text("\n---\n".join(texts))

    assert superlinear(write, here) == []


def test_comments_in_one_document(here: Path) -> None:
    def write(count: int) -> None:
        one = copy.deepcopy(server(ONE))
        spec = one["spec"]["template"]["spec"]
        spec["containers"] = [{**CONTAINER, "name": f"main-{at}"} for at in range(count)]
        said = '# gpuspec: ignore[GPU602] for a test\n"image"'
        (here / "all.yaml").write_text(json.dumps(one).replace('"image"', said))

    assert superlinear(write, here) == []


def test_annotations(here: Path) -> None:
    def write(count: int) -> None:
        objects = [server(own(at)) for at in range(count)]
        for one in objects:
            one["metadata"]["annotations"] = {"gpuspec.dev/ignore": "GPU602: for a test"}
        (here / "all.yaml").write_text("\n---\n".join(map(json.dumps, objects)))

    assert superlinear(write, here) == []


def test_what_is_said_many_times_is_kept_once(here: Path) -> None:
    text = "\n---\n".join(json.dumps(job(f"job-{at}")) for at in range(FEW))
    (here / "jobs.yaml").write_text(text)
    found = gpuspec.lint(str(here)).findings
    for said in ([one.message for one in found], [one.note for one in found if one.note]):
        assert len({id(one) for one in said}) == len(set(said)) < len(said)


def superlinear(write: Callable[[int], None], folder: Path) -> list[str]:
    """The lines that ran more than twice as often, for twice as many manifests, as they would have
    if what is added by each manifest were always the same."""
    counts = []
    for count in (FEW, FEW, 2 * FEW, 4 * FEW):
        write(count)
        counts.append(ran(lambda: gpuspec.lint(str(folder))))
    _, few, more, many = counts
    return [
        f"{line}: {few[line]}, {more[line]}, {many[line]}"
        for line in many
        # Twice, and a logarithm: what is sorted.
        if many[line] - more[line] > 2.6 * max(more[line] - few[line], FEW)
    ]


def ran(what: Callable[[], object]) -> Counter[str]:
    """How often each line of the linter runs; the text of fixes is another matter."""
    times: Counter[str] = Counter()

    def called(frame: FrameType, event: str, value: Any) -> Trace | None:
        name = frame.f_code.co_filename
        return line if name.startswith(LINTER) and "/fixing/" not in name else None

    def line(frame: FrameType, event: str, value: Any) -> Trace:
        if event == "line":
            name = frame.f_code.co_filename.removeprefix(LINTER)
            times[f"{name}:{frame.f_lineno}"] += 1
        return line

    before = sys.gettrace()
    sys.settrace(called)
    try:
        what()
    finally:
        sys.settrace(before)
    return times


def test_kustomizations_with_prefixes(here: Path) -> None:
    def write(count: int) -> None:
        for at in range(count):
            folder = here / f"team-{at}"
            folder.mkdir(exist_ok=True)
            template = made("resource.k8s.io/v1", "ResourceClaimTemplate", f"gpu-{at}", "")
            claims = [{"name": "gpu", "resourceClaimTemplateName": f"gpu-{at}"}]
            pod = made("v1", "Pod", f"p-{at}", "")
            pod["spec"] = {"containers": [CONTAINER], "resourceClaims": claims}
            (folder / "all.yaml").write_text("\n---\n".join(map(json.dumps, (template, pod))))
            named = {"namePrefix": "dev-", "resources": ["all.yaml"]}
            (folder / "kustomization.yaml").write_text(json.dumps(named))

    assert superlinear(write, here) == []
