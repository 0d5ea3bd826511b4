"""The paper's expected fragment as the authors' simulator computes it: in doubles, and no better.

A score is rounded down, and 50 is what a node gets that loses nothing. Where before and after are
equal, but sums of other terms, doubles make it 49 or 50 by their last bits, and such a point decides
between nodes. So to place as the published runs did, the same terms are added in the same order.
"""

from bisect import bisect_right
from collections.abc import Sequence

from benchmarks.openb.gradient import published
from benchmarks.openb.trace import FULL, Task


class Doubles:
    """Expected fragment of nodes, in thousandths of a GPU."""

    scale = float(FULL)
    """Of one GPU."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        classes = published(tasks)
        kept = sum(one.weight for one in classes) / len(tasks)
        self._classes = [
            (one.weight / len(tasks) / kept, one.count, one.least, one.requests["cpu"], one.kinds)
            for one in classes
        ]
        self._levels = sorted({cpu for *_, cpu, _ in self._classes})
        self._found: dict[tuple[str, int, tuple[int, ...]], float] = {}

    def of(self, model: str, cpu: int, left: tuple[int, ...]) -> float:
        """The fragment of one node; `left` ascending."""
        # Of the cores it matters only which classes they are enough for.
        key = (model, bisect_right(self._levels, cpu), left)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._compute(model, cpu, left)
        return found

    def _compute(self, model: str, cpu: int, left: tuple[int, ...]) -> float:
        """Summed by what is missing: both, GPUs, CPU; nothing to a task without GPUs; access."""
        both = gpus = cores = host = host_cores = access = 0.0
        total = sum(left)
        small: dict[int, tuple[int, int]] = {}
        for part, count, least, asked, kinds in self._classes:
            lost, enough = part * total, cpu >= asked
            if not count:
                if enough:
                    host += lost
                else:
                    host_cores += lost
                continue
            if kinds is not None and model not in kinds:
                access += lost
                continue
            known = small.get(least)
            if known is None:
                below = [free for free in left if free < least]
                known = small[least] = len(below), sum(below)
            if len(left) - known[0] < count:
                if enough:
                    gpus += lost
                else:
                    both += lost
            elif enough:
                gpus += part * known[1]
            else:
                cores += lost
        return both + gpus + cores + host + host_cores + access
