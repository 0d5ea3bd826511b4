"""What tries begin with: the texts that this repository has, by the role that a file has in a command."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import yaml

from tests.fuzz.nodes import MAP, SCALAR, Node, read, walk

ROOT = Path(__file__).parents[2]
_FENCED = re.compile(r"^```yaml[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LONGEST = 16_000
_DONORS = 12

_CONFIG = """\
select: [GPU]
ignore: [GPU101]
severities: {GPU201: warning}
per-path: {"*.yaml": {ignore: [GPU2], severities: {GPU301: error}}}
pod-paths: {example.com/Kind: [spec.template.spec, "spec.parts[*].template.spec"]}
models: {Qwen/Qwen3-8B: 16Gi}
images: {ghcr.io/example/x: [shm, root]}
profile: eks
baseline: known.json
required-version: ">=0.0,<99"
"""
_BASELINE = """\
{"version": 1, "findings": [
 {"file": "k8s.yaml", "rule": "GPU201", "object": "Deployment ml/chat", "path": "spec.template.spec", "count": 2},
 {"file": "k8s.yaml", "rule": "GPU103", "object": "Pod default/try", "path": ""}]}
"""
_RECORD = """\
{"format": 1, "runs": [{"inputs": ["../spec.yaml", "generic"], "files":
 {"serving-chat-service.yaml": "sha256:0", "x.yaml": "sha256:1"}}]}
"""
_MIX = """\
name,count,gpus,cpu,memory,resource,model
small,20,1,4,16Gi,,
large,3,8,64,512Gi,nvidia.com/gpu,H100-80GB
half,4,1,2,8Gi,nvidia.com/mig-3g.40gb,
none,9,0,1,1Gi,,
"""
_KUSTOMIZATION = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: prod
namePrefix: a-
commonLabels: {app: x}
resources: [k8s.yaml, ../base]
images: [{name: x, newTag: "1"}]
replicas: [{name: chat, count: 3}]
patches:
  - path: patch.yaml
  - target: {kind: Deployment, name: chat}
    patch: |-
      - {op: replace, path: /spec/replicas, value: 2}
configMapGenerator: [{name: a, literals: [x=1]}]
"""
_LINT = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: krm.gpuspec.dev/v1alpha1
  kind: Lint
  metadata: {name: lint}
  spec: {profile: eks, select: [GPU], ignore: [GPU101], severity: info, failOn: error, annotate: true}
items:
"""
_PARAMETERS = """\
[{"name": "profile", "string": "gke"}, {"name": "specs", "array": ["spec.yaml"]},
 {"name": "lint", "string": "annotate"}, {"name": "chat:replicas.max", "string": "9"}]
"""


@cache
def texts(role: str) -> tuple[str, ...]:
    """The texts of a role, in one order."""
    return tuple(dict.fromkeys(_ROLES[role]()))


@cache
def trees(role: str) -> tuple[tuple[Node, ...], ...]:
    """The texts of a role as trees, those that are some and not too long to be changed often."""
    found = []
    for text in texts(role):
        try:
            found.append(tuple(read(text)))
        except yaml.YAMLError:
            continue
    return tuple(found)


@cache
def donors() -> dict[str, list[Node]]:
    """What stands under each key, in all roles, a few of each."""
    found: dict[str, list[Node]] = {}
    for role in _ROLES:
        for tree in () if role in _NO_TREES else trees(role):
            for document in tree:
                for holder, index in walk(document):
                    key = holder.items[index - index % 2]
                    if holder.kind == MAP and index % 2 and key.kind == SCALAR:
                        some = found.setdefault(key.text, [])
                        if len(some) < _DONORS and len(holder.items[index].items) < 40:
                            some.append(holder.items[index])
    return dict(sorted(found.items()))


def _short(paths: Iterable[Path]) -> Iterator[str]:
    for path in sorted(paths):
        text = path.read_text(encoding="utf-8")
        if len(text) < _LONGEST:
            yield text


def _specs() -> Iterator[str]:
    yield from _short((ROOT / "examples").glob("*.yaml"))
    starters = (ROOT / "gpuspec/spec/starters").glob("*.yaml")
    yield from (text for text in _short(starters) if "kind: ClusterProfile" not in text)


def _profiles() -> Iterator[str]:
    for folder in ("examples/clusters", "tests/lint/profiles", "tests/cluster/discover/golden"):
        yield from _short((ROOT / folder).glob("*.yaml"))
    for page in sorted((ROOT / "docs").glob("platform*.md")):
        found = _FENCED.findall(page.read_text(encoding="utf-8"))
        yield from (text for text in found if "kind: ClusterProfile" in text)


def _manifests() -> Iterator[str]:
    yield from _short((ROOT / "tests/lint/bases").glob("*.yaml"))
    for page in sorted((ROOT / "gpuspec/lint/rules").rglob("*.md")):
        yield from (text for text in _FENCED.findall(page.read_text()) if "kind:" in text)
    for folder in ("bare-metal", "eks-karpenter"):
        yield from _short((ROOT / "examples/rendered" / folder).glob("*.yaml"))
    yield from _short((ROOT / "tests/report").rglob("*.yaml"))
    for page in sorted((ROOT / "docs").glob("*.md")):
        yield from (text for text in _FENCED.findall(page.read_text()) if "kind:" in text)
    custom = yaml.safe_load((ROOT / "tests/validation/custom.yaml").read_text())
    yield from (yaml.safe_dump(one, sort_keys=False) for one in _objects(custom))


def _objects(value: object) -> Iterator[object]:
    """The Kubernetes objects in some data, wherever they lie."""
    if isinstance(value, dict) and "apiVersion" in value and "kind" in value:
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _objects(one)


def _dumps() -> Iterator[str]:
    """Recorded nodes: those of each cluster by themselves, and in pieces with pods on them."""
    pods = _running()
    for path in sorted((ROOT / "tests/cluster/nodes").glob("*.json")):
        items = json.loads(path.read_text())["items"]
        nodes = [one for one in items if one["kind"] == "Node"]
        for at in range(0, len(nodes), 3):
            some = nodes[at : at + 3]
            placed = [_on(pod, some[n % len(some)]) for n, pod in enumerate(pods)]
            yield json.dumps({"apiVersion": "v1", "kind": "List", "items": [*some, *placed]})


def _running() -> list[dict[str, object]]:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "default", "labels": {"app": "x"}, "uid": "u"},
        "spec": {
            "nodeName": "",
            "priority": 10,
            "containers": [
                {
                    "name": "main",
                    "image": "x",
                    "resources": {"requests": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"}},
                }
            ],
        },
        "status": {"phase": "Running"},
    }
    owner = [{"kind": "DaemonSet", "name": "d", "apiVersion": "apps/v1", "controller": True}]
    owned = json.loads(json.dumps(pod)) | {"metadata": {"name": "q", "ownerReferences": owner}}
    return [pod, owned]


def _on(pod: dict[str, object], node: dict[str, dict[str, object]]) -> object:
    placed = json.loads(json.dumps(pod))
    placed["spec"]["nodeName"] = node["metadata"]["name"]
    return placed


def _templates() -> Iterator[str]:
    yield from _short((ROOT / "templates").glob("*.j2"))


def _resource_lists() -> Iterator[str]:
    for tree in texts("manifests")[:60]:
        try:
            documents = list(yaml.safe_load_all(tree))
        except yaml.YAMLError:
            continue
        yield _LINT + yaml.safe_dump(documents)
    for text in texts("spec"):
        config = yaml.safe_load(text)
        whole = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}
        yield yaml.safe_dump(whole | {"items": [], "functionConfig": config}, sort_keys=False)


_ROLES: dict[str, Callable[[], Iterable[str]]] = {
    "spec": _specs,
    "profile": _profiles,
    "manifests": _manifests,
    "dump": _dumps,
    "config": lambda: [_CONFIG, *(f"{line}\n" for line in _CONFIG.splitlines())],
    "baseline": lambda: [_BASELINE],
    "record": lambda: [_RECORD],
    "mix": lambda: [_MIX],
    "kustomization": lambda: [_KUSTOMIZATION],
    "template": _templates,
    "resources": _resource_lists,
    "parameters": lambda: [_PARAMETERS],
}
_NO_TREES = ("mix", "template")
