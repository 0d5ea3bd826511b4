"""Programs that load no model and do not end: agents on a node, helpers of a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.security.images import image_of
from gpuspec.numbers import is_digits
from gpuspec.objects.command_line import SHELLS
from gpuspec.objects.lazy import kept
from gpuspec.runtimes import common

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer

_HELPERS = (
    *("tensorboard", "jupyter", "jupyter-lab", "code-server", "mlflow", "aim", "ttyd"),
    *("node_exporter", "node-exporter", "prometheus", "pushgateway", "redis-server"),
    *("nginx", "envoy", "haproxy", "oauth2-proxy", "cloud_sql_proxy", "cloud-sql-proxy", "squid"),
    # GKE's daemons of GPUDirect-TCPX and TCPXO, and the script that starts the latter.
    *("tcpgpudmarxd", "tcpgpudmarxd-dev", "entrypoint_rxdm_container.sh"),
    *("fluent-bit", "fluentd", "vector", "filebeat", "promtail", "otelcol"),
    *("otelcol-contrib", "alloydb-auth-proxy", "dockerd", "daprd"),
)
_AGENTS = (
    *("dcgm", "dcgm-exporter", "nv-hostengine", "nvidia_gpu_exporter", "device-metrics-exporter"),
    *("gpu-feature-discovery", "k8s-device-plugin", "nvidia-device-plugin", "k8s-dra-driver-gpu"),
)
_IMAGES = (
    *("opentelemetry-collector", "opentelemetry-collector-contrib", "telegraf", "alloy", "redis"),
    *("memcached", "alertmanager", "metricbeat", "vmagent", "grafana-agent", "tailscale"),
)
"""Images, of words too common to be looked for in command lines."""
_WAITS = frozenset(("sleep", "tail", "pause"))
_IDLE = frozenset(
    (
        *_WAITS,
        *SHELLS,
        *(
            "while",
            "true",
            "do",
            "done",
            "date",
            "echo",
            "trap",
            "exit",
            "wait",
            "exec",
            "nvidia-smi",
        ),
        *("TERM", "INT", "SIGTERM", "SIGINT", "infinity", "inf", "null", "&", "&&", ":"),
    )
)
_ENDLESS = frozenset(("while", "infinity", "inf", "tail", "pause"))
_ALL = (*_AGENTS, *_HELPERS)


@kept
def never_ends(container: PodContainer) -> str | None:
    """Return the program that runs until it is stopped, by the command, or else by the image's
    name."""
    return _program(container, _ALL)


@kept
def agent(container: PodContainer) -> str | None:
    """Return the program that manages GPUs without computing on them."""
    return _program(container, _AGENTS)


@kept
def loads_no_model(container: PodContainer) -> bool:
    """Return whether the program is known to be ready before any model: a studio, a media
    server."""
    texts = (container.image, *(word.text for word in container.words))
    return any(name in text.lower() for text in texts for name in common().unloaded.images)


@kept
def only_waits(container: PodContainer) -> bool:
    """Return whether the container does nothing: `sleep infinity`, `while true; do sleep 9; done`,
    or the pause image."""
    if not container.words:
        return _name(container) == "pause"
    texts = [word.text.rpartition("/")[2] for word in container.words]
    image = None if texts else image_of(container.image)
    if image is not None and image.waits:
        return True
    return not _WAITS.isdisjoint(texts) and all(
        text in _IDLE or text.startswith("-") or is_digits(text[:1]) for text in texts
    )


@kept
def sleeps_a_while(container: PodContainer) -> bool:
    """Return whether it only waits for a fixed time, and then ends: `sleep 600`."""
    texts = {word.text.rpartition("/")[2] for word in container.words}
    return "sleep" in texts and _ENDLESS.isdisjoint(texts) and only_waits(container)


def _program(container: PodContainer, names: tuple[str, ...]) -> str | None:
    word = container.words.has(*names)
    if word is not None:
        return word.text.rpartition("/")[2]
    if container.value.get("command"):
        return None
    image = _name(container)
    also = _IMAGES if names is _ALL and not container.value.get("args") else ()
    return image if image in (*names, *also) else None


def _name(container: PodContainer) -> str:
    return container.image.partition("@")[0].rpartition("/")[2].partition(":")[0]
