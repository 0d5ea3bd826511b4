"""How a pod's command line sets up the transfer of its KV cache to or from another pod."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.manifests import Path
from gpuspec.manifests.values import items

if TYPE_CHECKING:
    from gpuspec.objects.command_line import ArgumentWord, Flag
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

Side = Literal["prefill", "decode"]
Server = Literal["vllm", "sglang"]

CONFIG = "--kv-transfer-config"
MODE = "--disaggregation-mode"
BACKEND = "--disaggregation-transfer-backend"
_ROLE = "llm-d.ai/role"
_CONNECTOR = re.compile(r"""kv_connector\\?["']\s*:\s*\\?["'](\w+)""")
_KV_ROLE = re.compile(r"""kv_role\\?["']\s*:\s*\\?["'](\w+)""")
_ALIKE = {
    "--model": ("--model", "--model-path"),
    "--dtype": ("--dtype",),
    "--kv-cache-dtype": ("--kv-cache-dtype",),
    "--tensor-parallel-size": ("--tensor-parallel-size", "-tp", "--tp-size", "--tp"),
    BACKEND: (BACKEND,),
}
"""Options that must be equal, or nearly so, on both sides."""


class Transfer(msgspec.Struct, frozen=True):
    """One side of a KV cache transfer."""

    side: Side | None
    """None if the command line does not tell."""
    server: Server
    connectors: frozenset[str]
    """The connectors that transfer the cache; empty if not set."""
    role: str
    """The configured role, producer or consumer; empty if not set."""
    told: dict[str, tuple[str, Path]]
    """The values of options that both sides have, with their paths."""
    image: str
    path: Path
    """The path of its command line."""


def transfer_of(pod: Pod) -> Transfer | None:
    """Return the transfer settings of a pod; None if it transfers no cache, or they cannot be read."""
    for container in pod.containers:
        server = _server(container)
        side = _side(container, pod)
        config = container.words.flag(CONFIG)
        if server is None or (side is None and config is None):
            continue
        configured = _read(container, config)
        if configured is None:
            return None
        connectors, role = configured
        flags = {name: container.words.flag(*names) for name, names in _ALIKE.items()}
        options = {
            name: (flag.value, flag.path) for name, flag in flags.items() if flag and flag.value
        }
        operand = _operand(container) if server == "vllm" else None
        if operand is not None:
            options.setdefault("--model", (operand.text, operand.path))
        field = "args" if container.value.get("args") else "command"
        if config is not None:
            options[CONFIG] = config.value or "", config.path
        return Transfer(
            side, server, connectors, role, options, container.image, container.path(field)
        )
    return None


def _server(container: PodContainer) -> Server | None:
    words = container.words
    if words.has("dynamo.sglang", "sglang.launch_server", "sglang") is not None:
        return "sglang"
    is_vllm = words.has("vllm", "dynamo.vllm", "vllm.entrypoints.openai.api_server") is not None
    # Without a command the image is what is started.
    return (
        "vllm"
        if is_vllm or (not container.value.get("command") and "vllm" in container.image)
        else None
    )


def _operand(container: PodContainer) -> ArgumentWord | None:
    """Return the model from the word after `vllm serve`, or from the first word if the image's
    entrypoint is `vllm serve`."""
    words = container.words.all
    starts = [index + 1 for index, word in enumerate(words) if word.text == "serve"]
    if not starts and not container.value.get("command"):
        starts = [0]
    first = words[starts[0]] if starts and starts[0] < len(words) else None
    return None if first is None or first.text.startswith("-") else first


def _side(container: PodContainer, pod: Pod) -> Side | None:
    mode = container.words.flag(MODE)
    if mode is not None:
        return _named(mode.value or "")
    if container.words.flag("--is-prefill-worker") is not None:
        return "prefill"
    owner = pod.object
    role_names = (pod.labels.get(_ROLE), pod.role.name, owner.name)
    return next((side for role_name in role_names if (side := _named(str(role_name or "")))), None)


def _named(text: str) -> Side | None:
    """Return the side that a text names, if it names only one."""
    lowered = text.lower()
    is_prefill, is_decode = "prefill" in lowered, "decode" in lowered
    if is_prefill is is_decode:
        return None
    return "prefill" if is_prefill else "decode"


def _read(container: PodContainer, config: Flag | None) -> tuple[frozenset[str], str] | None:
    """Return the connectors and the role of a configuration; None if it cannot be read."""
    if config is None:
        return frozenset(), ""
    # Scripts write it in quotes of their own.
    words = (*items(container.value.get("command")), *items(container.value.get("args")))
    text = "\n".join(word for word in words if isinstance(word, str))
    connectors = frozenset(_CONNECTOR.findall(text))
    role = _KV_ROLE.search(text)
    return (connectors, role[1] if role else "") if connectors else None
