"""How many processes a launcher starts in a pod: one for each GPU, or for each core of a device that has several."""

from gpuspec import hardware
from gpuspec.plan.case import Case
from gpuspec.plan.devices import device


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
