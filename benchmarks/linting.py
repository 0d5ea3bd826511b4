"""The rows for `gpuspec lint`, and its peers: kubeconform for schemas, kube-score for rules."""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks import manifests, published
from benchmarks.measure import Contest, Job
from gpuspec.kubernetes import VERSIONS

DOCUMENTS = 10_000
TENTH = DOCUMENTS // 10
# A line for each finding is what the peers print; our default shows excerpts and makes fixes too.
LINES = "a line a finding"
# What the schema files call the definitions that they share. It is no real address: kubeconform
# takes it from its cache, where a file is named by the digest of its address.
DEFINITIONS = "https://kubernetes.io/api/_definitions.json"


def contests(
    scratch: Path, gpuspec: Path, tools: Path, corpus: Path | None = None
) -> Iterator[Contest]:
    """Write the manifests, and tell what is to be measured over them; `corpus`: real ones."""
    clean = scratch / "clean.yaml"
    clean.write_text(manifests.CLEAN)
    python = Job("python -c pass", [[sys.executable, "-c", "pass"]])
    # `--fail-on info`: a finding would mean that the manifest is not clean any more.
    one = Job("gpuspec lint", [[gpuspec, "lint", clean, "--fail-on", "info"]])
    yield Contest("lint of a clean manifest, cold", one, python, 12, 9, cold=True)

    for per_file in (1, 10, 100):
        folder = published.write(scratch / f"by-{per_file}", TENTH, per_file)
        what = f"lint of {TENTH} documents, {per_file} a file, {LINES}"
        yield Contest(what, lint(gpuspec, folder), both(scratch, tools, folder), 0.25, 0.1)
    folder = published.write_list(scratch / "list", TENTH)
    what = f"lint of {TENTH} documents, one List, {LINES}"
    yield Contest(what, lint(gpuspec, folder), both(scratch, tools, folder), 0.25, 0.1)
    if corpus is not None:
        real = readable(scratch / "corpus", corpus, tools)
        what = f"lint of {corpus.name}, {LINES}"
        yield Contest(what, lint(gpuspec, real), both(scratch, tools, real), 0.25, 0.1)

    tenths = scratch / "by-100"
    whole = Job("gpuspec lint", [[gpuspec, "lint", tenths]], exits=(0, 1))
    what = f"lint of {TENTH} documents, 100 a file, with excerpts and fixes"
    yield Contest(what, whole, both(scratch, tools, tenths), None, None)

    what = f"lint of {DOCUMENTS} documents, {LINES}"
    many = published.write(scratch / "manifests", DOCUMENTS)
    ours = lint(gpuspec, many)
    tenth = lint(gpuspec, tenths, f"{TENTH} documents")
    kubeconform = Job("kubeconform", peers(scratch, tools, many)[:1])
    yield Contest(what, ours, both(scratch, tools, many), 0.1, 0.1)
    yield Contest(what, ours, kubeconform, None, 1)
    yield Contest(what, ours, tenth, 11, 10)


def memory(scratch: Path, gpuspec: Path, tools: Path) -> tuple[Job, Job]:
    """Two jobs whose peak memory is compared: ours and kubeconform's."""
    many = scratch / "manifests"
    return lint(gpuspec, many), Job("kubeconform", peers(scratch, tools, many)[:1])


def lint(gpuspec: Path, folder: Path, name: str = "gpuspec lint --format concise") -> Job:
    return Job(name, [[gpuspec, "lint", folder, "--format", "concise"]], exits=(0, 1))


def both(scratch: Path, tools: Path, folder: Path) -> Job:
    return Job("kubeconform, kube-score", peers(scratch, tools, folder), exits=(0, 1))


def peers(scratch: Path, tools: Path, folder: Path) -> list[list[str | Path]]:
    """kubeconform, strict, over schemas on disk; and kube-score with all that it checks."""
    package = find_spec("kubernetes_validate")
    if package is None or package.origin is None:
        raise SystemExit("kubernetes-validate is not installed; to install it: make tools")
    schemas = Path(package.origin).parent / "kubernetes-json-schema"
    schemas /= f"v{VERSIONS[-1]}.0-local-strict"
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
            "-ignore-missing-schemas",
            "-cache",
            cache,
            "-schema-location",
            location,
            folder,
        ],
        [*kube_score(tools), *sorted(folder.iterdir())],
    ]


def kube_score(tools: Path) -> list[str | Path]:
    version = f"v{VERSIONS[-1]}"
    score = ["score", "--kubernetes-version", version, "--output-format", "ci"]
    return [tools / "kube-score", *score]


def readable(scratch: Path, folder: Path, tools: Path) -> Path:
    """Copies of the manifests in a folder that kube-score can read: it ends at the first other."""
    scratch.mkdir()
    for number, file in enumerate(sorted((*folder.rglob("*.yaml"), *folder.rglob("*.yml")))):
        command = [*kube_score(tools), file]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if "Failed to score" not in run.stderr:
            shutil.copy(file, scratch / f"{number:05d}-{file.name}")
    return scratch
