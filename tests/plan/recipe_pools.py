"""Pools with a recipe, and the reasons for what it takes."""

from types import ModuleType
from typing import Any

from gpuspec import hardware
from gpuspec.spec.rules.violation import camel
from tests.plan.conftest import Values

INSTANCE = "node.kubernetes.io/instance-type"
WHOLE: Values = {"workers": 2, "gpu": {"count": 8, "interconnect": "rdma"}}
PRIVILEGED = [{"name": "default", "podSecurity": "privileged"}]
ROOT = {"waivers": {"root": "the daemon serves root alone"}}


def reasons(recipe: str) -> Values:
    taken = hardware.recipes()[recipe].takes
    return {camel(field): f"why {field} is needed" for field in taken}


def pool(words: ModuleType, recipe: str, machine: str | None = None, **rdma: Any) -> Values:
    """A pool of H100 with the recipe, and the reasons for what it takes."""
    known = hardware.recipes()[recipe]
    machine = machine or next(iter(known.machines), None)
    fields = {"recipe": recipe, "memlock": "unlimited", "waivers": reasons(recipe), **rdma}
    labels = {"example.com/pool": "h100"} | ({INSTANCE: machine} if machine else {})
    made: Values = words.pool("h100", model="H100-80GB", rdma=fields, labels=labels)
    return made


def cluster(words: ModuleType, *pools: Values, **fields: Any) -> Values:
    made: Values = words.cluster(*pools, **{"namespaces": PRIVILEGED, **fields})
    return made
