"""A CSV of shapes for the other users of a fleet, one row for each shape of pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.numbers import INT32, INT64, parse_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec.fleet.fit import PodDemand
    from gpuspec.fleet.fleets import Fleet
    from gpuspec.manifests import Problem

COLUMNS = ("name", "count", "gpus", "cpu", "memory", "resource", "model")
_NEEDED = {"count": INT32, "gpus": INT64}
_EXAMPLE = "name,count,gpus,cpu,memory"


def shapes(path: str, fleet: Fleet) -> tuple[list[PodDemand], list[Problem]]:
    """Return the shapes of a file, one per row, and its problems."""
    import csv
    import io

    from gpuspec.escaping.meant import did_you_mean
    from gpuspec.manifests import Place, Problem
    from gpuspec.manifests.files import content
    from gpuspec.manifests.limits import MAX_BYTES
    from gpuspec.manifests.sources import too_large

    data = content(path)
    if len(data) > MAX_BYTES:
        return [], [too_large(path)]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return [], [Problem("not text in UTF-8", Place(path, 1, 1))]
    reader = csv.reader(io.StringIO(text, newline=None), strict=True)
    place = Place(path, 1, 1)
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        return [], [Problem(f"not CSV: {error}", Place(path, max(1, reader.line_num), 1))]
    numbered = [(line, row) for line, row in rows if any(cell.strip() for cell in row)]
    if not numbered:
        return [], [Problem("no shape here", place, f"begin with {_EXAMPLE}")]
    place = Place(path, numbered[0][0], 1)
    head = [name.strip().lower() for name in numbered[0][1]]
    for mark, called in ((";", "semicolons"), ("\t", "tabs")):
        if len(head) == 1 and mark in head[0]:
            text = f"its cells are separated by {called}"
            return [], [Problem(text, place, f"separate them by commas: {_EXAMPLE}")]
    problems = [
        Problem(
            f"no such column: `{name}`",
            place,
            did_you_mean(name, COLUMNS) or f"columns: {', '.join(COLUMNS)}",
        )
        for name in head
        if name not in COLUMNS
    ]
    problems += [
        Problem(f"two columns are called `{name}`", place)
        for name in dict.fromkeys(head)
        if head.count(name) > 1
    ]
    problems += [
        Problem(f"the column `{name}` is missing", place, f"begin with {_EXAMPLE}")
        for name in _NEEDED
        if name not in head
    ]
    if problems:
        return [], problems
    pod_demands: list[PodDemand] = []
    for line, row in numbered[1:]:
        cells = {name: cell.strip() for name, cell in zip(head, row, strict=False)}
        wrong = list(_wrong(cells, Place(path, line, 1), fleet))
        if len(row) > len(head):
            wrong.append(
                Problem(f"{len(row)} cells, but {len(head)} columns", Place(path, line, 1))
            )
        problems += wrong
        if not wrong:
            pod_demands.append(_demand(cells, f"row {line}", fleet))
    if not (pod_demands or problems):
        problems.append(Problem("no shape here", place, f"a row for each shape, below {_EXAMPLE}"))
    return pod_demands, problems


def _wrong(cells: Mapping[str, str], place: object, fleet: Fleet) -> Iterator[Problem]:
    from gpuspec import hardware
    from gpuspec.escaping.meant import did_you_mean
    from gpuspec.manifests import Place, Problem, Quantity
    from gpuspec.plan.named_models import described_models

    assert isinstance(place, Place)
    for name, most in _NEEDED.items():
        try:
            parse_whole(cells.get(name, ""), 1, most)
        except ValueError as error:
            yield Problem(f"{name}: {error}", place)
    for name in ("cpu", "memory"):
        cell = cells.get(name, "")
        try:
            below = cell and Quantity.parse(cell).value < 0
        except ValueError as error:
            yield Problem(f"{name}: {error}", place)
            continue
        if below:
            yield Problem(f"{name}: `{cell}` is negative", place)
    if (model := cells.get("model")) and not _models(model, fleet):
        model_names = [
            gpu_model.name for gpu_model in (*hardware.models(), *described_models(fleet.profile))
        ]
        hint = did_you_mean(model, model_names) or f"models: {', '.join(model_names)}"
        yield Problem(f"model: no GPU is called `{model}`", place, hint)
    names = _devices(fleet)
    if (resource := cells.get("resource")) and resource not in names:
        hint = did_you_mean(resource, names) or f"its nodes have: {', '.join(names) or 'none'}"
        yield Problem(f"resource: no node has `{resource}`", place, hint)


def _models(name: str, fleet: Fleet) -> frozenset[str]:
    """Return the names of the models that a cell matches."""
    from gpuspec.plan.named_models import meant

    return frozenset(gpu_model.name for gpu_model in meant(name, fleet.profile))


def _demand(cells: Mapping[str, str], name: str, fleet: Fleet) -> PodDemand:
    from gpuspec.fleet.fit import PodDemand
    from gpuspec.fleet.scheduler.shape import shape_of
    from gpuspec.manifests import Quantity

    gpus, pods = parse_whole(cells["gpus"]), parse_whole(cells["count"])
    resource = cells.get("resource") or next(iter(_devices(fleet)), "nvidia.com/gpu")
    requests = {resource: str(gpus)}
    requests |= {
        key: str(Quantity.parse(cells[key])) for key in ("cpu", "memory") if cells.get(key)
    }
    # Who else runs here has the tolerations and selectors that let it run here.
    spec = {
        "containers": [{"resources": {"requests": requests, "limits": {resource: str(gpus)}}}],
        "tolerations": [{"operator": "Exists"}],
    }
    models = _models(cells["model"], fleet) if cells.get("model") else None
    return PodDemand(
        name=cells.get("name") or name,
        namespace="",
        kind="Pod",
        role="pod",
        place=None,
        shape=shape_of(spec),
        least=pods,
        most=pods,
        devices=gpus,
        models=models,
    )


def _devices(fleet: Fleet) -> list[str]:
    """Return the extended resources of a fleet's devices, the most common first."""
    from collections import Counter

    counted = Counter(
        name for node in fleet.snapshot.nodes if node.gpus for name in node.gpus.pieces
    )
    return [name for name, _ in counted.most_common()]
