"""Pods on profiles of one pool, and what the families GPU1xx and GPU2xx say of them."""

from typing import Any

from gpuspec.lint.engine import Engine
from gpuspec.lint.model import Finding
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.cases import profile as made_profile
from tests.lint.pages import named_profile

MINE = ("GPU1", "GPU2")


def findings(
    text: str, *codes: str, context: dict[str, Any] | None = None, profile: str | None = None
) -> list[Finding]:
    """What the rules of these codes say, on a profile by name or by a case's context."""
    given = named_profile(profile) if profile else made_profile(context) if context else None
    engine = Engine(lambda code: code.startswith(MINE), given)
    found = [one.finding() for one in engine.run(TextLoader([SourceFile("page.yaml", text)]))]
    return [one for one in found if one.rule.startswith(codes)]


def pod(spec: str = "", resources: str = "limits: {nvidia.com/gpu: 1}", more: str = "") -> str:
    return f"""
apiVersion: v1
kind: Pod
metadata: {{name: one{more}}}
spec:
  {spec or "restartPolicy: Never"}
  containers: [{{name: main, image: a/b:1, resources: {{{resources}}}}}]
"""


def context(provider: str = "none", **pool: Any) -> dict[str, Any]:
    base = {"name": "gpu", "gpus_per_node": 8, "nodes": 4}
    return {"provider": provider, "pools": [{**base, **pool}]}


GPU_TAINT = [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]
