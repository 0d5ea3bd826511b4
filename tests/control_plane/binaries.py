"""Where the programs of the control plane are: in the versions that the Go modules beside pin."""

import os
import re
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
# One folder for each minor that is built: the oldest that upstream supports, and the newest.
MINORS = sorted(found.name.removeprefix("tools-") for found in HERE.glob("tools-1.*"))
OLDEST, NEWEST = MINORS[0], MINORS[-1]

_MODULES = {
    "appwrapper": ("tools-appwrapper", "github.com/project-codeflare/appwrapper"),
    "envoy-gateway": ("tools-envoy-gateway", "github.com/envoyproxy/gateway"),
    "epp": ("tools-epp", "sigs.k8s.io/gateway-api-inference-extension"),
    "etcd": ("tools-etcd", "go.etcd.io/etcd/server/v3"),
    "gateway-api": ("tools-gateway-api", "sigs.k8s.io/gateway-api"),
    "gpu-operator": ("tools-gpu-operator", "github.com/NVIDIA/gpu-operator"),
    "jobset": ("tools-jobset", "sigs.k8s.io/jobset"),
    "karpenter": ("tools-karpenter", "sigs.k8s.io/karpenter"),
    "karpenter-aws": ("tools-karpenter-aws", "github.com/aws/karpenter-provider-aws"),
    "keda": ("tools-keda", "github.com/kedacore/keda/v2"),
    "keda-adapter": ("tools-keda", "github.com/kedacore/keda/v2"),
    "knative": ("tools-knative", "knative.dev/serving"),
    "kserve": ("tools-kserve", "github.com/kserve/kserve"),
    "kuberay": ("tools-kuberay", "github.com/ray-project/kuberay/ray-operator"),
    "kueue": ("tools-kueue", "sigs.k8s.io/kueue"),
    "llmisvc": ("tools-llmisvc", "github.com/kserve/kserve"),
    "lws": ("tools-lws", "sigs.k8s.io/lws"),
    "mpi-operator": ("tools-mpi-operator", "github.com/kubeflow/mpi-operator"),
    "node-feature-discovery": (
        "tools-node-feature-discovery",
        "sigs.k8s.io/node-feature-discovery",
    ),
    "openshift": ("tools-openshift", "github.com/openshift/api"),
    "prometheus-operator": (
        "tools-prometheus-operator",
        "github.com/prometheus-operator/prometheus-operator",
    ),
    "trainer": ("tools-trainer", "github.com/kubeflow/trainer/v2"),
    "training-operator": ("tools-training-operator", "github.com/kubeflow/training-operator"),
}
_BESIDE = {"keda": ("keda-adapter",)}
"""Programs that one does nothing without."""
_KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


class Missing(Exception):
    """A program that is not built; the text says how to build it."""


def version(name: str, minor: str = NEWEST) -> str:
    """The version of a program that is pinned, such as `v1.37.2`."""
    folder, module = _MODULES.get(name, (f"tools-{minor}", "k8s.io/kubernetes"))
    text = (HERE / folder / "go.mod").read_text(encoding="utf-8")
    found = re.search(rf"^\s*(?:require )?{re.escape(module)} (v\S+)", text, re.MULTILINE)
    assert found, f"{folder}/go.mod does not pin {module}"
    return found[1]


def cache() -> Path:
    """The folder that all programs are built into."""
    return Path(os.environ.get("GPUSPEC_TOOLS") or Path.home() / ".cache" / "gpuspec" / "tools")


def folder(name: str, minor: str = NEWEST) -> Path:
    """The folder of a program. Raises `Missing` if it is not built."""
    found = cache() / f"{name}-{version(name, minor)}{digest_of_main(HERE / f'tools-{name}')}"
    if not (found / name).exists():
        raise Missing(
            f"{found.name} is not built; to build it: make control-plane-tools MINOR={minor}"
        )
    return found


def definitions(name: str) -> Path:
    """The folder of a project's definitions. Raises `Missing` if they are not there."""
    found = cache() / f"{name}-{version(name)}" / "manifests" / "crds"
    if not found.is_dir():
        raise Missing(
            f"definitions of {name} are not there; to have them: make control-plane-tools"
        )
    return found


def chart(name: str) -> Path:
    """The folder of a project's chart. Raises `Missing` if it is not there."""
    found = cache() / f"{name}-{version(name)}" / "chart"
    if not found.is_dir():
        raise Missing(f"the chart of {name} is not there; to have it: make control-plane-tools")
    return found


def digest_of_main(module: Path) -> str:
    """What tells a program whose main is ours from one with another main; empty for all others."""
    main = module / "main.go"
    return f"-{sha256(main.read_bytes()).hexdigest()[:12]}" if main.exists() else ""


def program(name: str, minor: str = NEWEST) -> Path:
    """The path of a program. Raises `Missing` if it is not built."""
    return folder(name, minor) / name


def unbuilt(name: str) -> str:
    """How to build a program; empty where it is there."""
    try:
        program(name)
    except Missing as missing:
        return str(missing)
    return ""


def ready(minor: str = NEWEST, *more: str) -> None:
    """Raises `Missing` for the first program that a control plane lacks, of `more` too."""
    for name in ("etcd", *_KUBERNETES, *more):
        program(name, minor)
        for other in _BESIDE.get(name, ()):
            program(other, minor)


def lacking(minor: str = NEWEST, *more: str) -> str:
    """What of it is not built, and how to build it; empty when all of it is."""
    try:
        ready(minor, *more)
    except Missing as missing:
        return str(missing)
    return ""
