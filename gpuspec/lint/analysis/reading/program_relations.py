"""What programs reject of a configuration file that their decoders accept: values that do not go
together.

Sources: kubernetes-sigs/kueue at ff69552e7 pkg/config/validation.go; volcano-sh/volcano at ed72c7c8
docs/user-guide/how_to_use_capacity_plugin.md, pkg/scheduler/util.go, pkg/scheduler/plugins/deviceshare;
kubernetes/autoscaler at 137161c0 cluster-autoscaler/expander/priority.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.lint.analysis.reading import eksctl_groups, yunikorn_queues
from gpuspec.lint.analysis.reading.program_fault import ProgramFault
from gpuspec.manifests.values import items, mapping, text
from gpuspec.validation.apiserver.selectors import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.settings.severity import Severity

_NAMESPACE = "kubernetes.io/metadata.name"
_SHARING = ("deviceshare.GPUSharingEnable", "deviceshare.GPUNumberEnable")
_VGPU = "deviceshare.VGPUEnable"


def faults_of(title: str, value: dict[str, Any]) -> Iterator[ProgramFault]:
    """Yield the faults of the file of a program, which is known by its title."""
    match title:
        case "Kueue":
            yield from _kueue(value)
        case "Volcano's scheduler":
            yield from _volcano(value)
        case "YuniKorn":
            yield from yunikorn_queues.faults(value)
        case "eksctl":
            for fault in eksctl_groups.faults(value):
                severity: Severity | None = None if fault.is_certain else "warning"
                yield ProgramFault(fault.path, fault.says, fault.note, severity)


def _kueue(value: dict[str, Any]) -> Iterator[ProgramFault]:
    """Yield a selector that lets Kueue manage the pods of the system, and its own."""
    if "pod" not in items(mapping(value.get("integrations")).get("frameworks")):
        return
    selector = value.get("managedJobsNamespaceSelector")
    if isinstance(selector, dict) and matches(selector, {_NAMESPACE: "kube-system"}):
        yield ProgramFault(
            ("managedJobsNamespaceSelector",),
            "`managedJobsNamespaceSelector` matches `kube-system`, and the integration `pod` is "
            "enabled: Kueue does not start",
            (
                "exclude the namespace: "
                f"`{{key: {_NAMESPACE}, operator: NotIn, values: [kube-system, kueue-system]}}`"
            ),
        )


def _volcano(value: dict[str, Any]) -> Iterator[ProgramFault]:
    """Yield plugins that exclude each other."""
    plugins = {
        text(mapping(plugin).get("name")): (("tiers", tier, "plugins", index), mapping(plugin))
        for tier, group in enumerate(items(value.get("tiers")))
        for index, plugin in enumerate(items(mapping(group).get("plugins")))
    }
    if "capacity" in plugins and "proportion" in plugins:
        yield ProgramFault(
            (*plugins["proportion"][0], "name"),
            "`proportion` and `capacity` both set the share of each queue: Volcano does not "
            "support the two together, and queues wait although GPUs are free",
            (
                "remove `proportion` to use `deserved` and `capability` of queues, or remove "
                "`capacity` to use `weight`"
            ),
            "warning",
        )
    if "deviceshare" in plugins:
        place, plugin = plugins["deviceshare"]
        arguments = mapping(plugin.get("arguments"))
        excluded = next((name for name in _SHARING if arguments.get(name) is True), None)
        if excluded is not None and arguments.get(_VGPU) is True:
            yield ProgramFault(
                (*place, "arguments", _VGPU),
                (
                    f"`{_VGPU}` and `{excluded}` cannot be enabled together: Volcano's scheduler "
                    "exits at startup"
                ),
                "keep the plugin whose device plugin runs on the nodes",
            )
