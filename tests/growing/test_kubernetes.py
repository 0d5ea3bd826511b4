"""A version of Kubernetes is one word and its schemas: all that names versions follows from there."""

import json

import pytest

from gpuspec.kubernetes import VERSIONS
from tests.growing.conftest import Checkout

NEXT = f"1.{int(VERSIONS[-1].partition('.')[2]) + 1}"
PROFILE = f"""\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {{name: eu}}
spec:
  kubernetes: "{NEXT}"
  pools: [{{name: a100, gpu: {{model: A100-80GB, count: 8}}}}]
"""
SPEC = "examples/chat.yaml"
# The API of the next version has lost a kind.
OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
GONE = "apiVersion: v1\nkind: Event\nmetadata: {name: a}\ninvolvedObject: {}\n"


@pytest.fixture(scope="module")
def grown(checkout: Checkout) -> Checkout:
    """The checkout with a word more, and schemas of that version, which have lost a kind."""
    word = f'"{VERSIONS[-1]}"'
    table = checkout.read("gpuspec/kubernetes.py")
    checkout.write("gpuspec/kubernetes.py", table.replace(word, f'{word}, "{NEXT}"'))
    lines = checkout.read(f"schemas/kubernetes/{VERSIONS[-1]}.json").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith('"v1 Event"')]
    assert len(kept) == len(lines) - 1
    checkout.write(f"schemas/kubernetes/{NEXT}.json", "".join(kept))
    checkout.generate()
    checkout.write("eu.yaml", PROFILE)
    return checkout


def test_it_is_rendered_for(grown: Checkout) -> None:
    done = grown.run("render", SPEC, "-c", "eu.yaml")
    assert done.returncode == 0, done.stderr
    assert "kind: Deployment" in done.stdout


def test_objects_are_held_to_its_schemas(grown: Checkout) -> None:
    grown.write("object.yaml", OBJECT)
    assert grown.run("lint", "object.yaml", "-c", "eu.yaml").returncode == 0
    grown.write("gone.yaml", GONE)
    done = grown.run("lint", "gone.yaml", "-c", "eu.yaml", "--select", "GPU013")
    assert (
        f"Kubernetes {NEXT} has no `v1` Event; {VERSIONS[-1]} was the last version with it"
        in done.stdout
    )


def test_without_a_profile_it_is_the_newest(grown: Checkout) -> None:
    grown.write("gone.yaml", GONE)
    done = grown.run("lint", "gone.yaml", "--select", "GPU013", "--format", "json", "--exit-zero")
    (found,) = json.loads(done.stdout)
    assert f"Kubernetes {NEXT} has no `v1` Event" in found["message"]


def test_everything_that_lists_versions_names_it(grown: Checkout) -> None:
    said = f"{VERSIONS[0]} to {NEXT}"
    assert said in grown.run("schema", "cluster-profile").stdout
    assert said in grown.read("docs/spec-reference.md")
    grown.write("old.yaml", PROFILE.replace(NEXT, "1.10"))
    listed = f"supported: {', '.join((*VERSIONS, NEXT))}"
    assert listed in grown.run("render", SPEC, "-c", "old.yaml").stderr
