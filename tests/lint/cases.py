"""Cases from the field, as the linter is given them."""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from gpuspec.lint.engine import Engine
from gpuspec.lint.model import Finding
from gpuspec.loading.charted import charted
from gpuspec.loading.specs import Together
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import Quantity, SourceFile, read
from gpuspec.settings.config import Facts
from gpuspec.spec import Profile, parse_profile

FOLDER = Path(__file__).parents[1] / "field"
LOUDNESS = ("info", "warning", "error")


class Case(NamedTuple):
    """One report: what must be said of its input."""

    row: dict[str, Any]
    folder: Path = FOLDER

    @property
    def id(self) -> str:
        return self.row["id"]

    def sources(self, which: str) -> list[SourceFile]:
        """The files of the input, the fixed one or the quiet twin: one, or those of a folder; none where there is none."""
        path = self.folder / which / f"{self.id}.yaml"
        folder = path.with_suffix("")
        files = [path] if path.exists() else sorted(folder.rglob("*.yaml"))
        return [SourceFile(str(file.relative_to(path.parent)), file.read_text()) for file in files]

    def text(self, which: str) -> str | None:
        """What stands in them."""
        return "---\n".join(source.text for source in self.sources(which)) or None

    def findings(self, which: str, *, context: bool = True) -> list[Finding]:
        """All findings on one of its files."""
        key = "quiet_context" if which == "quiet" and "quiet_context" in self.row else "context"
        given = self.row.get(key, {}) if context else {}
        loader = TextLoader(self.sources(which))
        engine = Engine(lambda code: True, profile(given) if given else None, facts(given))
        whole = Together(loader, charted(loader.plain()))
        return [raised.finding() for raised in engine.run(whole)]

    def answers(self, finding: Finding) -> bool:
        """Whether a finding points at one of the case's places, no louder than is right."""
        if LOUDNESS.index(finding.severity) > LOUDNESS.index(self.row["severity"]):
            return False
        meant = self.row.get("object")
        if finding.object is not None and meant is not None:
            here = finding.path in self.row["path"] and (
                finding.object.kind,
                finding.object.name,
            ) == (
                meant["kind"],
                meant["name"],
            )
        else:
            here = finding.path in self.row["path"]
        return here or any(_is_there(finding, other) for other in self.row.get("also_at", ()))


def _is_there(finding: Finding, other: dict[str, Any]) -> bool:
    paths = other.get("path") or other.get("paths") or []
    paths = [paths] if isinstance(paths, str) else paths
    meant, named = other.get("object"), finding.object
    if meant is None or named is None:
        return finding.path in paths
    same = (named.kind, named.name) == (meant["kind"], meant["name"])
    return same and finding.path in paths


@cache
def cases(folder: Path = FOLDER) -> tuple[Case, ...]:
    """All cases of a folder that are to be used."""
    rows = [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]
    return tuple(Case(row, folder) for row in rows if not row.get("drop"))


def facts(context: dict[str, Any]) -> Facts:
    """What a case's context tells of models."""
    models = {one["id"]: Quantity.parse(one["bytes"]) for one in context.get("models", ())}
    return Facts(models=models)


def profile(context: dict[str, Any]) -> Profile:
    """A cluster profile that says what a case's context says, and nothing else."""
    spec: dict[str, Any] = {"kubernetes": "1.36"}
    if context.get("provider") in ("gke", "eks", "aks"):
        spec["provider"] = context["provider"]
    if "installed" in context:
        spec["installed"] = context["installed"]
    if "download_bytes_per_second" in context:
        spec["bandwidth"] = {"download": context["download_bytes_per_second"]}
    if "storage" in context:
        spec["storage"] = context["storage"]
    level = context.get("namespace_labels", {}).get("pod-security.kubernetes.io/enforce")
    if level:
        spec["namespaces"] = [{"name": "default", "podSecurity": level}]
    spec["pools"] = [_pool(pool) for pool in context.get("pools", ())]
    value = {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": "case"},
        "spec": spec,
    }
    return parse_profile(read(json.dumps(value), "profile.json")[0])


def _pool(pool: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": pool["name"],
        "gpu": {"model": pool.get("gpu_model", "A100-80GB"), "count": pool["gpus_per_node"]},
        **{key: pool[key] for key in ("labels", "taints") if key in pool},
    }
    if "cpu" in pool:
        made["allocatable"] = {"cpu": pool["cpu"], "memory": pool["memory"]}
        made["reserved"] = {"cpu": 0, "memory": 0}
    if pool.get("gpu_model") == "GB200":
        made["architecture"] = "arm64"
    if made.get("labels", {}).get("cloud.google.com/gke-spot") == "true":
        made["capacity"] = "spot"
    most = pool.get("max_nodes")
    made["nodes"] = (
        pool.get("nodes", 1) if most is None else {"min": pool["nodes"], "max": max(most, 1)}
    )
    if pool.get("free_gpus"):
        made["spare"] = pool["free_gpus"]
    for name, count in pool.get("resources", {}).items():
        made["rdma"] = {"resource": name, "count": count, "perGpu": True}
        if pool.get("memlock", "unlimited") != "unlimited":
            made["rdma"]["memlock"] = "limited"
    sharing = pool.get("sharing")
    if sharing is not None and sharing["mode"] in ("mig", "mps", "time-slicing"):
        names = {
            "mode": "mode",
            "replicas": "replicas",
            "rename": "rename",
            "mig_strategy": "strategy",
            "profiles": "profiles",
            "fail_requests_greater_than_one": "failRequestsGreaterThanOne",
        }
        made["sharing"] = {names[key]: value for key, value in sharing.items() if key in names}
    return made
