"""A container that is not root, and a folder of the node that only root can write."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.enforced import refuses_baseline
from gpuspec.lint.analysis.pod_security.waivers import has_reason
from gpuspec.lint.analysis.security.owners import roots_folders
from gpuspec.lint.analysis.security.users import uid_of
from gpuspec.lint.analysis.serving.agents import loads_no_model
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU608",
    "host-path-not-writable",
    "warning",
    "A non-root container writes to a host folder owned by root",
)
_WAIVER = "host-path"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield folders of the node that are mounted for writing and that no container hands over."""
    # A reason in writing is of somebody who has seen to the folder, and a library of media is of
    # somebody who has filled it; one that is made is root's still.
    folders = [
        (container, root_folder)
        for container, root_folder in roots_folders(pod)
        if root_folder.made or not (has_reason(pod, _WAIVER) or loads_no_model(container))
    ]
    if not folders or refuses_baseline(pod, context):
        return
    for container, root_folder in folders:
        uid = uid_of(pod, container)
        who = f"user {uid}" if uid else "a non-root user"
        why = (
            "the kubelet creates the folder for root"
            if root_folder.made
            else "root owns such folders"
        )
        yield RawFinding(
            root_folder.path,
            f"{who} cannot write to `{root_folder.mount}`, which is `{root_folder.folder}` of "
            f"the node: {why}, and `fsGroup` does not change a `hostPath`",
            note="use a PersistentVolumeClaim or an emptyDir, whose group the kubelet sets, or "
            "change the folder's owner on the nodes",
            confidence="certain" if root_folder.made else "likely",
        )
