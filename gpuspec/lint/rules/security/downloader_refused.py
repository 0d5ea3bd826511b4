"""KServe's model downloader in a namespace that enforces `restricted`, which rejects it."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.enforced import enforced
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, items
from gpuspec.objects.downloading import Downloader, downloader, downloads
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU841",
    "downloader-refused",
    "warning",
    "The namespace enforces `restricted`, which KServe's storage initializer violates",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield InferenceServices whose model is downloaded, in a namespace that enforces
    `restricted`."""
    for path, uri in downloads(pod):
        level = enforced(pod, context)
        if level is None or level.level != "restricted":
            return
        init_downloader = downloader(uri, context.collection)
        missing = [] if init_downloader is None else _missing(init_downloader)
        if init_downloader is None or not missing:
            continue
        yield RawFinding(
            path,
            f"{_who(init_downloader)} downloads the model without {' and '.join(missing)}, but the "
            "namespace enforces `restricted`: the API server rejects each pod",
            note=f"set these fields in {_who(init_downloader)}: {level.evidence}"
            if _is_told(init_downloader)
            else "create a ClusterStorageContainer that sets these fields, unless the cluster has one: "
            f"{level.evidence}",
            confidence="likely",
        )
        return


def _who(init_downloader: Downloader) -> str:
    if init_downloader.told is None or not _is_told(init_downloader):
        return "KServe's storage initializer"
    return f"ClusterStorageContainer `{init_downloader.told.name}`"


def _is_told(init_downloader: Downloader) -> bool:
    return (
        init_downloader.told is not None and init_downloader.told.kind == "ClusterStorageContainer"
    )


def _missing(init_downloader: Downloader) -> list[str]:
    """Return the requirements of `restricted` that the container itself must meet; the pod may set
    user and seccomp."""
    lacks = []
    if at(init_downloader.container, ("securityContext", "allowPrivilegeEscalation")) is not False:
        lacks.append("`allowPrivilegeEscalation: false`")
    if "ALL" not in items(
        at(init_downloader.container, ("securityContext", "capabilities", "drop"))
    ):
        lacks.append("`capabilities: {drop: [ALL]}`")
    return lacks
