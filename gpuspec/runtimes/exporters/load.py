"""From the YAML tables to their typed form: read where alerts and dashboards are made."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.exporters.model import Exporter
from gpuspec.runtimes.load import named

DATA = os.path.join(os.path.dirname(__file__), "data")  # noqa: PTH118, PTH120
_NAMES = ("cadvisor", "dcgm-exporter", "kube-state-metrics", "kueue", "prometheus")


@cache
def exporters() -> tuple[Exporter, ...]:
    """All of them, by name."""
    return tuple(_exporter(name) for name in _NAMES)


def _exporter(name: str) -> Exporter:
    told = table(DATA, name)
    facts = {key: value for key, value in told.items() if key not in ("sources", "user_errors")}
    return msgspec.convert(named(facts, told["sources"]), Exporter)


@cache
def user_errors() -> tuple[int, ...]:
    """The numbers of Xid errors that a program causes, and not a GPU that is broken."""
    return msgspec.convert(table(DATA, "dcgm-exporter")["user_errors"]["numbers"], tuple[int, ...])
