"""The file with the context and generation servers of TensorRT-LLM's router.

Source: NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/disagg_utils.py (extract_ctx_gen_cfgs), 1.0 and 1.3.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gpuspec.lint.analysis.reading.mounted import mounted
from gpuspec.lint.analysis.serving.file_keys import FileKeyError
from gpuspec.manifests.values import items, mapping, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

_OPTIONS = ("--config_file", "-c")
_SERVERS = ("context_servers", "generation_servers")
_ADDRESS = re.compile(r"[^:]*:[0-9]+")
_TITLE = "TensorRT-LLM's router"


def wrong_servers(
    pod: Pod, container: PodContainer, collection: Collection
) -> Iterator[FileKeyError]:
    """Yield addresses that the router cannot parse, and numbers of servers that it does not
    accept."""
    words = container.words
    if words.has("trtllm-serve") is None or words.has("disaggregated") is None:
        return
    flag = words.flag(*_OPTIONS)
    source = mounted(pod, container, flag.value, collection) if flag and flag.value else None
    if flag is None or source is None or source.settings.get("disagg_cluster"):
        return
    for name in _SERVERS:
        fault = _fault(mapping(source.settings.get(name)))
        if fault is not None:
            message, note = fault
            yield FileKeyError(
                source, flag.path, f"{name}.urls", message, note, "warning", "likely"
            )


def _fault(servers: dict[str, Any]) -> tuple[str, str | None] | None:
    """Return the fault in the addresses of one kind of server, and a note."""
    urls = items(servers.get("urls"))
    if not urls or any(not isinstance(url, str) or "$" in url or "{" in url for url in urls):
        return None
    wrong = next((url for url in urls if _ADDRESS.fullmatch(url) is None), None)
    if wrong is not None:
        return (
            (
                f"{_TITLE} splits `{wrong}` into a host and a port, and exits if there are more "
                "or fewer parts"
            ),
            "write the address as `HOST:PORT`, without `http://` and without a path",
        )
    number = whole(servers.get("num_instances"), 1)
    if number is None or number == len(urls):
        return None
    addresses = f"{len(urls)} address{'es' if len(urls) != 1 else ''}"
    instances = f"{number} instance{'s' if number != 1 else ''}"
    return (
        f"{_TITLE} has {addresses} but {instances}, and exits if the numbers differ",
        None if "num_instances" in servers else "set `num_instances`, which defaults to 1",
    )
