"""The number of processes that a launcher starts in a pod: one for each GPU, or for each core of a
multi-core device."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.devices import device
from gpuspec.plan.resolution import Resolution


def processes(resolution: Resolution) -> int:
    """Return the number of processes of one pod; the smallest if devices differ in cores."""
    name = device(resolution)
    cores = (model.cores // hardware.per_device(name, model) for model in resolution.models)
    return resolution.gpus * min(cores, default=1)


def driven(resolution: Resolution) -> str:
    """Return what one process drives, in words."""
    resource = hardware.resource(device(resolution))
    cores = processes(resolution) > resolution.gpus or (
        resource is not None and resource.kind == "core"
    )
    return "NeuronCore" if cores else "GPU"


def apart(resolution: Resolution) -> Iterator[Note]:
    """Yield a loud note on a number of devices that are not all connected to each other."""
    resource = hardware.resource(device(resolution))
    if resource is None or resource.kind == "core":
        return
    for model in resolution.models:
        if model.counts and resolution.gpus not in model.counts:
            *most, last = model.counts
            text = (
                f"{resolution.gpus} {model.name} devices of a node are not connected to each "
                "other: if the Neuron scheduler extension places pods, it gives "
                f"{', '.join(map(str, most))} or {last}"
            )
            yield Note(text, Origin("spec", ("spec", "gpu", "count")), loud=True)
