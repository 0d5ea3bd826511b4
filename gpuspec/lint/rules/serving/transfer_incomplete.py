"""A prefill or decode server that lacks what the transfer of its cache needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.serving.command_lines import lines_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import items
from gpuspec.objects.objects import Pod
from gpuspec.objects.transfers import CONFIG, transfer_of
from gpuspec.runtimes import at_least
from gpuspec.runtimes.recognise import is_image

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.transfers import Transfer

RULE = Rule(
    "GPU818",
    "transfer-incomplete",
    "error",
    "A prefill or decode server lacks a setting that KV cache transfer requires",
    fix="unsafe",
)
_HOST = "VLLM_NIXL_SIDE_CHANNEL_HOST"
_NOWHERE = ("localhost", "127.0.0.1", "0.0.0.0", "::", "::1")
_PREFILL_NEEDS = "1.0.0"
"""The first release of Dynamo whose prefill workers of vLLM are given no connector by themselves."""

_HOST_SINCE = "0.5.2"
"""The first release of SGLang whose bootstrap server listens at `--host`; before, at all addresses.
Source: https://github.com/sgl-project/sglang/pull/9931"""
_DYNAMO_HOST_SINCE = "0.6.0"
"""The first release of Dynamo whose image holds such an SGLang. Source: the requirements of its
extra `sglang`, https://pypi.org/project/ai-dynamo/"""

_OLD = "LMCacheConnector"
_ENGINE = "VLLM_USE_V1"
_ENGINE_SINCE = "0.9.0"
"""The first vLLM release that starts the V1 engine for most models by default."""
_WITHOUT_OLD = "0.11.0"
"""The first release of vLLM without the engine V0."""
_OWN_CLASS = "kv_connector_module_path"
_LMCACHE = ("lmcache/vllm-openai",)
"""Images whose tags count LMCache's releases; those since 0.3 hold a vLLM that starts V1."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield what each side needs, whatever the other is."""
    transfer = transfer_of(pod)
    if transfer is None:
        return
    for container in pod.containers:
        if transfer.path[: len(container.path())] != container.path():
            continue
        if _OLD in transfer.connectors:
            yield from _old_connector(container, transfer)
        if transfer.server == "sglang":
            yield from _bootstrap(container, transfer)
        elif any("Nixl" in name for name in transfer.connectors):
            yield from _side_channel(container, pod)
        elif transfer.side == "prefill" and not transfer.connectors:
            yield from _connector(container, transfer)


def _old_connector(container: PodContainer, transfer: Transfer) -> Iterator[RawFinding]:
    """Yield a connector of the engine V0, where V1 starts."""
    of_lmcache = is_image(container.image, _LMCACHE)
    starts = of_lmcache or at_least(container.image, _ENGINE_SINCE) is True
    gone = _is_gone(container)
    config_text, path = transfer.told[CONFIG]
    if (
        _OWN_CLASS in config_text
        or not starts
        or (container.env_value(_ENGINE) == "0" and not gone)
    ):
        return
    right = config_text.replace(f'"{_OLD}"', f'"{_OLD}V1"')
    words = (*items(container.value.get("command")), *items(container.value.get("args")))
    yield RawFinding(
        path,
        f"`{_OLD}` belongs to vLLM's V0 engine, but this image starts V1: the server "
        "exits at startup",
        note=f"use its successor `{_OLD}V1`",
        severity=None if gone else "warning",
        confidence="certain" if gone else "likely",
        fix=Fix(f"write `{_OLD}V1`", (Put(path, right),))
        if right != config_text and config_text in words
        else None,
    )


def _is_gone(container: PodContainer) -> bool:
    """Return whether the image contains a vLLM without the V0 engine, by its tag or its base."""
    return at_least(container.image, _WITHOUT_OLD) is True or any(
        line.program.name == "vllm"
        and line.releases.first >= line.program.releases.index(_WITHOUT_OLD)
        for line in lines_of(container)
    )


def _connector(container: PodContainer, transfer: Transfer) -> Iterator[RawFinding]:
    """Yield a prefill worker of Dynamo, which is given no connector by itself."""
    if container.words.has("dynamo.vllm") is None or "vllm-runtime" not in container.image:
        return
    if at_least(container.image, _PREFILL_NEEDS) is True and not _may_be_told(container):
        yield RawFinding(
            transfer.path,
            "a prefill worker of Dynamo has no `--kv-transfer-config`, which has no default "
            f"since {_PREFILL_NEEDS}: the worker exits at startup",
            note=(
                'set `{"kv_connector":"NixlConnector","kv_role":"kv_both"}`, for example, on both '
                "sides"
            ),
        )


def _side_channel(container: PodContainer, pod: Pod) -> Iterator[RawFinding]:
    """Check the address for the other side, which vLLM's NIXL connector does not detect."""
    value = container.env_value(_HOST)
    # Operators and launchers set it where they know the address.
    if (
        not pod.object.traits.as_written
        or _says(container, _HOST)
        or container.words.has("dynamo.vllm")
    ):
        return
    if _HOST not in container.env:
        if container.value.get("envFrom"):
            return
        entry = {"name": _HOST, "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
        end = len(items(container.value.get("env")))
        yield RawFinding(
            container.path("env"),
            f"without `{_HOST}` the server advertises its cache at localhost, where the other pod "
            "finds only itself: the first transfer fails",
            severity="warning",
            confidence="likely",
            fix=Fix(
                f"set `{_HOST}` to the pod's address", (Put(container.path("env", end), entry),)
            ),
        )
    elif value in _NOWHERE:
        path = (*container.env_path(_HOST), "value")
        yield RawFinding(
            path,
            f"the server advertises its cache at {value}, where the other pod finds only itself: "
            "the first transfer fails",
            note="write `valueFrom: {fieldRef: {fieldPath: status.podIP}}`, the pod's address",
            severity="warning",
        )


def _bootstrap(container: PodContainer, transfer: Transfer) -> Iterator[RawFinding]:
    """Check the bootstrap server, which listens on the prefill server's address."""
    host = container.words.flag("--host")
    if transfer.side != "prefill" or _may_be_told(container) or container.words.has("--config"):
        return
    if host is not None and (host.value or "") not in ("127.0.0.1", "localhost", "::1"):
        return
    dynamo = container.words.has("dynamo.sglang") is not None
    listens_here = at_least(container.image, _DYNAMO_HOST_SINCE if dynamo else _HOST_SINCE)
    # Dynamo's frontend does not use the HTTP server of SGLang, only decode pods the other one.
    if dynamo and listens_here is False:
        return
    end = len(items(container.value.get("args")))
    puts = (
        Put(container.path("args", end), "--host"),
        Put(container.path("args", end + 1), "0.0.0.0"),
    )
    plain = container.value.get("args") and not any(
        " " in str(word) for word in container.value["args"]
    )
    yield RawFinding(
        transfer.path if host is None else host.path,
        ("SGLang listens" if listens_here is False else "SGLang and its bootstrap server listen")
        + " on 127.0.0.1"
        + (" because `--host` is not set: " if host is None else ": ")
        + ("no router" if listens_here is False else "no decode pod")
        + " can reach the prefill server",
        severity="warning",
        confidence="likely",
        fix=Fix("listen on all addresses", puts) if plain and host is None else None,
    )


def _says(container: PodContainer, name: str) -> bool:
    """Return whether a script names something."""
    words = (*items(container.value.get("command")), *items(container.value.get("args")))
    return any(isinstance(word, str) and name in word for word in words)


def _may_be_told(container: PodContainer) -> bool:
    """Return whether variables may hold options."""
    return any(word.text.startswith(("$", "{{")) for word in container.words)
