"""Words of a command line and of the environment: right ones, wrong ones."""

import re
from collections.abc import Iterable
from random import Random

from tests.fuzz import nasty
from tests.fuzz.nodes import write
from tests.fuzz.seeds import donors
from tests.fuzz.values import scalar, shape

_LONGEST = 100_000
_NAME = re.compile(rb'\bname"?: "?([a-z0-9-]+)')
_PATHS = (
    "replicas",
    "gpu.count",
    "image",
    "spec.x",
    "env.A",
    "gpu",
    'env["a"]',
    "args[0]",
    "[",
    "²",
)
_KNOWN = {
    "profile": ("eks", "gke", "aks", "generic", "coreweave", "gpu-operator", "EKS"),
    "rule": ("GPU201", "GPU1", "GPU", "no-toleration", "gpu-201", "GPU9", "GPU²01"),
    "kind": ("inference", "training", "FineTune", "batch-inference", "cluster-profile", "smoke-test"),
    "revision": ("HEAD:", "HEAD:x", "HEAD~1:", ":x", "HEAD:./", "HEAD:../", "main:k8s.yaml", "--help:x", "HEAD^{tree}:", "@{9}:x"),
    "version": ("1.33", "1.37", "1.36.1+k3s1", "v1.35", "1", "2.0", "1.²"),
    "lint": ("fail", "annotate", "note"),
    "severity": ("error", "warning", "info"),
    "fix": ("none", "safe", "all"),
    "number": ("1", "3", "100"),
    "app": (".", "./", "x", "../x"),
    "word": ("out", "eu", "x"),
}  # fmt: skip


def argument(kind: str, files: Iterable[bytes], rng: Random) -> str:
    """A word of a kind, as the system lets one be."""
    if kind == "setting":
        text = _setting(files, rng)
    elif kind in _KNOWN and rng.random() < 0.6:
        text = rng.choice(_KNOWN[kind])
    else:
        text = rng.choice((*nasty.WORDS, *nasty.NUMBERS))
    text = text.replace("\0", "")[:_LONGEST]
    return text.encode(errors="surrogatepass").decode(errors="surrogateescape")


def _setting(files: Iterable[bytes], rng: Random) -> str:
    """A field of a workload, as a rule of one that is there."""
    names = [match[1].decode() for data in files if (match := _NAME.search(data))]
    name = rng.choice(names) if names and rng.random() < 0.9 else "chat"
    path = rng.choice(_PATHS)
    known = donors().get(path.rpartition(".")[2], [scalar(rng)])
    value = shape(rng) if rng.random() < 0.2 else rng.choice(known)
    return f"{name}:{path}={write([value]).rstrip()}"
