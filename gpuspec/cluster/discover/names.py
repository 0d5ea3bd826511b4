"""Names for pools: valid, descriptive and stable from run to run."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from gpuspec.cluster.discover.labels import capacity, pool_label
from gpuspec.hardware import INSTANCE_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpuspec.cluster.discover.pools import NodeGroup

MOST = 63
_SHARED = {"mps": "mps", "time-slicing": "time-sliced"}


def pool_names(groups: Sequence[NodeGroup]) -> list[str]:
    """Return a name for each group: the provider's pool name, or else the model and a
    distinguishing feature.

    The groups must be in a fixed order, by which indistinguishable ones are numbered.
    """
    names = [
        _slug(pool_label(group.first.labels) or "") or _slug(f"{_model(group)}-{_sharing(group)}")
        for group in groups
    ]
    for aspect in _ASPECTS:
        shared = {name for name, count in Counter(names).items() if count > 1}
        aspects = [_slug(aspect(group)) for group in groups]
        for clash in shared:
            same = [index for index, name in enumerate(names) if name == clash]
            if len({aspects[index] for index in same}) > 1:
                for index in same:
                    names[index] = _slug(f"{clash}-{aspects[index]}")
    used_names: set[str] = set()
    for index, name in enumerate(names):
        number = 1
        while names[index] in used_names:
            number += 1
            names[index] = _slug(f"{name[: MOST - 4]}-{number}")
        used_names.add(names[index])
    return names


def _model(group: NodeGroup) -> str:
    return group.first.part.called or group.first.part.model.name


def _sharing(group: NodeGroup) -> str:
    sharing = group.first.part.sharing
    if sharing is None:
        return group.first.part.partition or ""
    if sharing.mode != "mig":
        return f"{_SHARED[sharing.mode]}{'-renamed' if sharing.rename else ''}"
    return f"mig-{next(iter(sharing.profiles))}" if len(sharing.profiles) == 1 else "mig"


# In the order in which they are tried on pools of one name.
_ASPECTS: tuple[Callable[[NodeGroup], str], ...] = (
    _model,
    _sharing,
    lambda group: group.first.labels.get(INSTANCE_TYPE, ""),
    lambda group: "spot" if capacity(group.first.node) == "spot" else "",
    lambda group: group.first.node.architecture,
    lambda group: f"x{group.first.part.count}",
    lambda group: f"{-(-group.least('cpu') // 1000)}cpu",
)


def _slug(text: str) -> str:
    """Return a text as a DNS label: lower case, every other character a dash."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:MOST].rstrip("-")
