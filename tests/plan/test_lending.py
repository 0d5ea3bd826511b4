"""What a queue may use of its cohort and of those above: the largest that is not refused."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Make, Refused, Values


def queue(name: str, gpus: int, **fields: Any) -> Values:
    limits: Values = {k: fields.pop(k) for k in ("borrow", "lend", "quotas") if k in fields}
    part = {"pool": "a100", "gpus": gpus, **limits}
    return {"name": name, "namespaces": ["default"], "pools": [part], **fields}


def cohort(name: str, parent: str | None = None, gpus: int | None = None, **limits: int) -> Values:
    above = {} if parent is None else {"parent": parent}
    part = [] if gpus is None else [{"pool": "a100", "gpus": gpus, **limits}]
    return {"name": name, "pools": part, **above}


# Queue `mine` has one node of eight; the rest is what the trees make of the others.
TREES: dict[str, tuple[list[Values], list[Values], int]] = {
    "a cohort has GPUs of its own": ([], [cohort("lab", gpus=16)], 24),
    "a cohort that only has a name": ([queue("other", 8, cohort="lab")], [], 16),
    "from the cohort above": ([], [cohort("lab", "all"), cohort("all", gpus=24)], 32),
    "from beside the cohort": (
        [queue("other", 16, cohort="side")],
        [cohort("lab", "all"), cohort("side", "all"), cohort("all")],
        24,
    ),
    "no more than the cohort borrows": (
        [],
        [cohort("lab", "all", 0, borrow=8), cohort("all", gpus=24)],
        16,
    ),
    "no more than the cohort beside lends": (
        [queue("other", 16, cohort="side")],
        [cohort("lab", "all"), cohort("side", "all", 0, lend=8), cohort("all")],
        16,
    ),
    "no more than the queue beside lends": (
        [queue("other", 16, cohort="side", lend=0)],
        [cohort("lab", "all"), cohort("side", "all"), cohort("all")],
        8,
    ),
}


@pytest.mark.parametrize("tree", TREES)
def test_a_tree_lends_within_its_limits(
    make: Make, refused: Refused, words: ModuleType, tree: str
) -> None:
    others, cohorts, most = TREES[tree]
    profile = words.cluster(
        words.pool("a100"),
        installed={"kueue": "0.19"},
        queues=[queue("mine", 8, cohort="lab"), *others],
        cohorts=cohorts,
    )
    asked = {"gpu": {"models": ["A100-80GB"], "count": 8}, "queue": "mine"}
    make("Training", profile, workers=most // 8, **asked)
    said = refused("Training", profile, workers=most // 8 + 1, **asked)
    assert f"queue mine may use only {most}" in said


def test_a_quota_by_hand_is_what_counts(make: Make, refused: Refused, words: ModuleType) -> None:
    def profile(memory: str) -> Values:
        queues = [queue("mine", 8, quotas={"memory": memory})]
        found: Values = words.cluster(
            words.pool("a100"), installed={"kueue": "0.19"}, queues=queues
        )
        return found

    make("Training", profile("64Gi"), queue="mine", resources={"memory": "64Gi"})
    said = refused("Training", profile("63Gi"), queue="mine", resources={"memory": "64Gi"})
    assert "may use only 63Gi of pool a100" in said


def test_pods_count_where_a_queue_counts_them(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    queues = [queue("mine", 8, quotas={"pods": 2})]
    profile = words.cluster(words.pool("a100"), installed={"kueue": "0.19"}, queues=queues)
    asked = {"gpu": {"count": 1}, "queue": "mine"}
    make("Training", profile, workers=2, **asked)
    said = refused("Training", profile, workers=3, **asked)
    assert said == "3 pods × 1 pods = 3, but queue mine may use only 2 of pool a100"


def test_what_is_not_known_of_a_queue_is_not_judged(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    there = {"name": "theirs", "existing": True, "namespaces": ["default"]}
    profile = words.cluster(words.pool("a100"), installed={"kueue": "0.19"}, queues=[there])
    made = make("Training", profile, queue="theirs", workers=64)
    assert "the queue admits only what it has quota for" in made.notes()
    assert "no queue `others`" in refused("Training", profile, queue="others")


def test_of_queues_of_one_name_the_one_of_the_namespace_counts(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    small = queue("default", 8, clusterQueue="small")
    large = queue("default", 16, clusterQueue="large") | {"namespaces": ["elsewhere"]}
    profile = words.cluster(words.pool("a100"), installed={"kueue": "0.19"}, queues=[large, small])
    asked = {"gpu": {"models": ["A100-80GB"], "count": 8}, "queue": "default"}
    make("Training", profile, **asked)
    assert "may use only 8" in refused("Training", profile, workers=2, **asked)
