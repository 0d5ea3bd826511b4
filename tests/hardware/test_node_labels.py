"""The table of node labels: whose a key is, and what took the place of the old ones."""

import pytest

from gpuspec import hardware
from gpuspec.hardware import is_label_key, label_domain, label_keys, replaced_labels
from gpuspec.hardware.tables import table
from gpuspec.manifests import label_key


@pytest.mark.parametrize(
    ("key", "providers"),
    [
        ("nvidia.com/gpu.product", ()),
        ("topology.kubernetes.io/zone", ()),
        ("feature.node.kubernetes.io/pci-0302_10de.present", ()),
        ("cloud.google.com/gke-accelerator", ("gke",)),
        ("eks.amazonaws.com/nodegroup", ("eks", "eks-auto")),
        ("gpu.nvidia.com/class", ("coreweave",)),
        ("node.coreweave.cloud/class", ("coreweave",)),
    ],
)
def test_the_domain_says_whose_a_label_is(
    key: str, providers: tuple[str, str] | tuple[str]
) -> None:
    found = label_domain(key)
    assert found is not None
    assert found.providers == providers


@pytest.mark.parametrize("key", ["node-tier", "example.com/pool", "notkubernetes.io/pool", ""])
def test_labels_of_people_are_in_no_domain_of_ours(key: str) -> None:
    assert label_domain(key) is None


def test_domains_name_providers_that_there_are() -> None:
    named = {name for words in table("node-labels")["domains"].values() for name in words.split()}
    assert named <= {*hardware.providers(), "any"}


def test_keys_are_label_keys_in_domains() -> None:
    for key in label_keys() - {"nvidia.com/gpu", "amd.com/gpu"}:
        assert label_key(key) is None
        assert label_domain(key) is not None, key
        assert is_label_key(key)
    assert is_label_key("nvidia.com/gpu.deploy.driver")
    assert not is_label_key("nvidia.com/gpu.prodcut")


def test_nothing_is_replaced_by_what_is_itself_replaced() -> None:
    for old, new in replaced_labels().items():
        assert label_key(old) is None
        assert label_key(new.by) is None
        assert new.by not in replaced_labels()
        assert new.source
