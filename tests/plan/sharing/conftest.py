"""A profile for the tests of sharing."""

import pytest


@pytest.fixture
def cluster(words):
    """A profile whose pools are shared as said, by name: `a` A100, `l` L4, `t` T4."""

    def built(provider="none", **pools):
        models = {"a": "A100-80GB", "l": "L4", "t": "T4"}
        made = [
            words.pool(name, models[name[0]], 4, **({"sharing": how} if how else {}))
            for name, how in pools.items()
        ]
        return words.cluster(*made, provider=provider)

    return built
