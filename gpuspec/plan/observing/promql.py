"""PromQL expressions, built from common parts."""

import json
import re
from collections.abc import Mapping

ENGINE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
"""The fraction of time in which a GPU, or a slice of it, is in use."""
USED, FREE = "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"
POD = "namespace, pod"
"""Labels on which series of one pod are joined, whichever exporter emits them."""
_UNITS = (("d", 86_400), ("h", 3600), ("m", 60), ("s", 1))
_NO_LABEL = re.compile(r"[^a-zA-Z0-9_]")


def selected(name: str, labels: Mapping[str, str]) -> str:
    """Return a series with labels of these values."""
    # PromQL's strings are Go's, which takes those of JSON.
    chosen = ",".join(f"{key}={json.dumps(value)}" for key, value in labels.items())
    return f"{name}{{{chosen}}}" if chosen else name


def lasting(seconds: int) -> str:
    """Return a duration in Prometheus' form: `1h30m`."""
    parts: list[str] = []
    for unit, size in _UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


def resource(name: str) -> str:
    """Return a resource in kube-state-metrics' form: `nvidia_com_gpu`."""
    return _NO_LABEL.sub("_", name)


def of_pods(series: str) -> str:
    """Return a dcgm-exporter series, with the pod of the GPU as `namespace` and `pod`.

    A scraper with its own labels of these names prefixes the exporter's with `exported_`, which is
    the default.
    """
    for label in ("namespace", "pod"):
        series = f'label_replace({series}, "{label}", "$1", "exported_{label}", "(.+)")'
    return series


def quantile(share: float, histogram: str, labels: Mapping[str, str]) -> str:
    """Return the value that a fraction of all observations does not exceed."""
    rate = f"rate({selected(f'{histogram}_bucket', labels)}[5m])"
    return f"histogram_quantile({share}, sum by (le) ({rate}))"


def memory_share(labels: Mapping[str, str] | None = None) -> str:
    """Return the used fraction of a GPU's memory."""
    used, free = (selected(metric, labels or {}) for metric in (USED, FREE))
    return f"{used} / ({used} + {free})"
