"""A probe whose command cannot fail."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.serving.probes import always_true, probes
from gpuspec.lint.subjects.serving.servers import gpu_workers
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU505",
    "probe-always-true",
    "warning",
    "A probe's command always succeeds",
)
_HARM = {
    "startup": (
        "startup counts as done at once, and the liveness probe kills the server while it loads"
    ),
    "readiness": "requests arrive before the model is loaded, and after it is gone",
    "liveness": "a server that hangs keeps its GPUs and answers nothing",
}


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Probes like `true`, `exit 0`, `echo ok`."""
    for container in gpu_workers(pod):
        for kind, probe in probes(container):
            said = always_true(probe)
            if said is not None:
                yield Found(
                    container.path(f"{kind}Probe", "exec", "command"),
                    f"`{kind}Probe` runs `{said}`, which succeeds whatever the server does: "
                    f"{_HARM[kind]}",
                )
