"""Clean manifests with a patch laid over them, and what one rule says of them."""

from typing import Any

import yaml

from gpuspec.lint.engine import Engine
from gpuspec.lint.model import Finding
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile, read
from gpuspec.settings.config import Facts
from gpuspec.spec import Profile, parse_profile
from tests.lint.pages import HERE, merge


def said(
    code: str,
    base: str,
    patch: str = "{}",
    *more: str,
    profile: Profile | None = None,
    facts: Facts | None = None,
) -> list[Finding]:
    """What a rule says of a base with a patch on its first document, and `more` beside it."""
    documents = list(yaml.safe_load_all((HERE / "bases" / f"{base}.yaml").read_text()))
    patched = [merge(documents[0], yaml.safe_load(patch)), *documents[1:]]
    text = yaml.safe_dump_all([*patched, *map(yaml.safe_load, more)], sort_keys=False)
    return of(code, text, profile=profile, facts=facts)


def of(
    code: str, text: str, *, profile: Profile | None = None, facts: Facts | None = None
) -> list[Finding]:
    """What a rule says of a manifest."""
    loader = TextLoader([SourceFile("manifest.yaml", text)])
    found = [one.finding() for one in Engine(lambda one: one == code, profile, facts).run(loader)]
    assert not loader.unread
    return found


def main(patch: str, **spec: Any) -> str:
    """A patch on the container `main` of a Deployment, and on fields of the Deployment's spec."""
    container = {"name": "main", **yaml.safe_load(patch)}
    template = {"spec": {"containers": [container]}}
    return yaml.safe_dump({"spec": {"template": template, **spec}})


def cluster(nodes: Any = 1, spare: int = 0, count: int = 2, **spec: Any) -> Profile:
    """A profile with one pool of A100."""
    labels = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"}
    gpu = {"model": "A100-80GB", "count": count}
    pool = {"name": "a100", "gpu": gpu, "labels": labels, "spare": spare}
    if nodes is not None:
        pool["nodes"] = nodes
    value = {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": "test"},
        "spec": {"kubernetes": "1.36", "pools": [pool], **spec},
    }
    return parse_profile(read(yaml.safe_dump(value), "profile.yaml")[0])
