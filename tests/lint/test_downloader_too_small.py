"""GPU786: beyond what its page shows."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import Quantity, SourceFile
from gpuspec.settings.config import Facts
from tests.lint.sets import base

FACTS = Facts(models={"org/large": Quantity.parse("40Gi"), "org/small": Quantity.parse("8Gi")})


def downloader(memory: str = "2Gi", prefix: str = "hf://", **more: Any) -> Any:
    resources = {"limits": {"memory": memory}}
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ClusterStorageContainer",
        "metadata": {"name": "hub"},
        "spec": {
            "container": {"name": "storage-initializer", "image": "a:1", "resources": resources},
            "supportedUriFormats": [{"prefix": prefix}],
        },
        **more,
    }


def said(uri: str, *others: Any) -> int:
    one = base("inferenceservice")
    one["spec"]["predictor"]["model"]["storageUri"] = uri
    engine = Engine(lambda code: code == "GPU786", None, FACTS)
    return len(
        [*engine.run(TextLoader([SourceFile("one.yaml", yaml.safe_dump_all([one, *others]))]))]
    )


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("hf://org/large", 1),
        ("hf://org/large:main", 1),
        ("hf://org/small", 0),
        ("hf://org/unknown-70b", 0),
        ("s3://bucket/org/large", 0),
    ],
)
def test_models_of_a_hub_whose_size_is_known(uri: str, told: int) -> None:
    assert said(uri, downloader()) == told


def test_only_the_downloader_that_takes_it() -> None:
    large = "hf://org/large"
    assert said(large, downloader("8Gi")) == 0
    assert said(large, downloader("8Gi"), downloader("16Gi", prefix="s3://")) == 0
    assert said(large, downloader("8Gi"), downloader("2Gi", disabled=True)) == 0


def _configuration(text: str) -> Any:
    metadata = {"name": "inferenceservice-config", "namespace": "kserve"}
    data = {"storageInitializer": text}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def test_kserves_own_where_nothing_else_takes_it() -> None:
    large = "hf://org/large"
    assert said(large) == 1
    assert said("hf://org/small") == 0
    assert said(large, _configuration('{"memoryLimit": "2Gi"}')) == 1
    assert said(large, _configuration('{"memoryLimit": "16Gi"}')) == 0
    assert said(large, _configuration("{")) == 0
    other = downloader(prefix="s3://")
    other["spec"]["supportedUriFormats"] = [{"regex": "hf://(.+)"}]
    assert said(large, other) == 0
