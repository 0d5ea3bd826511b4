"""A number of devices that was not filled in: null, empty, zero, or a placeholder."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.placing import gpu_toleration, pins
from gpuspec.lint.analysis.reading.blanks import fills_in, left_open
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.devices import DeviceRequest
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU104",
    "empty-count",
    "error",
    "A device count is null, empty, zero or a placeholder",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield counts that are not a number yet, and zeros in objects without any device."""
    for container in pod.gpu_containers:
        for device in container.devices:
            finding = _first_unfilled(pod, container, device)
            if finding is not None:
                yield finding
            elif device.count == 0 and _is_odd(pod, context):
                yield _elsewhere(pod, device) or _zero(device)


def _first_unfilled(pod: Pod, container: PodContainer, device: DeviceRequest) -> RawFinding | None:
    for where, amounts in (("limits", container.limits), ("requests", container.requests)):
        if device.name not in amounts:
            continue
        amount = amounts[device.name]
        if amount is None or isinstance(amount, str):
            finding = _unfilled(pod, device, amount, device.at(where))
            if finding is not None:
                return finding
    return None


def _unfilled(
    pod: Pod, device: DeviceRequest, count_text: str | None, path: Path
) -> RawFinding | None:
    if count_text is None:
        return RawFinding(
            path,
            f"`{device.name}` has no value, which counts as 0: the container gets no device",
            note=(
                "write the number of devices, or set the chart's value if a chart renders this "
                "field"
            ),
        )
    text = count_text.strip()
    if not text:
        return RawFinding(
            path,
            f"`{device.name}` is an empty string: the API server rejects the pod",
            note=f"set `{device.name}` to the number of devices",
        )
    signs = ("$", "{{", "}}", "<", "%(", "__")
    if any(sign in text for sign in signs) and not fills_in(pod.object, text):
        severity, confidence = left_open(pod.object, text)
        return RawFinding(
            path,
            f"`{device.name}: {text}` is a placeholder that was not filled in: the API "
            "server rejects the pod",
            note="render the template first: `envsubst`, `helm template`, `kustomize build`",
            severity=severity,
            confidence=confidence,
        )
    return None


def _elsewhere(pod: Pod, device: DeviceRequest) -> RawFinding | None:
    """Return a runtime that nodes without devices lack, if the pod can run on them."""
    runtime_class = pod.spec.get("runtimeClassName")
    maker = device.name.partition(".")[0]
    is_bound = any(pod.spec.get(field) for field in ("nodeSelector", "nodeName", "affinity"))
    if not isinstance(runtime_class, str) or maker not in runtime_class or is_bound:
        return None
    return RawFinding(
        pod.path("runtimeClassName"),
        f"`{device.name}: 0` lets the pod onto nodes without the runtime `{runtime_class}`: the "
        "kubelet cannot create the pod's sandbox there",
        note="remove `runtimeClassName`, or request a device",
        severity="warning",
        confidence="likely",
    )


def _zero(device: DeviceRequest) -> RawFinding:
    return RawFinding(
        device.path,
        f"`{device.name}: 0` requests no device: the container sees no GPU",
        note=(
            "set the number of devices, or delete the line, which at some providers lets the pod "
            "onto GPU nodes"
        ),
        severity="info",
        confidence="likely",
    )


def _is_odd(pod: Pod, context: Context) -> bool:
    """Return whether a zero is worth reporting. It is intended beside other pods of the object with
    devices, and another rule reports it if the pod selects GPU nodes."""
    if any(sibling.gpus for sibling in pod.object.pods):
        return False
    return not pins(pod, context) and gpu_toleration(pod, context) is None
