"""A server that runs the code of a model's repository, whatever it will be."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.serving.hub import hub_model, is_pinned
from gpuspec.lint.subjects.serving.servers import server_of
from gpuspec.manifests import Path
from gpuspec.objects.containers import Container
from gpuspec.objects.objects import Pod
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU614",
    "remote-code-unpinned",
    "info",
    "A server runs the code of a model whose revision is not pinned",
)
_OFF = ("0", "false", "no", "off")


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Servers that are told to trust remote code, with a model of a hub and no revision."""
    if context.cluster is not None and context.cluster.contracts.revisions:
        # Any model needs one then, as another rule says.
        return
    for one in pod.containers:
        server = server_of(one)
        if server is None:
            continue
        where = _trusts(one, server)
        model = hub_model(one, server) if where is not None else None
        if model is None or where is None or is_pinned(one, server):
            continue
        yield Found(
            where,
            f"the Python code in `{model.name}` runs in this pod, and without a revision it is "
            "whatever the repository holds at the next start",
            note="pin it with `--revision` and the hash of a commit whose code was read",
        )


def _trusts(one: Container, server: Runtime) -> Path | None:
    setting = server.settings.trust
    if setting is None:
        return None
    if setting.flags and (flag := one.words.flag(*setting.flags)) is not None:
        return None if (flag.value or "").lower() in _OFF else flag.path
    for entry in setting.environment:
        name, _, value = entry.partition("=")
        if one.env_value(name) == value:
            return (*one.env_path(name), "value")
    return None
