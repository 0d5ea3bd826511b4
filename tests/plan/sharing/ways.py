"""Ways of sharing, and what the tests look at."""

from tests.plan.conftest import Made, Values

SMALL_MODEL = {"id": "m", "size": "1Gi", "source": {"pvc": "weights"}}
OWN = {
    "runtime": "custom",
    "image": "ghcr.io/example/own:1",
    "model": SMALL_MODEL,
    "expose": {"port": 8080},
    "probes": {"readiness": {"path": "/ready"}},
    "latency": "relaxed",
}
SMALL = {"memory": "4Gi"}
MIG = {"mode": "mig", "strategy": "mixed", "profiles": {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}}
SINGLE = {"mode": "mig", "profiles": {"1g.10gb": 7}}
MPS = {"mode": "mps", "replicas": 4}
TURNS = {"mode": "time-slicing", "replicas": 4}
RENAMED = {**TURNS, "rename": True}


def devices(made: Made) -> dict[str, str]:
    return {name: value for name, value in made.limits.items() if "/" in name}


def chosen(made: Made) -> list[str]:
    return [pool.pool.name for pool in made.rendering.resolution.pools]


def expression(made: Made, key: str) -> list[Values]:
    return [e for term in made.terms for e in term if e["key"] == key]
