"""Whatever carries the pods, its monitor finds them, and the port in them."""

from typing import Any

import pytest

from gpuspec.kinds import pod_paths
from gpuspec.targets import names
from tests.targets.carried import PROFILES, at, carried

(OKE,) = (each for each in PROFILES if each.endswith("oke.yaml"))


def found(pod: dict[str, Any], monitor: dict[str, Any]) -> bool:
    """Whether a monitor selects a pod, and has a port of it scraped."""
    chosen = monitor["spec"]["selector"]["matchLabels"].items()
    if not chosen <= pod["metadata"].get("labels", {}).items():
        return False
    held = [*pod["spec"]["containers"], *pod["spec"].get("initContainers", [])]
    ports = [port for container in held for port in container.get("ports", [])]
    asked = monitor["spec"]["podMetricsEndpoints"][0]
    names_of, numbers = ({port.get(key) for port in ports} for key in ("name", "containerPort"))
    return asked.get("port") in names_of or asked.get("portNumber") in numbers


@pytest.mark.parametrize("target", names())
def test_a_monitor_finds_the_pods_that_a_target_makes(target: str) -> None:
    for name, made in carried(target, OKE).items():
        monitors = [one for one in made.objects if one["kind"] == "PodMonitor"]
        paths = [(own, path) for own in made.objects for path in pod_paths(own)]
        # Where an object has no place for labels of pods, its controller takes those of the object.
        if not paths or any(path.metadata is None for _, path in paths):
            continue
        pods = [
            {"metadata": at(own, path.metadata or ()) or {}, "spec": at(own, path.spec)}
            for own, path in paths
        ]
        for monitor in monitors:
            assert any(found(pod, monitor) for pod in pods), (name, monitor)
