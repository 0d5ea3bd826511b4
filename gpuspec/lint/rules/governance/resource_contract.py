"""Requests and limits that the organisation's contracts require."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import mapping
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU617",
    "resources-against-contract",
    "error",
    "A request or limit that the profile requires is missing",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield every container, against the profile's contracts: all that is missing in one
    finding."""
    if context.cluster is None or not is_whole(pod):
        return
    contracts = context.cluster.contracts
    required = {"requests": contracts.requests, "limits": contracts.limits}
    whole = mapping(pod.spec.get("resources"))
    for container in pod.every:
        if container.stage == "ephemeral":
            continue
        # A limit is a request too, and what the whole pod has is every container's.
        container_amounts = {
            "requests": {*container.requests, *container.limits, *mapping(whole.get("requests"))},
            "limits": {*container.limits, *mapping(whole.get("limits"))},
        }
        missing = [
            f"{field}.{name}"
            for field, names in required.items()
            for name in names
            if name not in container_amounts[field]
        ]
        if missing:
            missing_names = ", ".join(f"`{resource_name}`" for resource_name in missing)
            field, _, name = missing[0].partition(".")
            yield RawFinding(
                container.path(container.resources_at, field, name),
                f"container `{container.name}` lacks {missing_names}, which the profile's `contracts` "
                "require: nothing limits what the container uses of the node",
                note=f"set {missing_names} in the container",
            )
