"""GPU794: beyond what its page shows."""

import pytest

from tests.lint.patched import of

RULE = """apiVersion: nfd.k8s-sigs.io/v1alpha1
kind: NodeFeatureRule
metadata: {{name: gpus}}
spec:
  rules:
    - name: gpu
      labels: {{example.com/gpu: "true"}}
      {holder}
        - {way}feature: {feature}
          matchExpressions: {{{name}: {{op: {op}, value: {value}}}}}
"""


def said(
    name: str, value: str, op: str = "In", feature: str = "pci.device", *, any_of: bool = False
) -> int:
    """How often the rule speaks of one condition."""
    told = RULE.format(
        holder="matchAny:" if any_of else "matchFeatures:",
        way="matchFeatures: [{" if any_of else "",
        feature=feature + ("," if any_of else ""),
        name=name,
        op=op,
        value=value,
    )
    return len(of("GPU794", told.rstrip() + "}]\n" if any_of else told))


@pytest.mark.parametrize("any_of", [True, False])
def test_a_class_is_no_vendor(*, any_of: bool) -> None:
    assert said("vendor", '["0300", "0302"]', any_of=any_of) == 1
    assert said("class", '["10de"]', any_of=any_of) == 1
    assert said("vendor", '["10de"]', any_of=any_of) == 0


@pytest.mark.parametrize("value", ['["0x10de"]', '["10DE"]', "[nvidia]"])
def test_ids_are_four_small_digits(value: str) -> None:
    assert said("vendor", value) == 1


@pytest.mark.parametrize("value", ['["10de", "NVIDIA"]', '["abcd"]', "[]", "10de", "[4318]"])
def test_one_that_may_be_is_enough(value: str) -> None:
    assert said("vendor", value) == 0


def test_other_features_and_other_operators() -> None:
    assert said("vendor", '["0300"]', feature="usb.device") == 0
    assert said("vendor", '["0300"]', op="NotIn") == 0
    assert said("device", '["10de"]') == 0
