"""GPU413: which domains of a spread count, beyond what its page shows."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.pages import named_profile
from tests.lint.sets import base

ZONES = ["a", "b"]


def pool(name: str, families: list[str], zones: list[str] | None) -> dict[str, Any]:
    wanted = [{"key": "karpenter.k8s.aws/instance-family", "operator": "In", "values": families}]
    if zones:
        wanted.append({"key": "topology.kubernetes.io/zone", "operator": "In", "values": zones})
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": {"template": {"spec": {"requirements": wanted}}},
    }


def server(key: str = "topology.kubernetes.io/zone", *, affinity: Any = None, **spread: Any) -> Any:
    one = {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "chat"}},
        **spread,
    }
    found = base("deployment")
    found["spec"]["replicas"] = 3
    spec = found["spec"]["template"]["spec"]
    spec["topologySpreadConstraints"] = [one]
    spec["affinity"] = affinity
    return found


def said(*documents: Any, profile: str | None = None) -> list[str]:
    text = yaml.safe_dump_all(documents)
    given = named_profile(profile) if profile else None
    engine = Engine(lambda code: code == "GPU413", given)
    return [one.finding().message for one in engine.run(TextLoader([SourceFile("set.yaml", text)]))]


GPUS, CPUS = pool("gpu", ["g6", "p5"], ZONES), pool("general", ["m7i", "c7i"], [*ZONES, "c"])


def test_a_zone_without_gpus_counts() -> None:
    (message,) = said(server(), GPUS, CPUS)
    assert message.startswith("zone `c` has nodes but no GPUs")


@pytest.mark.parametrize(
    "documents",
    [
        [server(), GPUS],
        [server(), GPUS, pool("general", ["m7i"], ZONES)],
        [server(), GPUS, pool("any", ["m7i", "g6"], ["c"])],
        [server(), pool("gpu", ["g6"], None), CPUS],
        [server(maxSkew=2), GPUS, CPUS],
        [server(whenUnsatisfiable="ScheduleAnyway"), GPUS, CPUS],
        [server(labelSelector={"matchLabels": {"app": "other"}}), GPUS, CPUS],
        [base("deployment"), GPUS, CPUS],
    ],
    ids=["alone", "same zones", "either", "any zone", "skew", "soft", "others", "no spread"],
)
def test_where_it_is_silent(documents: list[Any]) -> None:
    assert said(*documents) == []


def test_a_choice_of_nodes_leaves_their_zones_alone_unless_it_is_ignored() -> None:
    chosen = base("deployment")["spec"]["template"]["spec"]["affinity"]
    assert said(server(affinity=chosen), GPUS, CPUS) == []
    ignored = server(affinity=chosen, nodeAffinityPolicy="Ignore")
    assert len(said(ignored, GPUS, CPUS)) == 1


def test_nodes_of_a_profile_take_one_pod_each() -> None:
    """Its pools are those with GPUs; beside them a cluster has others."""
    spread = server("kubernetes.io/hostname")
    assert said(spread, profile="one-node") != []
    spread["spec"]["replicas"] = 1
    assert said(spread, profile="one-node") == []
