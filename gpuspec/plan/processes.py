"""How many processes a launcher starts in a pod: one for each GPU, or for each core of a device that has several."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.plan.case import Case
from gpuspec.plan.devices import device
from gpuspec.plan.leaf import Note, Origin


def processes(case: Case) -> int:
    """Processes of one pod. Where pods may get devices with other numbers of cores, the fewest."""
    name = device(case)
    cores = (model.cores // hardware.per_device(name, model) for model in case.models)
    return case.gpus * min(cores, default=1)


def driven(case: Case) -> str:
    """What one process drives, in words."""
    known = hardware.resource(device(case))
    cores = processes(case) > case.gpus or (known is not None and known.kind == "core")
    return "NeuronCore" if cores else "GPU"


def apart(case: Case) -> Iterator[Note]:
    """A loud word on a number of devices that are not all connected to each other."""
    known = hardware.resource(device(case))
    if known is None or known.kind == "core":
        return
    for model in case.models:
        if model.counts and case.gpus not in model.counts:
            *most, last = model.counts
            text = (
                f"{case.gpus} {model.name} devices of a node are not connected to each other: the Neuron "
                f"scheduler extension, where it places pods, gives {', '.join(map(str, most))} or {last}"
            )
            yield Note(text, Origin("spec", ("spec", "gpu", "count")), loud=True)
