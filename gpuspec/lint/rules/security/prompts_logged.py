"""A server that writes users' prompts into its log."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import mapping
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU618",
    "prompts-in-the-log",
    "warning",
    "A server logs its prompts",
)
_BOOSTER = ("workload.serving.volcano.sh", "ModelBooster")
"""A kind whose workers have no `args`: kthena makes the command line of their `config`."""
_OFF = ("0", "false", "no", "off")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield options that enable it, and old releases that do it by default."""
    for container in pod.containers:
        server = server_of(container)
        if server is None or server.prompts is None:
            continue
        switched = next(
            filter(None, (_switch(container, switch) for switch in server.prompts.switches)), None
        )
        if switched is not None:
            word, path = switched
            yield RawFinding(
                path,
                f"`{word}` writes prompts to {server.title}'s log: users' input leaves the pod, "
                "and all users who can read logs can read it",
                note=f"remove `{word}`",
            )
        elif _by_itself(container, server):
            assert server.prompts.disable is not None
            option = " ".join(server.prompts.disable.arguments)
            place = next((key for key in ("args", "command") if key in container.value), "args")
            if pod.object.is_a(*_BOOSTER):
                name = option.lstrip("-")
                keys = map(str, mapping(container.value.get("config")))
                if name in (key.replace("_", "-") for key in keys):
                    continue
                place, option = "config", f'{name}: ""'
            where = "" if place != "config" else " to `config`"
            yield RawFinding(
                container.path(place),
                f"{server.title} before {server.prompts.disable_until} logs every prompt by "
                "default",
                note=f"add `{option}`{where}, or use a newer version, which logs no prompts by default",
                severity="info",
            )


def _switch(container: PodContainer, switch: str) -> tuple[str, Path] | None:
    name, _, value = switch.partition("=")
    if name.startswith("-"):
        flag = container.words.flag(name)
        flag_value = "" if flag is None else (flag.value or "").lower()
        off = flag_value != value.lower() if value else flag_value in _OFF
        return None if flag is None or off else (switch, flag.path)
    env_value = container.env_value(name)
    if env_value is None or (env_value != value if value else env_value.lower() in ("", *_OFF)):
        return None
    return f"{name}={env_value}", (*container.env_path(name), "value")


def _by_itself(container: PodContainer, server: Runtime) -> bool:
    prompt_logging = server.prompts
    if (
        prompt_logging is None
        or prompt_logging.disable is None
        or prompt_logging.disable_until is None
    ):
        return False
    if (
        not prompt_logging.disable.flags
        or container.words.flag(*prompt_logging.disable.flags) is not None
    ):
        return False
    return runtimes.at_least(container.image, prompt_logging.disable_until) is False
