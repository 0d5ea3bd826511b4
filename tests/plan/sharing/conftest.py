"""A profile for the tests of sharing."""

from collections.abc import Callable
from types import ModuleType

import pytest

from tests.plan.conftest import Values

Cluster = Callable[..., Values]


@pytest.fixture
def cluster(words: ModuleType) -> Cluster:
    """A profile whose pools are shared as said, by name: `a` A100, `l` L4, `t` T4."""

    def built(provider: str = "none", **pools: Values | None) -> Values:
        models = {"a": "A100-80GB", "l": "L4", "t": "T4"}
        made = [
            words.pool(name, models[name[0]], 4, **({"sharing": how} if how else {}))
            for name, how in pools.items()
        ]
        return words.cluster(*made, provider=provider)

    return built
