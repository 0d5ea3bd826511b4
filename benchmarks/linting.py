"""The rows for `gpuspec lint`, and its peers: kubeconform for schemas, kube-score for rules."""

import hashlib
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks import manifests
from benchmarks.measure import Job

DOCUMENTS = 10_000
KUBERNETES = "1.37"
# What the schema files call the definitions that they share. It is no real address: kubeconform
# takes it from its cache, where a file is named by the digest of its address.
DEFINITIONS = "https://kubernetes.io/api/_definitions.json"


class Contest(NamedTuple):
    """A job, its peer, and how much longer it may take: budget and stretch."""

    what: str
    ours: Job
    peer: Job
    budget: float
    stretch: float
    cold: bool


def contests(scratch: Path, gpuspec: Path, tools: Path) -> Iterator[Contest]:
    """Write the manifests, and tell what is to be measured over them."""
    clean = scratch / "clean.yaml"
    clean.write_text(manifests.one())
    many = manifests.write(scratch / "manifests", DOCUMENTS)
    tenth = manifests.write(scratch / "manifests-tenth", DOCUMENTS // 10)

    python = Job("python -c pass", [[sys.executable, "-c", "pass"]])
    # `--fail-on info`: a finding would mean that the manifest is not clean any more.
    one = Job("gpuspec lint", [[gpuspec, "lint", clean, "--fail-on", "info"]])
    all_of_it = Job(f"{DOCUMENTS} documents", [[gpuspec, "lint", many]], exits=(1,))
    hundreds = Job(f"{DOCUMENTS // 10} documents", [[gpuspec, "lint", tenth]], exits=(1,))
    both = Job("kubeconform, kube-score", peers(scratch, tools, many), exits=(0, 1))

    yield Contest("lint of a clean manifest, cold", one, python, 12, 9, cold=True)
    yield Contest(f"lint of {DOCUMENTS} documents", all_of_it, both, 1 / 3, 0.1, cold=False)
    yield Contest(f"lint of {DOCUMENTS} documents", all_of_it, hundreds, 11, 10, cold=False)


def memory(scratch: Path, gpuspec: Path, tools: Path) -> tuple[Job, Job]:
    """Two jobs whose peak memory is compared: ours and kubeconform's."""
    many = scratch / "manifests"
    kubeconform = peers(scratch, tools, many)[0]
    return (
        Job("gpuspec lint", [[gpuspec, "lint", many]], exits=(1,)),
        Job("kubeconform", [kubeconform]),
    )


def peers(scratch: Path, tools: Path, folder: Path) -> list[list[str | Path]]:
    """kubeconform, strict, over schemas on disk; and kube-score with all that it checks."""
    package = find_spec("kubernetes_validate")
    if package is None or package.origin is None:
        raise SystemExit("kubernetes-validate is not installed; to install it: make tools")
    schemas = Path(package.origin).parent / "kubernetes-json-schema"
    schemas /= f"v{KUBERNETES}.0-local-strict"
    cache = scratch / "kubeconform"
    cache.mkdir(exist_ok=True)
    definitions = cache / hashlib.sha256(DEFINITIONS.encode()).hexdigest()
    definitions.write_bytes((schemas / "_definitions.json").read_bytes())
    location = f"{schemas}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"
    return [
        [
            tools / "kubeconform",
            "-strict",
            "-summary",
            "-cache",
            cache,
            "-schema-location",
            location,
            folder,
        ],
        [
            tools / "kube-score",
            "score",
            "--kubernetes-version",
            f"v{KUBERNETES}",
            "--output-format",
            "ci",
            *sorted(folder.iterdir()),
        ],
    ]
