"""Open MPI or Jupyter started as root, which both refuse by default."""

from collections.abc import Iterator

from gpuspec.lint.analysis.security.users import uid_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU768",
    "mpi-as-root",
    "warning",
    "`mpirun` or Jupyter runs as root, which the program rejects",
)
_OPTION = "--allow-run-as-root"
_JUPYTER = ("jupyter", "jupyter-lab", "jupyter-notebook", "jupyter-server")
_VARIABLES = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers of finite work that start it, in objects with accelerators."""
    for container in pod.gpu_containers:
        yield from _jupyter(pod, container)
    owner = pod.object
    if owner.spec.get("mpiImplementation", "OpenMPI") != "OpenMPI":
        return
    if not any(sibling.has_gpu or sibling.claims for sibling in owner.pods):
        return
    for container in pod.containers:
        word = container.words.has("mpirun")
        if word is None or uid_of(pod, container) != 0 or _is_allowed(container):
            continue
        yield RawFinding(
            word.path,
            "Open MPI's `mpirun` refuses to run as root, and `runAsUser` is 0: `mpirun` exits "
            "before any rank has started",
            note=f"run as a non-root user of the image, or add `{_OPTION}`",
            confidence="likely",
        )


def _is_allowed(container: PodContainer) -> bool:
    if container.words.flag(_OPTION, "-allow-run-as-root") is not None:
        return True
    if container.value.get("envFrom"):
        return True
    return all(
        name in container.env or any(name in word.text for word in container.words)
        for name in _VARIABLES
    )


def _jupyter(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    """Yield Jupyter's server; scripts of images start it as another user."""
    word = container.words.has(*_JUPYTER)
    if word is None or uid_of(pod, container) != 0 or "allow_root" in str(container.value):
        return
    if container.words.flag("--allow-root", "--config") is not None or container.value.get(
        "envFrom"
    ):
        return
    yield RawFinding(
        word.path,
        "Jupyter refuses to run as root, and `runAsUser` is 0: it exits at startup, unless a configuration "
        "file of the image allows root",
        note="run as a non-root user of the image, or add `--allow-root`",
        confidence="likely",
    )
