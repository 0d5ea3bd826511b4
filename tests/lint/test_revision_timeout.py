"""GPU524: beyond what its page shows."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import Quantity, SourceFile
from gpuspec.settings.config import Facts
from tests.lint.sets import base

LARGE = Facts(models={"org/large": Quantity.parse("400Gi")})
KNATIVE = {"serving.kserve.io/deploymentMode": "Knative"}


def said(*objects: Any) -> list[str]:
    text = yaml.safe_dump_all(objects)
    engine = Engine(lambda code: code == "GPU524", None, LARGE)
    return [
        each.finding().message for each in engine.run(TextLoader([SourceFile("one.yaml", text)]))
    ]


def service(timeout: int | None, least: str = "0") -> Any:
    """A server of a large model."""
    one = base("knative-service")
    template = one["spec"]["template"]
    template["metadata"]["annotations"] = {"autoscaling.knative.dev/min-scale": least}
    template["spec"]["timeoutSeconds"] = timeout
    args = ["--model", "org/large", "--tensor-parallel-size", "2"]
    template["spec"]["containers"][0] |= {"args": args, "command": None, "env": []}
    return one


def config(most: int) -> Any:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "config-defaults", "namespace": "knative-serving"},
        "data": {"max-revision-timeout-seconds": str(most)},
    }


def test_more_than_knative_takes() -> None:
    (message,) = said(service(3600, "1"))
    assert "allows at most 600 s" in message
    assert said(service(3600, "1"), config(7200)) == []
    assert "at most 900 s" in said(service(3600, "1"), config(900))[0]


@pytest.mark.parametrize(("mode", "told"), [(KNATIVE, 1), ({}, 0)])
def test_kserve_hands_its_timeout_on_where_it_makes_revisions(
    mode: dict[str, str], told: int
) -> None:
    one = base("inferenceservice")
    one["metadata"]["annotations"] = mode
    one["spec"]["predictor"]["timeout"] = 1800
    assert len(said(one)) == told


def test_who_wakes_a_server_waits_for_its_weights() -> None:
    (message,) = said(service(None))
    assert "fails after 300 s (the default)" in message
    assert said(service(None, "1")) == []
    assert "fails after 600 s" in said(service(600))[0]
    assert said(service(7200), config(7200)) == []
