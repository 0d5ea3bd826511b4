"""A device whose request is not its limit, or that has no limit."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU102",
    "request-differs-from-limit",
    "error",
    "A device's request differs from its limit",
    fix="both",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield requests without a limit, and requests that differ from it."""
    for container in pod.gpu_containers:
        for device in container.devices:
            if device.request is None or device.request == device.limit:
                continue
            if device.limit is None:
                yield RawFinding(
                    device.at("requests"),
                    f"`{device.name}` has a request but no limit: the API server rejects the pod",
                    fix=Fix(
                        "set the limit too", (Put(device.at("limits"), device.request),), safe=True
                    ),
                    key=True,
                )
                continue
            asked, most = quantity(device.request), quantity(device.limit)
            if asked is not None and most is not None and asked != most:
                yield RawFinding(
                    device.at("requests"),
                    f"`{device.name}` has a request of {asked} and a limit of {most}: devices "
                    "cannot be overcommitted, and the API server rejects the pod",
                    fix=Fix(
                        "set the request equal to the limit",
                        (Put(device.at("requests"), device.limit),),
                    ),
                )
