"""Kinds that no table knows: their pods are found, and their devices never silently nothing."""

from pathlib import Path
from textwrap import indent

import pytest

import gpuspec
from tests.lint.plain import POD
from tests.lint.texts import notes, places, write

GKE = Path(__file__).parents[2] / "examples/clusters/gke.yaml"


def test_pods_of_an_unknown_kind_are_found_and_the_kind_is_named_once(here: Path) -> None:
    inner = POD.partition("spec:\n")[2]
    custom = (
        "apiVersion: example.com/v1\nkind: Run\nmetadata: {name: r}\n"
        f"spec:\n  pod:\n    template:\n{indent(inner, '    ')}"
    )
    write(here / "a.yaml", f"{custom}---\n{custom}")
    write(here / "b.yaml", custom)
    note, unvalidated = gpuspec.lint("a.yaml", "b.yaml").notes
    assert unvalidated.text == (
        "not validated, because no schema is known: 3 Run (example.com/v1); "
        "add one with `gpuspec schema add CRD.yaml`"
    )
    assert note.text.startswith("unknown kinds: 3 Run (example.com); ")
    assert len(places("a.yaml", "b.yaml")) == 3
    write(here / ".gpuspec.yaml", "pod-paths: {example.com/Run: [spec.pod.template]}\n")
    assert notes("a.yaml", "b.yaml") == {}
    assert len(places("a.yaml", "b.yaml")) == 3


def test_devices_of_an_unknown_kind_are_never_silently_nothing(here: Path) -> None:
    """Devices outside of any pod: who made the kind knows what they mean, and nobody else."""
    write(
        here / "a.yaml",
        "apiVersion: example.com/v1\nkind: Server\nmetadata: {name: s}\n"
        "spec: {resources: {limits: {nvidia.com/gpu: 4}}}\n",
    )
    said = "not linted, because their kinds are unknown: 1 Server (example.com); "
    (note, _) = gpuspec.lint("a.yaml").notes
    assert note.text.startswith(said)
    (told,) = gpuspec.table("a.yaml").notes
    assert told.startswith(said)
    write(here / "b.yaml", POD)
    report = gpuspec.fit("a.yaml", "b.yaml", profile=gpuspec.load_profiles(str(GKE))[0])
    assert any(one.startswith(said) for one in report.notes)
    change = gpuspec.diff("/dev/null", "a.yaml")
    assert any(one.startswith(said) for one in change.notes)


@pytest.mark.parametrize(
    ("version", "kind", "spec"),
    [
        ("kaito.sh/v1beta1", "Workspace", ""),
        ("kubeai.org/v1", "Model", "spec: {resourceProfile: 'nvidia-gpu-l4:1'}\n"),
        (
            "sparkoperator.k8s.io/v1beta2",
            "SparkConnect",
            "spec: {executor: {instances: 2, gpu: {name: nvidia.com/gpu, quantity: 1}}}\n",
        ),
        (
            "nvidia.com/v1alpha1",
            "DynamoGraphDeployment",
            'spec: {services: {W: {resources: {limits: {gpu: "1"}}}}}\n',
        ),
    ],
)
def test_devices_said_otherwise_are_never_silently_nothing(
    here: Path, version: str, kind: str, spec: str
) -> None:
    write(here / "a.yaml", f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n{spec}")
    group = version.partition("/")[0]
    (told,) = gpuspec.table("a.yaml").notes
    assert (
        told
        == f"not counted, because their kinds state devices in fields of their own: 1 {kind} ({group})"
    )
    assert told in [note.text for note in gpuspec.lint("a.yaml").notes]


def test_an_unknown_kind_without_pods_is_nothing_to_say(here: Path) -> None:
    write(here / "a.yaml", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\n")
    assert notes("a.yaml") == {}
