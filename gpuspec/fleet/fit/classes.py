"""Demands as classes of work: who else would use the GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.fragments import Class, common

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.fleet.fit.demand import Demand
    from gpuspec.fleet.scheduler.board import Board
    from gpuspec.fleet.scheduler.shape import Shape


def classes(demands: Iterable[Demand], board: Board, devices: frozenset[str]) -> tuple[Class, ...]:
    """The classes that demands make up; those that ask for no device of these nodes are none."""
    return common(_classes(demands, board, devices))


def _classes(demands: Iterable[Demand], board: Board, devices: frozenset[str]) -> Iterator[Class]:
    for one in demands:
        for name in sorted(devices & one.shape.requests.keys()):
            count = one.shape.requests[name]
            yield Class(
                name=one.name,
                device=name,
                count=count,
                weight=max(one.most, 1) * count * _milli(name, board),
                requests={k: v for k, v in one.shape.requests.items() if k not in devices},
                kinds=frozenset(
                    str(kind)
                    for kind in board.takers(one.shape)
                    if _is(one, kind, board) and _holds(kind, one.shape, board)
                ),
            )
            break


def _is(one: Demand, kind: int, board: Board) -> bool:
    """Whether nodes of a kind have one of the models that a demand names."""
    gpus = board.snapshot.nodes[board.kinds[kind]].gpus
    return one.models is None or (gpus is not None and gpus.model in one.models)


def _holds(kind: int, shape: Shape, board: Board) -> bool:
    """Whether an empty node of a kind has room for a pod: others are none of the class's business."""
    have = board.snapshot.nodes[board.kinds[kind]].allocatable
    return all(have.get(name, 0) >= amount for name, amount in shape.requests.items())


def _milli(device: str, board: Board) -> int:
    """Thousandths of a GPU that a device is, on the first kind of node that has it."""
    for index in board.kinds:
        gpus = board.snapshot.nodes[index].gpus
        if gpus is not None and gpus.pieces.get(device):
            return gpus.pieces[device][0].milli
    return 0
