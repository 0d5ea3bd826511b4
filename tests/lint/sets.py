"""Objects of gangs, queues and Jobs, and what is said of how they are started."""

from pathlib import Path
from typing import Any

import yaml

from gpuspec.lint.engine import Engine
from gpuspec.lint.model import Finding
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.pages import HERE, merge, named_profile


def lint(*documents: Any, profile: str | None = None) -> list[Finding]:
    """What the rules of gangs, queues, Jobs and launchers say of some objects."""
    text = yaml.safe_dump_all(documents, sort_keys=False)
    given = named_profile(profile) if profile else None
    engine = Engine(lambda code: code.startswith("GPU7"), given)
    return [one.finding() for one in engine.run(TextLoader([SourceFile("set.yaml", text)]))]


def base(name: str, patch: dict[str, Any] | None = None) -> Any:
    """The first object of a clean manifest, patched."""
    text = Path(HERE / "bases" / f"{name}.yaml").read_text()
    return merge(next(iter(yaml.safe_load_all(text))), patch or {})


def codes(found: list[Finding]) -> list[str]:
    return [one.rule for one in found]


def container(**fields: Any) -> dict[str, Any]:
    """A patch of the one container of a plain workload."""
    return {"spec": {"template": {"spec": {"containers": [{"name": "main", **fields}]}}}}


def local_queue(name: str, namespace: str, cluster: str) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterQueue": cluster},
    }


def cluster_queue(quota: dict[str, Any], **spec: Any) -> dict[str, Any]:
    rows = [{"name": name, "nominalQuota": amount} for name, amount in quota.items()]
    group = {"coveredResources": list(quota), "flavors": [{"name": "h100", "resources": rows}]}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "gpu"},
        "spec": {"namespaceSelector": {}, "resourceGroups": [group], **spec},
    }


def kueue_config(text: str) -> dict[str, Any]:
    head = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config", "namespace": "kueue-system"},
        "data": {"controller_manager_config.yaml": head + text},
    }


QUEUED = {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "research"}}}
ALL = {"cpu": 640, "memory": "8Ti", "ephemeral-storage": "1Ti", "nvidia.com/gpu": 64}
