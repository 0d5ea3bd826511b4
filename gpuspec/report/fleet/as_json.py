"""The current state of a fleet as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.fit.as_json import figures_json, rows_json, written

if TYPE_CHECKING:
    from gpuspec.fleet.fit.result import FleetReport


def fleet_json(report: FleetReport) -> str:
    """Return the whole report, in the units and with the keys of `fit_json`."""
    return written(
        {
            "fleet": report.fleet,
            "figures": figures_json(report.figures),
            "groups": {name: figures_json(of) for name, of in report.groups.items()},
            "mix": report.mix,
            "classes": [
                {
                    "name": class_.name,
                    "weight": class_.weight,
                    "fragment_gpus": class_.fragment.after,
                    "slots": class_.slots.after,
                }
                for class_ in report.classes
            ],
            "nodes": rows_json(report.rows),
            "notes": list(report.notes),
        }
    )
