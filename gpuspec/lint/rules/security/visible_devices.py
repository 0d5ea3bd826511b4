"""Variables that choose devices, set by hand."""

import re
from collections.abc import Iterator

from gpuspec.hardware import pod_needs
from gpuspec.hardware.pod_needs import Indexes
from gpuspec.lint.analysis.devices.cdi import passes_variables_over
from gpuspec.lint.analysis.devices.makers import NVIDIA, maker
from gpuspec.lint.analysis.security.bypass import is_privileged
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.numbers import is_digits, read_whole
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU604",
    "devices-chosen-by-hand",
    "warning",
    "A variable selects GPUs without the device plugin",
    fix="unsafe",
)
_RUNTIME = "NVIDIA_VISIBLE_DEVICES"
_NONE = ("", "none", "void")
_UUIDS = ("GPU-", "MIG-")
_FILLED_IN = "${}<>%[]`"
_SET = re.compile(r"(?:^|[\s;&|(])([A-Z]+_VISIBLE_DEVICES)=([^\s;&|)]*)")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check the variables of the container runtime and of the processes."""
    for container in pod.every:
        chosen = container.env_value(_RUNTIME)
        # Where the devices are another maker's, NVIDIA's container runtime is not there to read it.
        if chosen is not None and pod.object.kind != "DaemonSet" and maker(container) == NVIDIA:
            judge = _passed_over if passes_variables_over(pod, context) else _runtime
            yield from judge(pod, container, chosen.strip())
        indexes = pod_needs(maker(container)).indexes if container.gpus else None
        for name in indexes.names if indexes else ():
            value = container.env_value(name)
            if value is not None and indexes is not None:
                yield from _indexes(container, name, value, indexes.reader)
        if indexes is not None:
            yield from _in_words(container, indexes)


def _runtime(pod: Pod, container: PodContainer, value: str) -> Iterator[RawFinding]:
    path = (*container.env_path(_RUNTIME), "value")
    drop = Fix(
        f"leave {_RUNTIME} to the device plugin",
        (Drop(container.env_path(_RUNTIME), emptied=True),),
    )
    if value.lower() in _NONE:
        if container.gpus:
            message = f"`{_RUNTIME}={value}` hides {_own(container)}"
            yield RawFinding(
                path, f"{message}: the pod's own value overrides the device plugin's", fix=drop
            )
        return
    if "$" in value:
        return
    if container.gpus:
        yield RawFinding(
            path,
            f"`{_RUNTIME}={value}` overrides the device plugin: this container gets "
            f"{_chosen(value)}, even if other pods hold them",
            fix=drop,
        )
    elif not container.devices and not pod.claims:
        yield RawFinding(
            path,
            f"`{_RUNTIME}={value}` gives this container GPUs that it does not request: the "
            "scheduler also gives them to other pods",
            note=f"request GPUs in `limits`, or set `{_RUNTIME}: void` for none",
        )


def _passed_over(pod: Pod, container: PodContainer, value: str) -> Iterator[RawFinding]:
    """Yield the same if nothing reads the variable, so that only the device plugin's choice counts."""
    if value.lower() in _NONE or "$" in value:
        return
    path = (*container.env_path(_RUNTIME), "value")
    if container.gpus:
        if value.lower() != "all":
            yield RawFinding(
                path,
                f"`{_RUNTIME}={value}` has no effect: CDI gives this container the GPUs that "
                "the device plugin chose",
                note=f"remove `{_RUNTIME}`, and request the number of GPUs in `limits`",
                severity="info",
            )
    elif not container.devices and not pod.claims:
        yield RawFinding(
            path,
            f"`{_RUNTIME}={value}` gives this container no GPU: with CDI a pod gets only the "
            "GPUs that it requests",
            note="request GPUs in `limits`, or set `runtimeClassName: nvidia`, with which the "
            "variable is read",
            confidence="likely",
        )


def _chosen(value: str) -> str:
    return "all GPUs of the node" if value.lower() == "all" else f"GPUs {value}"


def _own(container: PodContainer) -> str:
    return (
        "the container's GPU"
        if container.gpus == 1
        else f"all of the container's {container.gpus} GPUs"
    )


def _is_beyond(container: PodContainer, number: int) -> bool:
    """Return whether a container has no device of a number; a privileged one has the node's."""
    return number >= container.gpus and not is_privileged(container)


def _range(container: PodContainer) -> str:
    """Return which devices a container has."""
    if container.gpus == 1:
        return "a container with 1 GPU has only device 0"
    last = container.gpus - 1
    return f"a container with {container.gpus} GPUs has devices 0 to {last}"


def _indexes(container: PodContainer, name: str, value: str, reader: str) -> Iterator[RawFinding]:
    parts = [part.strip() for part in value.split(",")]
    path = (*container.env_path(name), "value")
    drop = Fix(f"delete {name}", (Drop(container.env_path(name), emptied=True),))
    if value.strip() in ("", "-1"):
        yield RawFinding(path, f"`{name}={value}` hides {_own(container)}", fix=drop)
        return
    if not all(is_digits(part) for part in parts):
        wrong = _no_index(name, value, reader)
        if wrong is not None:
            yield RawFinding(path, wrong, fix=drop, confidence="likely")
        return
    numbers = [read_whole(part) or 0 for part in parts]
    beyond = next((number for number in numbers if _is_beyond(container, number)), None)
    if beyond is not None:
        visible = set(numbers[: numbers.index(beyond)])
        yield RawFinding(
            path,
            f"`{name}={value}` names device {beyond}, but {_range(container)}: {reader} ignores "
            f"device {beyond} and all later ones",
            fix=drop,
            # Those before it may be all that the container has.
            severity="info" if len(visible) == container.gpus else None,
        )
    elif len(set(parts)) < container.gpus:
        idle = container.gpus - len(set(parts))
        yield RawFinding(
            path,
            f"`{name}={value}` uses {len(set(parts))} of the container's {container.gpus} GPUs: "
            f"{idle} {'sits' if idle == 1 else 'sit'} idle",
            note="request only as many as the pod uses",
        )


def _no_index(name: str, value: str, reader: str) -> str | None:
    """Return the problem with a value that does not consist of indexes; None if unknown.

    CUDA reads indexes and UUIDs, and stops at what is neither; PyTorch reads it the same way
    (torch/cuda/__init__.py, `_parse_visible_devices`).
    """
    if any(mark in value for mark in _FILLED_IN):
        return None
    for part in (part.strip() for part in value.split(",")):
        if part.startswith(_UUIDS):
            return (
                f"`{name}` names a GPU by its UUID, but the device plugin ignores the variable: {reader} sees "
                "no device unless the plugin assigns exactly that GPU"
            )
        if not part or part[0] == "-":
            return None
        if not is_digits(part[0]):
            return (
                f"`{name}={value}`: `{part}` is neither an index nor a UUID, and {reader} ignores "
                "this device and all later ones"
            )
    return None


def _in_words(container: PodContainer, indexes: Indexes) -> Iterator[RawFinding]:
    """Yield the same for variables on a command line, but only for devices that the container does
    not have: several processes may use one device each."""
    for word in container.words.all:
        for match in _SET.finditer(word.text):
            name, value = match[1], match[2].strip("\"'")
            if name not in indexes.names or not value:
                continue
            wrong = _no_index(name, value, indexes.reader)
            numbers = [read_whole(part) for part in value.split(",") if is_digits(part)]
            beyond = [number for number in numbers if _is_beyond(container, number or 0)]
            if wrong is None and beyond:
                wrong = (
                    f"`{name}={value}` names device {beyond[0]}, but {_range(container)}: "
                    f"{indexes.reader} ignores device {beyond[0]} and all later ones"
                )
            if wrong is not None:
                yield RawFinding(word.path, wrong, note=f"remove `{name}`", confidence="likely")
                return
