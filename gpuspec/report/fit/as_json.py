"""The placement of workloads as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.escaping.formats import json_escaped, json_text
from gpuspec.report.fit.states import memory_slices

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.fit.result import (
        Advice,
        Cell,
        ClassShare,
        DeviceUse,
        Figures,
        FitReport,
        MetricChange,
        NodeRow,
        WorkloadFit,
    )
    from gpuspec.report.profile_check import ProfilePlaceLike


def fit_json(report: FitReport) -> str:
    """Return the whole report with every key, except for those of a GPU's parts.

    GPUs as numbers (`0.25` is a quarter of a GPU), CPU in cores, memory and disk in bytes, other
    resources in devices.
    """
    return written(
        {
            "fleet": report.fleet,
            "kubernetes": report.version,
            "policy": report.policy,
            "seeds": report.seeds,
            "fits": report.fits,
            "workloads": [_workload(workload) for workload in report.workloads],
            "before": figures_json(report.before),
            "after": figures_json(report.after),
            "mix": report.mix,
            "classes": classes_json(report.classes),
            "nodes_before": rows_json(report.rows_before),
            "nodes_after": rows_json(report.rows_after),
            "notes": list(report.notes),
        }
    )


def written(value: dict[str, Any]) -> str:
    """Return the JSON text of a report, by a fast encoder, since a fleet may have ten thousand
    nodes."""
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except UnicodeEncodeError:  # half a surrogate, from a name that is no UTF-8
        return json_text(value)
    return json_escaped(text) + "\n"


def _workload(work: WorkloadFit) -> dict[str, Any]:
    return {
        "name": work.name,
        "namespace": work.namespace,
        "kind": work.kind,
        "role": work.role,
        **_place(work.place),
        "verdict": work.verdict,
        "pods": work.pods,
        "pods_min": work.least,
        "placed": work.placed,
        "placed_min": work.bounds[0],
        "placed_max": work.bounds[1],
        "gang": work.gang,
        "queue": work.queue,
        "gpus_per_pod": work.gpus,
        "requests_per_pod": _resources(work.requests),
        "rooms": [
            {
                "group": room.group,
                "nodes": room.nodes,
                "gpus_per_node": room.gpus,
                "slots_per_node": room.each,
                "slots": room.slots,
                "slots_free": room.free,
                "bound_by": room.bound,
                "devices_left_per_node": room.left,
                "reason": room.reason,
            }
            for room in work.rooms
        ],
        "landings": [
            {"group": landing.group, "pods": landing.pods, "nodes": landing.nodes}
            for landing in work.landings
        ],
        "stranded": [
            {
                "group": stranded.group,
                "gpus": _gpus(stranded.milli),
                "device": stranded.device,
                "resource": stranded.resource or None,
            }
            for stranded in work.stranded
        ],
        "fragment_gpus": _change(work.fragment),
        "whole_nodes": _change(work.whole),
        "message": work.message,
        "pods_beside": work.beside,
        "reasons": [
            {
                "group": reason.group,
                "nodes": reason.nodes,
                "nodes_of_group": reason.of,
                "text": reason.text,
                "change": None if reason.change is None else _advice(reason.change),
            }
            for reason in work.reasons
        ],
        "advice": [_advice(advice) for advice in work.advice],
        "notes": list(work.notes),
    }


def _advice(of: Advice) -> dict[str, Any]:
    return {"text": of.text, **_place(of.place)}


def _place(of: ProfilePlaceLike | None) -> dict[str, Any]:
    """Return a position in a file; all null if there is none."""
    if of is None:
        return {"file": None, "line": None, "column": None}
    return {"file": of.file, "line": of.line, "column": of.column}


def figures_json(of: Figures) -> dict[str, Any]:
    """Return the figures of a fleet."""
    return {
        "nodes": of.nodes,
        "nodes_without_gpus": of.bare,
        "gpus": _gpus(of.gpus),
        "gpus_allocated": _gpus(of.allocated),
        "gpus_idle": _gpus(of.idle),
        "gpus_stranded": _gpus(of.stranded),
        "gpus_stranded_by": {name: _gpus(milli) for name, milli in of.stranded_by.items()},
        "fragment_gpus": of.fragment,
        "whole_nodes": of.whole,
        "largest_free_gpus": of.largest,
    }


def classes_json(classes: Iterable[ClassShare]) -> list[dict[str, Any]]:
    """Return each class of workloads, with the GPUs that it cannot use."""
    return [
        {
            "name": class_.name,
            "weight": class_.weight,
            "fragment_gpus": _change(class_.fragment),
            "slots": _change(class_.slots),
        }
        for class_ in classes
    ]


def rows_json(rows: Iterable[NodeRow]) -> list[dict[str, Any]]:
    """Return each node with its GPUs; `workload` counts the report's workloads from 0."""
    return [
        {
            "name": row.name,
            "group": row.group,
            "allocatable": _resources(row.allocatable),
            "free": _resources(row.free),
            "gpus": [_gpu(cell) for cell in row.cells],
        }
        for row in rows
    ]


def _gpu(cell: Cell) -> dict[str, Any]:
    parts = [_part(part) for part in cell.parts]
    return {"slices": memory_slices(cell), "stranded_by": cell.stranded, "parts": parts}


def _part(part: DeviceUse) -> dict[str, Any]:
    """Return a part of a GPU, without unused keys, since there are many parts."""
    use = "idle" if part.idle else "before" if part.workload is None else "workload"
    fields: dict[str, Any] = {"gpus": _gpus(part.milli), "use": use}
    if part.workload is not None and not part.idle:
        fields["workload"] = part.workload
    if part.label:
        fields["label"] = part.label
    if part.start is not None:
        fields |= {"slice_start": part.start, "slices": part.slices}
    return fields


def _change(of: MetricChange) -> dict[str, Any]:
    return {"before": of.before, "after": of.after}


def _resources(of: Mapping[str, int]) -> dict[str, Any]:
    return {name: _gpus(value) if name == "cpu" else value for name, value in of.items()}


def _gpus(milli: int) -> int | float:
    """Return thousandths of a GPU as GPUs."""
    return milli / 1000 if milli % 1000 else milli // 1000
