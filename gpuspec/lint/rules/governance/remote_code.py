"""A server that runs the code of a model's repository, whatever it will be."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.hub import hub_model, is_pinned
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU614",
    "remote-code-unpinned",
    "info",
    "A server runs a model's remote code at an unpinned revision",
)
_OFF = ("0", "false", "no", "off")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers that trust remote code and load a model of a hub without a revision."""
    if context.cluster is not None and context.cluster.contracts.revisions:
        # Any model needs one then, as another rule says.
        return
    for container in pod.containers:
        server = server_of(container)
        if server is None:
            continue
        where = _trusts(container, server)
        by_itself = where is None and server.trusts and not _is_told(container, server)
        model = hub_model(container, server) if where is not None or by_itself else None
        if model is None or is_pinned(container, server):
            continue
        pin = "pin the model with `--revision` and the hash of a commit whose code you have read"
        if where is not None:
            yield RawFinding(
                where,
                f"any Python code in `{model.name}` runs in this pod: without a revision each "
                "start runs the repository's newest code",
                note=pin,
            )
        else:
            yield RawFinding(
                model.path,
                f"{server.title} runs Python code from model repositories by default: without a "
                f"revision of `{model.name}` each start runs the repository's newest code",
                note=f"add `--no-trust-remote-code`, or {pin}",
                confidence="possible",
            )


def _trusts(container: PodContainer, server: Runtime) -> Path | None:
    """Return the path at which a server is configured to run remote code."""
    setting = server.settings.trust
    if setting is None:
        return None
    if setting.flags and (flag := container.words.flag(*setting.flags)) is not None:
        return None if (flag.value or "").lower() in _OFF else flag.path
    for entry in setting.environment:
        name, _, value = entry.partition("=")
        if container.env_value(name) == value:
            return (*container.env_path(name), "value")
    return None


def _is_told(container: PodContainer, server: Runtime) -> bool:
    """Return whether a setting decides, or may decide, about remote code."""
    setting = server.settings.trust
    if (
        setting is None
        or container.value.get("envFrom")
        or any(name in container.env for name in setting.names)
    ):
        return True
    no = [f"--no-{flag.lstrip('-')}" for flag in setting.flags]
    return container.words.flag(*sorted(setting.flags), *sorted(no)) is not None
