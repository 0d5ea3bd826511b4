"""A Grafana dashboard: panels in two columns, as the JSON that Grafana's sidecar loads."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from gpuspec.manifests.digests import sha256

# Of Grafana 11; newer releases bring it to their own.
SCHEMA_VERSION = 39
_WIDTH, _HEIGHT, _COLUMNS = 12, 8, 2
_SOURCE = {"type": "prometheus", "uid": "$datasource"}


class Panel(msgspec.Struct, frozen=True):
    """One graph."""

    title: str
    unit: str
    """Grafana's name of the unit: `s`, `short`, `percentunit`, `decmbytes`, `bytes`."""
    queries: tuple[tuple[str, str], ...]
    """Expressions, each with its legend."""
    limit: float | None = None
    """The threshold of an alert."""


def dashboard(title: str, key: str, panels: Sequence[Panel]) -> str:
    """Return the dashboard as JSON, one panel per line. `key`: its unique identifier."""
    source = {
        "name": "datasource",
        "label": "Prometheus",
        "type": "datasource",
        "query": "prometheus",
    }
    value: dict[str, Any] = {
        "uid": f"gpuspec-{sha256(key.encode())[:12]}",
        "title": title,
        "tags": ["gpuspec"],
        "schemaVersion": SCHEMA_VERSION,
        "editable": False,
        "refresh": "1m",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [source]},
    }
    fields = [
        f"{json.dumps(name)}: {json.dumps(value_of_key)}" for name, value_of_key in value.items()
    ]
    lines = ",\n".join(f"  {json.dumps(placed_panel)}" for placed_panel in _placed(panels))
    return "{" + ",\n".join([*fields, f'"panels": [\n{lines}\n]']) + "}\n"


def _placed(panels: Sequence[Panel]) -> Iterator[dict[str, Any]]:
    for index, panel in enumerate(panels):
        row, column = divmod(index, _COLUMNS)
        place = {"x": column * _WIDTH, "y": row * _HEIGHT, "w": _WIDTH, "h": _HEIGHT}
        yield {
            "id": index + 1,
            "type": "timeseries",
            "title": panel.title,
            "gridPos": place,
            "datasource": _SOURCE,
            "fieldConfig": {"defaults": _defaults(panel), "overrides": []},
            "targets": [
                {
                    "refId": chr(ord("A") + at),
                    "datasource": _SOURCE,
                    "expr": expr,
                    "legendFormat": legend,
                }
                for at, (expr, legend) in enumerate(panel.queries)
            ],
        }


def _defaults(panel: Panel) -> dict[str, Any]:
    defaults: dict[str, Any] = {"unit": panel.unit, "min": 0}
    if panel.limit is not None:
        steps = [{"color": "green", "value": None}, {"color": "red", "value": panel.limit}]
        defaults["thresholds"] = {"mode": "absolute", "steps": steps}
        defaults["custom"] = {"thresholdsStyle": {"mode": "line"}}
    return defaults
